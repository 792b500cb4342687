"""How a terminal is told: its bell, or a notification by OSC 9, whose text can do nothing to it."""

from console.plain import cut, plain
from core.notifications import Signal

BELL = "\a"
LONGEST = 200


def rung(signal: Signal, text: str) -> str:
    """What is written to a terminal for that."""
    if signal is Signal.BELL:
        return BELL
    # A ; would begin another command in terminals that know more of them than OSC 9.
    return f"\x1b]9;{cut(plain(text), LONGEST).replace(';', ',')}{BELL}"
