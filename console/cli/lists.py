"""`list`: jobs in the order in which they matter to an operator."""

from itertools import islice
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import JsonArray, job_json, why_json
from console.cli.options import WHOLE, verb
from console.cli.output import DIM, STATUS_COLOURS, line, painted
from console.cli.tables import Column, print_table
from console.facts import shown_key
from core.filter_parser import parse
from core.filters import Filter
from core.jobs import Job
from core.refusals import BadInput
from core.status import Status
from core.waiting import Flow, Obstacle, why
from core.when import format_duration, format_relative

if TYPE_CHECKING:
    from store.views import Views

TABLE_LIMIT = 100
TOLD = (Obstacle.LIMIT, Obstacle.RESERVATION)
"""Obstacles that one job has and others don't; what all of them wait for is told by `status`."""
COUNTED = 10_000
"""How far matches beyond the table are counted: people need the order of magnitude, not a full scan."""


@verb(
    "list",
    "jobdeck list",
    "jobdeck list --filter 'status:failed type:etl age<1d'",
    "jobdeck list --filter 'tag:env=prod !held:yes' --json",
)
@click.option("--filter", "-f", "expression", metavar="EXPR", default="", help="Only jobs that match; ! negates.")
@click.option(
    "--limit", "-n", type=WHOLE, metavar="N", help=f"At most so many; a table stops at {TABLE_LIMIT}, 0 is all."
)
@click.pass_obj
def list_(desk: Desk, expression: str, limit: int | None) -> None:
    """List jobs: what runs, what waits for people or time, the queue in its order, drafts, then what has ended.

    Filters: words match type, key, command and tags; status:failed, type:etl, key:x*, tag:env=prod,
    priority>5, age<1h, held:yes; ! in front negates.
    """
    wanted = parse(expression)
    if limit is not None and limit < 0:
        raise BadInput(f"--limit is {limit}; use 0 for all, or how many you want")
    if desk.json:
        with desk.read() as views:
            flow = views.flow()
            jobs = views.list_jobs(wanted, limit or None)
            array = JsonArray({**job_json(job), "why": why_json(job, flow, desk.now)} for job in jobs)
        array.print()
        return
    most = TABLE_LIMIT if limit is None else limit
    with desk.read() as views:
        shown, more = _first(views, wanted, most)
        flow = views.flow()
    if not shown:
        line(nothing_found(expression))
        return
    print_table(shown, columns(desk, flow))
    if more > 0:
        plus = "+" if wanted.terms and more == COUNTED else ""
        line(painted(f"… and {more:,}{plus} more; --limit 0 shows all", DIM))


def _first(views: "Views", wanted: Filter, most: int) -> tuple[list[Job], int]:
    """The first jobs that match, and how many more there are; its own function, so that the reading ends with it."""
    found = views.list_jobs(wanted, None)
    shown = list(islice(found, most or None))
    if wanted.terms:
        return shown, sum(1 for _ in islice(found, COUNTED))
    return shown, sum(views.counts().values()) - len(shown)


def nothing_found(expression: str) -> str:
    """What to do when there is nothing to show."""
    if expression.strip():
        return "no jobs match that filter; jobdeck list shows all"
    return "no jobs yet; try: jobdeck submit -- echo hello"


def columns(desk: Desk, flow: Flow) -> list[Column[Job]]:
    """A table of jobs."""
    now = desk.now
    return [
        Column("ID", lambda job: str(job.id), right=True),
        Column("STATUS", lambda job: shown_status(job.status), colour=lambda job: STATUS_COLOURS[job.status]),
        Column("PRI", lambda job: str(job.priority), right=True, drop=2),
        Column("TYPE", lambda job: job.job_type, least=6, drop=4),
        Column("KEY", shown_key, least=6, drop=3),
        Column("COMMAND", lambda job: job.command_text, least=10, drop=1),
        Column("NOTE", lambda job: _note(job, desk, flow), least=8, drop=5),
        Column("CREATED", lambda job: format_relative(job.created_at, now), drop=6),
    ]


def shown_status(status: Status) -> str:
    """A state in a narrow column."""
    return "WAITING" if status is Status.WAITING_FOR_APPROVAL else status.value


def _note(job: Job, desk: Desk, flow: Flow) -> str:
    """What an operator would ask next about a job in this state."""
    now = desk.now
    if job.cancel_requested_at is not None and not job.status.final:
        return "stopping"
    notes = ["held"] if job.held and not job.status.final else []
    match job.status:
        case Status.QUEUED if job.scheduled_run_time is not None and job.scheduled_run_time > now:
            notes.append(f"starts {format_relative(job.scheduled_run_time, now)}")
        case Status.QUEUED if (reason := why(job, flow, now)).obstacle in TOLD:
            notes.append(reason.words)
        case Status.RUNNING if job.started_at is not None:
            notes.append(f"attempt {job.attempt}, for {format_duration(now - job.started_at)}")
        case Status.WAITING_FOR_APPROVAL:
            notes.append(f"answer with: jobdeck approve {job.id}")
        case Status.RETRYING if job.next_retry_at is not None:
            tries = f"retry {job.retry_count} of {job.max_retries}"
            notes.append(f"{tries} {format_relative(job.next_retry_at, now)}: {job.error_message}")
        case Status.FAILED | Status.CANCELLED if job.error_message:
            notes.append(job.error_message)
        case Status.SUCCEEDED if job.started_at is not None and job.finished_at is not None:
            notes.append(f"took {format_duration(job.finished_at - job.started_at)}")
        case Status.CREATED:
            notes.append("draft")
        case _:
            pass
    return ", ".join(notes)
