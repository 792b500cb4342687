"""Time-ordered identifiers (UUID version 7)."""

import os
import threading

_lock = threading.Lock()
_last = 0


def uuid7(unix_ms: int) -> str:
    """A UUIDv7 for that millisecond, greater than every one this process made before it."""
    global _last  # noqa: PLW0603 - the order of ids is a property of the process
    with _lock:
        # Random bits below the time; within a millisecond, or with the clock set back, count on.
        value = max((unix_ms << 74) | int.from_bytes(os.urandom(9)), _last + 1)
        _last = value
    ms, low = value >> 74, value & ((1 << 74) - 1)
    rand_a, rand_b = low >> 62, low & ((1 << 62) - 1)
    number = (ms << 80) | (7 << 76) | (rand_a << 64) | (0b10 << 62) | rand_b
    digits = f"{number:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
