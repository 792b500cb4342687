"""Moving jobs in a queue that a filter shows only a part of: past hidden jobs it goes only after saying so."""

from dataclasses import dataclass

from console.app.course import Course
from console.app.deeds import MOVES, beside, moved
from console.app.targets import Meant
from core.filters import Filter
from core.positions import Move
from store.store import Store
from store.views import Passing


@dataclass(frozen=True)
class Moving:
    """A move as the filter makes it: done already, or to be asked about since it goes past hidden jobs."""

    course: Course
    hidden: int
    question: str
    detail: str


def look(store: Store, meant: Meant, name: str, chosen: Filter) -> Moving:
    """What a move comes to among the jobs that the filter shows."""
    where = MOVES[name]
    ahead = where in (Move.UP, Move.TOP)
    with store.read() as views:
        way = views.passing(chosen, meant.jobs, ahead=ahead, all_the_way=where in (Move.TOP, Move.BOTTOM))
    if way.shown is None:
        deed, to = moved(where), f"the {where.value} of priority {way.priority}"
    else:
        relative = Move.BEFORE if ahead else Move.AFTER
        deed, to = beside(relative, way.shown), f"{relative.value} job {way.shown}"
    return Moving(deed(meant), way.hidden, f"Move {meant.words} {'to ' if way.shown is None else ''}{to}?", _told(way))


def _told(way: Passing) -> str:
    if way.hidden == 1:
        return "It goes past 1 job that the filter hides."
    return f"It goes past {way.hidden:,} jobs that the filter hides."
