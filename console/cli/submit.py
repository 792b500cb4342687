"""`submit`: one job from the command line, or many from a file."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from console.cli.bulk import submit_file
from console.cli.desk import Desk
from console.cli.job_options import submission_options
from console.cli.jsonout import job_json, print_json
from console.cli.options import verb
from console.cli.output import aside, line
from console.cli.wait import wait_for_one
from console.starts import start
from core.jobs import NewJob
from core.refusals import BadInput

if TYPE_CHECKING:
    from store.store import Store


@verb(
    "submit",
    "jobdeck submit -- echo hello",
    "jobdeck submit --type etl --key 2031-05-01 --priority 5 --tag env=prod -- ./load.sh",
    'jobdeck submit --at "tomorrow 6:00" --shell "make clean && make"',
    'jobdeck submit --approval "Deploy to production?" -- ./deploy.sh',
    "jobdeck submit --from jobs.jsonl",
    context_settings={"allow_interspersed_args": False},
)
@submission_options
@click.option("--template", metavar="NAME", help="Start from this template.")
@click.option(
    "--if-exists",
    type=click.Choice(["error", "return", "replace"]),
    default="error",
    show_default=True,
    help="When a live job has that type and key.",
)
@click.option("--wait", "waiting", is_flag=True, help="Wait until it has ended; the exit code follows it.")
@click.option("--from", "source", metavar="FILE", help="Many jobs, one JSON object per line; - reads stdin.")
@click.argument("argv", nargs=-1, metavar="[--] ARGV...")
@click.pass_context
def submit(
    ctx: click.Context,
    wanted: Mapping[str, Any],
    template: str | None,
    if_exists: str,
    waiting: bool,
    source: str | None,
    argv: tuple[str, ...],
) -> None:
    """Put a job into the queue and print its id.

    Everything behind -- is the command; it runs as it stands, without a shell. With --from, the options
    are defaults for every line, and all lines are stored in one transaction or none is.
    """
    desk: Desk = ctx.obj
    if source is not None:
        if waiting:
            raise BadInput("--wait goes with one job; wait for many with: jobdeck wait ID...")
        if argv or "key" in wanted:
            raise BadInput("--from takes each job's command and key from its line; leave them out here")
        submit_file(desk, source, wanted, template, if_exists)
        return
    if argv:
        wanted = {**wanted, "argv": argv}
    with desk.store() as store:
        new = replace(wished_for(desk, store, wanted, template), job_id=desk.job_id)
        with store.write(desk.actor) as work:
            done = work.submit(new, if_exists)
            job = work.job(done.id)
        if not desk.json:
            line(str(done.id))
            if not done.created and done.job_id != desk.job_id:
                aside(f"job {done.id} was there already, {job.status}; nothing was added")
            elif done.replaced is not None:
                aside(f"job {done.id} takes the place of job {done.replaced}")
        if waiting:
            ctx.exit(wait_for_one(desk, store, job))
    if desk.json:
        print_json(job_json(job))


def wished_for(desk: Desk, store: "Store", wanted: Mapping[str, Any], template: str | None) -> NewJob:
    """The job that the options ask for, over its template's and its type's settings."""
    base = None
    if template is not None:
        with store.read() as views:
            found = views.template(template)
        base = replace(found.new_job, template_id=found.template_id)
    return start(desk.config, desk.here, wanted.get("type"), base).submission(wanted)
