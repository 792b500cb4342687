"""`events`: history as a stream, for programs that follow what happens."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import dumped, history_json
from console.cli.options import WHOLE, verb
from console.cli.output import STATUS_COLOURS, line, painted
from console.cli.waiting import changes
from console.plain import plain
from core.filter_parser import parse
from core.filters import Filter
from core.jobs import HistoryEntry
from core.refusals import BadInput

if TYPE_CHECKING:
    from store.store import Store

LAST = 20
AT_A_TIME = 500


@verb(
    "events",
    "jobdeck events -f",
    "jobdeck events -f --json --filter type:etl",
    "jobdeck events --after 1200 --json",
)
@click.option("--follow", "-f", is_flag=True, help="Go on as things happen, until interrupted.")
@click.option(
    "--after", type=WHOLE, metavar="N", help="Everything behind the event of that number, which --json tells."
)
@click.option("--last", "-n", type=WHOLE, metavar="N", help=f"Begin with so many of the last; the default is {LAST}.")
@click.option("--filter", "expression", metavar="EXPR", default="", help="Only of jobs that match.")
@click.pass_obj
def events(desk: Desk, follow: bool, after: int | None, last: int | None, expression: str) -> None:
    """Print what happens to jobs, oldest first, each on a line; with --json each line is a document.

    An event keeps its number for ever, so whoever was interrupted goes on with --after and misses nothing.
    """
    if after is not None and last is not None:
        raise BadInput("give --after or --last, one of the two")
    if (last or 0) < 0 or (after or 0) < 0:
        raise BadInput("--after and --last count from 0")
    wanted = parse(expression) if expression.strip() else None
    with desk.store() as store:
        place = after if after is not None else _begin(store, desk, wanted, LAST if last is None else last)
        for _ in changes(store) if follow else [True]:
            place = _tell_all(store, desk, wanted, place)
    if place == 0 and not desk.json:
        line("nothing has happened yet; try: jobdeck submit -- echo hello")


def _begin(store: "Store", desk: Desk, wanted: Filter | None, last: int) -> int:
    """Tell the last few, and say up to where that was."""
    with store.read() as views:
        newest = views.last_event()
        entries = views.history(None, wanted, last, newest + 1) if last else []
    _tell(desk, sorted(entries, key=lambda entry: entry.id))
    return newest


def _tell_all(store: "Store", desk: Desk, wanted: Filter | None, place: int) -> int:
    """Tell everything behind a place, a stretch at a time: no reader keeps a transaction open."""
    while True:
        with store.read() as views:
            entries, behind = views.events_after(place, wanted, AT_A_TIME)
        _tell(desk, entries)
        if behind == place:
            return place
        place = behind


def _tell(desk: Desk, entries: Sequence[HistoryEntry]) -> None:
    for entry in entries:
        if desk.json:
            line(dumped({"event_id": entry.id, **history_json(entry)}))
        else:
            at = entry.created_at.astimezone(desk.zone)
            status = painted(entry.new_status.value, STATUS_COLOURS[entry.new_status])
            why = f": {entry.reason}" if entry.reason else ""
            by = plain(f"by {entry.actor}{why}")
            line(f"{at:%Y-%m-%d %H:%M:%S} job {entry.job} {plain(entry.event)} {status} {by}")
    if entries and sys.stdout is not None:
        sys.stdout.flush()
