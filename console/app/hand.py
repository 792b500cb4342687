"""The hand: a thread that carries out what the operator decided, one thing after the other."""

import queue
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from console.app.course import Course
from console.app.deck import Deck
from core.refusals import JobdeckError, Trouble
from store.store import Store

if TYPE_CHECKING:
    from store.work import Work

T = TypeVar("T")

Operation = Callable[["Work"], T]
Errand = Callable[[Store], T]
Told = Callable[[T | JobdeckError], None]


class Hand(threading.Thread):
    """Writes, on its own connection; whoever asks goes on at once and is told when it is done."""

    def __init__(self, deck: Deck) -> None:
        super().__init__(name="hand", daemon=True)
        self._deck = deck
        self._left = 0
        self._lock = threading.Lock()
        self._orders: queue.SimpleQueue[_Order[Any] | None] = queue.SimpleQueue()

    def do(self, operation: Operation[T], told: Told[T]) -> None:
        """Carry this out in one transaction; `told` is called in the hand's thread."""

        def errand(store: Store) -> T:
            with store.write(self._deck.actor) as work:
                return operation(work)

        self.send(errand, told)

    def send(self, errand: Errand[T], told: Told[T]) -> None:
        """Do something with the store that takes more than one look at it."""
        with self._lock:
            self._left += 1
        self._orders.put(_Order(errand, told))

    def follow(self, course: Course, told: Told[bool]) -> None:
        """Take one stretch of a course, and tell whether that was the last; others get their turn in between."""
        self.send(lambda store: course.stretch(store, self._deck.actor), told)

    @property
    def idle(self) -> bool:
        """Whether all that was asked for is done."""
        with self._lock:
            return self._left == 0

    def end(self) -> None:
        """Finish what was asked for, then stop."""
        self._orders.put(None)

    def run(self) -> None:
        """Carry out one order after the other."""
        store: Store | None = None
        while (order := self._orders.get()) is not None:
            try:
                store = store or self._deck.open_store()
                result = order.errand(store)
            except JobdeckError as error:
                order.told(error)
            except Exception as error:
                order.told(Trouble(f"something went wrong that should not have ({type(error).__name__}: {error})"))
            else:
                order.told(result)
            with self._lock:
                self._left -= 1
        if store is not None:
            store.close()


class _Order(Generic[T]):
    """Something to do, and whom to tell."""

    def __init__(self, errand: Errand[T], told: Told[T]) -> None:
        self.errand = errand
        self.told = told
