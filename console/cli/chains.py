"""`chain`: a job and its retries, drawn with the attempts inside each link."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from console.cli.desk import Desk
from console.cli.jsonout import execution_json, job_json, print_json
from console.cli.options import id_argument, verb
from console.cli.output import STATUS_COLOURS, line, line_width, painted
from console.facts import shown_key
from console.plain import cut, plain, width
from core.jobs import Execution
from core.status import Status
from core.when import format_duration, format_relative

if TYPE_CHECKING:
    from store.views import Link


@verb("chain", "jobdeck chain 42", "jobdeck chain 42 --json")
@id_argument
@click.pass_obj
def chain(desk: Desk, ref: str) -> None:
    """Draw a job's chain: each retry by hand is a link, each run inside a link an attempt."""
    with desk.read() as views:
        found = views.chain(ref)
    if desk.json:
        print_json([_link_json(link) for link in found.links])
        return
    room = line_width()
    for number, link in enumerate(found.links):
        job = link.job
        head = _fitting(f"{'└▶ ' if number else ''}job {job.id} ", room)
        status = _fitting(job.status.value, room, head)
        about = _fitting(f"  {plain(_about(link, desk))}", room, head + status)
        line(head + painted(status, STATUS_COLOURS[job.status]) + about)
        last = number == len(found.links) - 1
        for text in _attempts(link, desk):
            line(_fitting(f"{'   ' if number else ''}{' ' if last else '│'}  {plain(text)}", room))


def _fitting(text: str, room: int | None, before: str = "") -> str:
    """The text, cut to what is left of the line behind what stands before it."""
    return text if room is None else cut(text, room - width(before))


def _about(link: "Link", desk: Desk) -> str:
    job = link.job
    parts = [job.job_type, shown_key(job), job.command_text]
    if job.next_retry_at is not None:
        parts.append(f"again {format_relative(job.next_retry_at, desk.now)}")
    return "  ".join(part for part in parts if part)


def _attempts(link: "Link", desk: Desk) -> Iterator[str]:
    for execution in link.executions:
        yield f"attempt {execution.attempt}: {_told(execution, desk)}"
    if not link.executions:
        yield "not run yet" if not link.job.status.final else "never run"
    if link.job.status is Status.RETRYING:
        yield f"retry {link.job.retry_count} of {link.job.max_retries} comes next"


def _told(execution: Execution, desk: Desk) -> str:
    parts = [execution.outcome.lower() if execution.outcome else execution.status.lower().replace("_", " ")]
    if execution.exit_code is not None:
        parts.append(f"exit {execution.exit_code}")
    if execution.started_at is not None:
        parts.append(f"took {format_duration((execution.finished_at or desk.now) - execution.started_at)}")
    if execution.error:
        parts.append(execution.error)
    return ", ".join(parts)


def _link_json(link: "Link") -> dict[str, Any]:
    return {**job_json(link.job), "executions": [execution_json(execution) for execution in link.executions]}
