"""What something that was done came to, for whoever did it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from store.work import Work


@dataclass(frozen=True)
class Done:
    """A sentence about it, and the way back where there is one."""

    said: str
    undo: "Callable[[Work], Done] | None" = None
