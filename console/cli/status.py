"""`status`, `pause`, `resume`: how the store stands, what comes next, and stopping the flow."""

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from console.cli.desk import Desk
from console.cli.engine_facts import engine_facts
from console.cli.jsonout import instant, print_json
from console.cli.options import verb
from console.cli.output import STATUS_COLOURS, counted, line, painted
from console.cli.tables import Column, print_facts, print_table
from console.moments import exact
from core.status import Status
from core.when import format_relative, iso

if TYPE_CHECKING:
    from store.views import Listener, NextEvent, OutboxCounts, Paused

EVENTS = 5


@verb("status", "jobdeck status", "jobdeck status --json")
@click.pass_obj
def status(desk: Desk) -> None:
    """Show the store, its engine, how many jobs are in which state, and what comes next."""
    show_status(desk)


def show_status(desk: Desk) -> None:
    """The state of the store, for people or scripts."""
    with desk.read() as views:
        counts = views.counts()
        paused = views.paused()
        held = views.held_count()
        not_yet_due = views.not_yet_due_count()
        events = views.next_events(EVENTS)
        engine = engine_facts(views, desk)
        outbox = views.outbox_counts()
        off = [one for one in views.listeners() if one.off is not None]
        pruned = views.pruned()
    if desk.json:
        print_json(
            {
                "db": str(desk.places.db),
                "home": str(desk.places.home),
                "engine": engine.as_json(),
                "paused": _paused_json(paused),
                "counts": {state.value: counts[state] for state in Status},
                "held": held,
                "not_yet_due": not_yet_due,
                "next_events": [{"at": iso(one.at), "what": one.what, "words": one.words} for one in events],
                "notifications": {
                    "waiting": outbox.waiting,
                    "retrying": outbox.tried,
                    "failed": outbox.failed,
                    "off": [one.name for one in off],
                },
                "last_prune": None if pruned is None else {"at": iso(pruned[1]), "jobs": pruned[0]},
            }
        )
        return
    print_facts(
        [
            ("store", str(desk.places.db)),
            *engine.told(desk),
            ("queue", _flow(paused, desk)),
            ("told", _told(outbox, off)),
            ("last prune", _pruned(pruned, desk)),
        ]
    )
    line()
    if not any(counts.values()):
        line("no jobs yet; try: jobdeck submit -- echo hello")
    else:
        _print_counts(counts, held, not_yet_due)
    if events:
        line()
        _print_events(events, desk)


def _told(outbox: "OutboxCounts", off: "Sequence[Listener]") -> str:
    """What could not be told so far; nothing when all is well."""
    parts = [f"{_many(outbox.failed)} failed"] if outbox.failed else []
    parts += [f"{_many(outbox.tried)} being tried again"] if outbox.tried else []
    parts += [f"{_many(waiting)} waiting"] if (waiting := outbox.waiting - outbox.tried) else []
    parts += [f"{one.name} is switched off" for one in off]
    return f"{', '.join(parts)}; see: jobdeck notify list" if parts else ""


def _pruned(pruned: tuple[int, datetime] | None, desk: Desk) -> str:
    """What retention has deleted the last time, if it ever has."""
    return (
        "" if pruned is None else f"{counted(pruned[0], 'finished job')} went, {exact(pruned[1], desk.zone, desk.now)}"
    )


def _print_counts(counts: dict[Status, int], held: int, not_yet_due: int) -> None:
    wide = max(len(f"{count:,}") for count in counts.values())
    for state, count in counts.items():
        if not count:
            continue
        also = []
        if state is Status.QUEUED:
            also = [f"{_many(n)} {what}" for n, what in ((held, "held"), (not_yet_due, "not due yet")) if n]
        extra = f"  ({', '.join(also)})" if also else ""
        line(f"{count:>{wide},}  {painted(state.value, STATUS_COLOURS[state])}{extra}")


def _many(number: int) -> str:
    """A number that is counted only so far."""
    from store.views.counting import MOST_COUNTED

    return f"{number:,}{'+' if number >= MOST_COUNTED else ''}"


def _print_events(events: "list[NextEvent]", desk: Desk) -> None:
    columns: list[Column[NextEvent]] = [
        Column("NEXT", lambda one: format_relative(one.at, desk.now)),
        Column("WHAT", lambda one: one.words, least=12),
    ]
    print_table(events, columns)


def _flow(paused: "Paused | None", desk: Desk) -> str:
    if paused is None:
        return "open"
    why = f": {paused.reason}" if paused.reason else ""
    return f"paused by {paused.by}, {exact(paused.at, desk.zone, desk.now)}{why}; go on with: jobdeck resume"


def _paused_json(paused: "Paused | None") -> dict[str, Any] | None:
    return None if paused is None else {"by": paused.by, "at": instant(paused.at), "reason": paused.reason}


@verb("pause", "jobdeck pause", 'jobdeck pause --reason "disk swap"')
@click.option("--reason", "-r", metavar="TEXT", help="Why, for everyone who looks.")
@click.pass_obj
def pause(desk: Desk, reason: str | None) -> None:
    """Let nothing new start; what runs goes on."""
    with desk.write() as work:
        fresh = work.pause(reason)
    _tell(desk, paused=True, sentence="paused; nothing new starts" if fresh else "the queue was paused already")


@verb("resume", "jobdeck resume")
@click.pass_obj
def resume(desk: Desk) -> None:
    """Let jobs start again."""
    with desk.write() as work:
        fresh = work.resume()
    _tell(desk, paused=False, sentence="jobs start again" if fresh else "the queue was not paused")


def _tell(desk: Desk, *, paused: bool, sentence: str) -> None:
    if desk.json:
        print_json({"paused": paused})
    else:
        line(sentence)
