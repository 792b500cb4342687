"""`priority` and `move`: where a job stands in the queue."""

from collections.abc import Mapping

import click

from console.cli.desk import Desk
from console.cli.jsonout import job_json, print_json
from console.cli.options import id_argument, verb
from console.cli.output import line
from console.typed import whole_number
from core.refusals import BadInput


# An unknown option is let through here, because a negative number looks like one.
@verb("priority", "jobdeck priority 42 10", "jobdeck priority 42 -5", context_settings={"ignore_unknown_options": True})
@id_argument
@click.argument("number", metavar="N")
@click.pass_obj
def priority(desk: Desk, ref: str, number: str) -> None:
    """Change a job's priority; it goes to the tail of the new one. Higher runs first."""
    wanted = whole_number(number, "the priority")
    with desk.write() as work:
        job = work.set_priority(ref, wanted)
    if desk.json:
        print_json(job_json(job))
    else:
        line(f"job {job.id} has priority {job.priority}")


@verb(
    "move",
    "jobdeck move 42 --top",
    "jobdeck move 42 --up",
    "jobdeck move 42 --before 17",
)
@id_argument
@click.option("--up", is_flag=True, help="Past the job in front of it.")
@click.option("--down", is_flag=True, help="Past the job behind it.")
@click.option("--top", is_flag=True, help="To the head of its priority.")
@click.option("--bottom", is_flag=True, help="To the tail of its priority.")
@click.option("--before", metavar="ID", help="In front of another job.")
@click.option("--after", metavar="ID", help="Behind another job.")
@click.pass_obj
def move(desk: Desk, /, ref: str, **wanted: bool | str | None) -> None:
    """Change a job's place in the queue; before or behind a job of another priority, it takes that priority."""
    where, other = _where(wanted)
    from core.positions import Move

    with desk.store() as store:
        with store.write(desk.actor) as work:
            job = work.move(ref, Move(where), other)
        with store.read() as views:
            rank = views.queue_rank(job.id)
    if desk.json:
        print_json(job_json(job))
    else:
        line(f"job {job.id} is number {(rank or 0) + 1:,} in the queue")


def _where(wanted: Mapping[str, bool | str | None]) -> tuple[str, str | None]:
    chosen = [(name, value) for name, value in wanted.items() if value is not None and value is not False]
    if len(chosen) != 1:
        raise BadInput("say where it goes with exactly one of --up, --down, --top, --bottom, --before and --after")
    name, value = chosen[0]
    return name, value if isinstance(value, str) else None
