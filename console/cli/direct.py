"""`direct`: a job that takes the next free slot, past the queue; the queue waits and is then as it was."""

from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import click

from console.cli.desk import Desk
from console.cli.job_options import job_options
from console.cli.jsonout import job_json, print_json
from console.cli.options import verb
from console.cli.output import line
from console.cli.submit import wished_for
from console.cli.wait import wait_for_one
from console.cli.waiting import changes
from core.jobs import Job, NewJob
from core.refusals import Busy
from core.reservations import DEFAULT_EXPIRY
from core.when import parse_duration

if TYPE_CHECKING:
    from store.store import Store


@verb(
    "direct",
    "jobdeck direct -- ./hotfix.sh",
    "jobdeck direct --wait -- ./hotfix.sh",
    "jobdeck direct --if-busy wait --expires 10m -- ./hotfix.sh",
    context_settings={"allow_interspersed_args": False},
)
@job_options
@click.option("--key", metavar="KEY", help="At most one live job has this type and key.")
@click.option("--template", metavar="NAME", help="Start from this template.")
@click.option("--expires", metavar="DURATION", help="How long the queue waits for it at most; the default is 5m.")
@click.option(
    "--if-busy",
    type=click.Choice(["error", "wait"]),
    default="error",
    show_default=True,
    help="When another direct job waits for its slot.",
)
@click.option("--wait", "waiting", is_flag=True, help="Wait until it has ended; the exit code follows it.")
@click.argument("argv", nargs=-1, metavar="[--] ARGV...")
@click.pass_context
def direct(
    ctx: click.Context,
    wanted: Mapping[str, Any],
    key: str | None,
    template: str | None,
    expires: str | None,
    if_busy: str,
    waiting: bool,
    argv: tuple[str, ...],
) -> None:
    """Run a job in the next free slot, ahead of everything that is queued, and print its id.

    Nothing from the queue starts until it has its slot; what runs goes on, and the queue keeps its order.
    """
    desk: Desk = ctx.obj
    wishes = {**wanted, **({"argv": argv} if argv else {}), **({} if key is None else {"key": key})}
    expiry = DEFAULT_EXPIRY if expires is None else parse_duration(expires)
    with desk.store() as store:
        new = wished_for(desk, store, wishes, template)
        submit = _reserved if if_busy == "error" else _patiently
        job = submit(desk, store, new, expiry, stays=waiting)
        if not desk.json:
            line(str(job.id))
        if waiting:
            ctx.exit(wait_for_one(desk, store, job))
    if desk.json:
        print_json(job_json(job))


def _reserved(desk: Desk, store: "Store", new: NewJob, expiry: timedelta, *, stays: bool) -> Job:
    from console.direct import submit_direct

    with store.write(desk.actor) as work:
        return submit_direct(work, new, expiry, stays=stays)


def _patiently(desk: Desk, store: "Store", new: NewJob, expiry: timedelta, *, stays: bool) -> Job:
    for _ in changes(store):
        try:
            return _reserved(desk, store, new, expiry, stays=stays)
        except Busy:
            continue
    raise AssertionError("without a deadline there is always another change to wait for")
