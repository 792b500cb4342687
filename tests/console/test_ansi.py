"""Log lines on a terminal: colours act, nothing else does."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.ansi import coloured, uncoloured

SGR = re.compile(r"\x1b\[[0-9;:]*m")
ACTING = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[1;38;5;208mstrong\x1b[m", "strong"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b[2J\x1b[Hgone?", "gone?"),
        ("\x1bPq#0;2\x1b\\after", "after"),
        ("\x1b[?1049hscreen", "screen"),
        ("10%\r20%\r30%", "30%"),
        ("dos line\r", "dos line"),
        ("\x1b]0;never ends", ""),
        ("bell\x07", "bell␇"),
        ("\x9b31mC1", "�31mC1"),
        ("tab\there", "tab here"),
        ("over\u202ewritten", "over�written"),
    ],
)
def test_only_what_can_be_read_is_left_of_a_line(line: str, text: str) -> None:
    assert uncoloured(line) == text
    assert SGR.sub("", coloured(line)) == text


def test_colours_stay_and_end_with_the_line() -> None:
    assert coloured("\x1b[31mred") == "\x1b[31mred\x1b[0m"
    assert coloured("no colour") == "no colour"


@given(st.text())
def test_no_line_whatever_it_holds_does_anything_to_a_terminal(line: str) -> None:
    assert not ACTING.search(SGR.sub("", coloured(line)))
    assert not ACTING.search(uncoloured(line))


@given(st.lists(st.sampled_from(["\x1b", "[", "]", "m", "1", ";", "\x07", "\\", "P", "a", "\x9b", "?", " "])))
def test_no_mixture_of_broken_sequences_gets_through(parts: list[str]) -> None:
    assert not ACTING.search(SGR.sub("", coloured("".join(parts))))
