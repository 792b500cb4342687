"""`wait`: until jobs have ended; the exit code says how."""

from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import job_json, print_json
from console.cli.options import ids_argument, verb
from console.cli.output import STATUS_COLOURS, aside, line, painted
from console.cli.waiting import succeeded, wait_for
from console.plain import plain
from core.jobs import Job
from core.when import parse_duration

if TYPE_CHECKING:
    from store.store import Store

FAILED = 1


@verb("wait", "jobdeck wait 42", "jobdeck wait 42 43 --timeout 10m", "jobdeck wait 42 --json")
@ids_argument
@click.option("--timeout", metavar="DURATION", help="Give up waiting after so long; the jobs go on.")
@click.pass_context
def wait(ctx: click.Context, ids: tuple[str, ...], timeout: str | None) -> None:
    """Wait until jobs have ended, through all their retries. Exit 0 if every one of them SUCCEEDED, else 1."""
    desk: Desk = ctx.obj
    ended: list[Job] = []
    within = None if timeout is None else parse_duration(timeout)
    with desk.store() as store:

        def tell(job: Job) -> None:
            ended.append(job)
            if not desk.json:
                line(f"job {job.id} {painted(job.status.value, STATUS_COLOURS[job.status])}{_why(job)}")

        in_time = wait_for(store, ids, within=within, ended=tell)
    if desk.json:
        print_json([job_json(job) for job in ended])
    if not in_time:
        aside(f"still not ended after {timeout}; the jobs go on")
    if not in_time or not all(map(succeeded, ended)):
        ctx.exit(FAILED)


def wait_for_one(desk: Desk, store: "Store", job: Job) -> int:
    """Wait for a job that was just submitted, tell how it ended, and give back the exit code that follows it."""
    ended: list[Job] = []
    wait_for(store, [job.id], ended=ended.append)
    if desk.json:
        print_json(job_json(ended[0]))
    else:
        aside(outcome(ended[0]))
    return 0 if succeeded(ended[0]) else FAILED


def outcome(job: Job) -> str:
    """How a job ended, in a line."""
    return f"job {job.id} {job.status}{_why(job)}"


def _why(job: Job) -> str:
    return plain(f": {job.error_message}") if job.error_message else ""
