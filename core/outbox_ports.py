"""What the engine asks of a store's outbox."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Protocol

from core.notifications import Notification, Target


class Telling(Protocol):
    """Steps of whoever delivers what is to be told."""

    def know_targets(self, targets: Iterable[Target]) -> None:
        """Tell these from here on, and nobody else."""
        ...

    def watch_queue(self) -> bool:
        """Have it told if the queue is stuck; whether it was told now."""
        ...

    def note_delivered(self, number: int) -> None:
        """It has arrived."""
        ...

    def note_failure(self, number: int, error: str, again_at: datetime | None) -> None:
        """It has not arrived: when it is tried again, or None to give it up."""
        ...

    def switch_off(self, target: str, why: str) -> None:
        """Tell that target nothing more."""
        ...


class OutboxViews(Protocol):
    """What is still to be told."""

    def due_notifications(self, target: str, limit: int) -> Sequence[Notification]:
        """What is to be delivered to that target now, the longest due first."""
        ...

    def next_delivery(self, targets: Iterable[str]) -> datetime | None:
        """When something is due next for one of these."""
        ...
