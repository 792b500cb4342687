"""`history`: what happened, when, by whom and why."""

import click

from console.cli.desk import Desk
from console.cli.jsonout import JsonArray, history_json
from console.cli.options import WHOLE, verb
from console.cli.output import DIM, STATUS_COLOURS, line, painted
from console.cli.tables import Column, print_table
from core.filter_parser import parse
from core.jobs import HistoryEntry
from core.refusals import BadInput
from core.when import format_relative

TABLE_LIMIT = 100
ALL = 1_000_000


@verb("history", "jobdeck history 42", "jobdeck history --limit 20", "jobdeck history --filter type:etl --json")
@click.argument("ref", metavar="[ID]", required=False)
@click.option("--filter", "-f", "expression", metavar="EXPR", default="", help="Only of jobs that match.")
@click.option(
    "--limit", "-n", type=WHOLE, metavar="N", help=f"At most so many; a table stops at {TABLE_LIMIT}, 0 is all."
)
@click.pass_obj
def history(desk: Desk, ref: str | None, expression: str, limit: int | None) -> None:
    """Show what happened to a job, oldest first; without an ID, what happened last to any."""
    wanted = parse(expression) if expression.strip() else None
    if ref is not None and wanted is not None:
        raise BadInput("name a job or give --filter, one of the two")
    if limit is not None and limit < 0:
        raise BadInput(f"--limit is {limit}; use 0 for all, or how many you want")
    most = limit if limit is not None else (0 if desk.json else TABLE_LIMIT)
    with desk.read() as views:
        entries = views.history(ref, wanted, (most or ALL) + 1)
    cut_off = bool(most) and len(entries) > most
    entries = sorted(entries[:most] if most else entries, key=lambda entry: entry.id)
    if desk.json:
        JsonArray(map(history_json, entries)).print()
        return
    if not entries:
        matching = "nothing has happened to any job that matches that filter; jobdeck history shows all"
        line(matching if wanted else "nothing has happened yet; try: jobdeck submit -- echo hello")
        return
    if cut_off:
        line(painted("… and earlier entries; --limit 0 shows all", DIM))
    print_table(entries, _columns(desk, one_job=ref is not None))


def _columns(desk: Desk, *, one_job: bool) -> list[Column[HistoryEntry]]:
    columns: list[Column[HistoryEntry]] = [
        Column("WHEN", lambda entry: _when(entry, desk)),
        Column("EVENT", lambda entry: entry.event),
        Column("STATUS", _step, colour=lambda entry: STATUS_COLOURS[entry.new_status], drop=1),
        Column("BY", lambda entry: entry.actor, least=6, drop=2),
        Column("WHY", lambda entry: entry.reason or "", least=10, drop=3),
    ]
    if not one_job:
        columns.insert(1, Column("ID", lambda entry: str(entry.job), right=True))
    return columns


def _when(entry: HistoryEntry, desk: Desk) -> str:
    return format_relative(entry.created_at, desk.now)


def _step(entry: HistoryEntry) -> str:
    if entry.previous_status is None or entry.previous_status is entry.new_status:
        return entry.new_status.value
    return f"{entry.previous_status} → {entry.new_status}"
