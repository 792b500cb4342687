"""How much work a call takes, counted in function calls: the same on a slow machine as on a fast one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

MOST_CALLS = 200_000


@contextmanager
def at_once(most: int = MOST_CALLS) -> Iterator[None]:
    """The block does a bounded amount of work."""
    calls = 0

    def count(_frame: FrameType, event: str, _arg: object) -> None:
        nonlocal calls
        calls += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield
    finally:
        sys.setprofile(before)
    assert calls <= most
