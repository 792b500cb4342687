"""What is under way and takes its time: courses over many jobs, and looking for all that match; each can be stopped."""

import threading
from array import array
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from console.app.course import Course
from console.app.deck import Deck
from console.app.hand import Hand
from core.filters import Filter
from core.refusals import JobdeckError, Trouble
from core.status import Status

if TYPE_CHECKING:
    from console.app.app import JobdeckApp

TELL_EVERY = 5_000
"""So many jobs are found between two looks at how far it is."""

Ended = Callable[[Course, JobdeckError | None], None]


class Going(Protocol):
    """Something that is under way."""

    @property
    def progress(self) -> str:
        """How far it has come, in words."""
        ...

    def stop(self) -> None:
        """Go no further."""
        ...


class Underway:
    """All that is under way in this console; the line above the keys shows it."""

    def __init__(self, app: "JobdeckApp", hand: Hand) -> None:
        self._app = app
        self._hand = hand
        self._going: list[Going] = []

    @property
    def progress(self) -> str:
        """What is under way, in words; empty when nothing is."""
        return " · ".join(one.progress for one in self._going)

    @property
    def marking(self) -> bool:
        """Whether jobs are still being found that are to be marked."""
        return any(isinstance(one, Gathering) for one in self._going)

    def stop_latest(self) -> bool:
        """Stop what was begun last; False when there is nothing to stop."""
        if self._going:
            self._going[-1].stop()
        return bool(self._going)

    def follow(self, course: Course, ended: Ended) -> None:
        """Take a course, one stretch after the other."""
        if course.size > 1:
            self._begin(course)
        self._stretch(course, ended)

    def gather(self, chosen: Filter, states: Collection[Status], found: Callable[[Sequence[int]], None]) -> None:
        """Find all jobs in these states that match."""

        def told(result: Sequence[int] | JobdeckError | None) -> None:
            self._app.from_thread(lambda: self._gathered(gathering, result, found))

        gathering = Gathering(self._app.deck, chosen, states, self._changed, told)
        self._begin(gathering)
        gathering.start()

    def _stretch(self, course: Course, ended: Ended) -> None:
        self._hand.follow(course, lambda last: self._stretched(course, ended, last))

    def _stretched(self, course: Course, ended: Ended, last: bool | JobdeckError) -> None:
        """Called in the hand's thread."""
        if last is False:
            self._stretch(course, ended)
            self._changed()
            return
        error = last if isinstance(last, JobdeckError) else course.nothing
        self._app.from_thread(lambda: self._over(course, ended, error))

    def _over(self, course: Course, ended: Ended, error: JobdeckError | None) -> None:
        self._end(course)
        self._app.look_again()
        ended(course, error)

    def _gathered(
        self,
        gathering: "Gathering",
        result: Sequence[int] | JobdeckError | None,
        found: Callable[[Sequence[int]], None],
    ) -> None:
        self._end(gathering)
        if isinstance(result, JobdeckError):
            self._app.tell(str(result), severity="error")
        elif result is not None:
            found(result)

    def _begin(self, one: Going) -> None:
        self._going.append(one)
        self._app.show_progress()

    def _end(self, one: Going) -> None:
        if one in self._going:
            self._going.remove(one)
            self._app.show_progress()

    def _changed(self) -> None:
        self._app.from_thread(self._app.show_progress)


class Gathering(threading.Thread):
    """Reads the numbers of all jobs that match, on its own connection."""

    def __init__(
        self,
        deck: Deck,
        chosen: Filter,
        states: Collection[Status],
        changed: Callable[[], None],
        told: Callable[[Sequence[int] | JobdeckError | None], None],
    ) -> None:
        super().__init__(name="gathering", daemon=True)
        self._deck = deck
        self._chosen = chosen
        self._states = states
        self._changed = changed
        self._told = told
        self._found = array("q")
        self._stopped = False

    @property
    def progress(self) -> str:
        """How many it has found up to now."""
        return f"marking all that match: {len(self._found):,} so far"

    def stop(self) -> None:
        """Nothing is marked."""
        self._stopped = True

    def run(self) -> None:
        """Find them all."""
        try:
            with self._deck.open_store() as store, store.read() as views:
                for job in views.numbers(self._chosen, self._states):
                    self._found.append(job)
                    if self._stopped:
                        break
                    if len(self._found) % TELL_EVERY == 0:
                        self._changed()
        except JobdeckError as error:
            self._told(error)
        except Exception as error:
            self._told(Trouble(f"something went wrong that should not have ({type(error).__name__}: {error})"))
        else:
            self._told(None if self._stopped else self._found)
