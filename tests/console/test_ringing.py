"""What is written to a terminal to tell it something: nothing in the text can steer it."""

from console.ringing import LONGEST, rung
from core.notifications import Signal

HOSTILE = "job \x1b]0;title\x07 \x9b31m \u202eevil; 4;1\r\n"


def test_a_bell_is_a_bell_whatever_was_told() -> None:
    assert rung(Signal.BELL, HOSTILE) == "\a"


def test_a_desktop_notification_is_one_command_that_ends_where_it_should() -> None:
    written = rung(Signal.OSC9, HOSTILE * 50)
    assert written.startswith("\x1b]9;")
    assert written.endswith("\a")
    text = written[4:-1]
    assert text.isprintable()
    assert not set(text) & {"\x1b", "\a", "\x9b", "\u202e", ";"}
    assert len(text) <= LONGEST
    assert rung(Signal.OSC9, "job 4 FAILED") == "\x1b]9;job 4 FAILED\a"
