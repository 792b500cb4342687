"""Rows of a log as lines of the screen: colours, hits, cuts and folds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.style import Style

from console.app.log_paint import Span, cut_out, folded, highlighted, spans_of, wide
from console.app.sgr import Pen, style_of
from console.log_pages import Row
from console.log_search import Needle
from console.plain import width

HIT = Style(reverse=True)
SPANS = st.lists(st.tuples(st.text("ab漢é\u0301", min_size=1, max_size=9), st.just(Style.null())), max_size=6)


def row(text: bytes, *, begins: bool = True) -> Row:
    return Row(0, len(text) + 1, text, begins)


def text_of(spans: list[Span]) -> str:
    return "".join(text for text, _ in spans)


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("31", Style(color=Color.from_ansi(1))),
        ("1;4;32", Style(color=Color.from_ansi(2), bold=True, underline=True)),
        ("91", Style(color=Color.from_ansi(9))),
        ("104", Style(bgcolor=Color.from_ansi(12))),
        ("38;5;200", Style(color=Color.from_ansi(200))),
        ("48;5;7", Style(bgcolor=Color.from_ansi(7))),
        ("38;2;1;2;3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:2::1:2:3", Style(color=Color.from_rgb(1, 2, 3))),
        ("38:5:9", Style(color=Color.from_ansi(9))),
        ("1;31;0", Style()),
        ("1;22", Style()),
        ("31;39", Style()),
        ("", Style()),
        ("8", Style()),
        ("5", Style()),
        ("38;5;999", Style()),
        ("38", Style()),
        ("999;;;31", Style(color=Color.from_ansi(1))),
        ("30", Style(color=Color.from_ansi(8))),
        ("30;47", Style(color=Color.from_ansi(0), bgcolor=Color.from_ansi(7))),
    ],
)
def test_numbers_become_styles(numbers: str, expected: Style) -> None:
    assert style_of(Pen().turned(numbers)) == expected


@given(st.text("0123456789;:", max_size=100))
def test_any_numbers_are_taken(numbers: str) -> None:
    style = style_of(Pen().turned(numbers))
    assert not style.conceal
    assert not style.blink


def test_a_colour_lasts_until_the_end_of_its_line() -> None:
    spans = spans_of(row(b"a\x1b[31mb\x1b[1mc\x1b[0md"))
    assert [(text, style.color is not None, bool(style.bold)) for text, style in spans] == [
        ("a", False, False),
        ("b", True, False),
        ("c", True, True),
        ("d", False, False),
    ]


def test_a_part_of_a_line_and_empty_space_are_told_apart_from_text() -> None:
    assert text_of(spans_of(row(b"rest", begins=False))) == "↪rest"
    assert text_of(spans_of(row(b"\0" * 8_192))) == "(8,192 empty bytes)"
    assert text_of(spans_of(row(b"\0\0text\0"))) == "text␀"


@given(SPANS, st.text("ab漢é", min_size=1, max_size=2))
def test_hits_stand_out_and_nothing_is_lost(spans: list[Span], wanted: str) -> None:
    needle = Needle.typed(wanted)
    painted = highlighted(spans, needle, HIT)
    assert text_of(painted) == text_of(spans)
    place = 0
    marked: set[int] = set()
    for text, style in painted:
        if style.reverse:
            marked.update(range(place, place + len(text)))
        place += len(text)
    assert marked == {at for first, last in needle.hits(text_of(spans)) for at in range(first, last)}


def test_a_thousand_hits_in_a_row_cost_no_more_than_they_should() -> None:
    spans = [("a" * 10, Style.null())] * 1_600
    assert len(highlighted(spans, Needle.typed("a"), HIT)) == 16_000


@given(SPANS, st.integers(1, 12))
def test_folded_lines_are_the_text_in_lines_that_fit(spans: list[Span], columns: int) -> None:
    lines = folded(spans, columns)
    assert "".join(map(text_of, lines)) == text_of(spans)
    assert all(wide(line) <= max(columns, 2) for line in lines)
    assert all(lines[:-1])


@given(SPANS, st.integers(0, 20), st.integers(3, 20))
def test_a_cut_fits_and_says_where_there_is_more(spans: list[Span], left: int, columns: int) -> None:
    shown = cut_out(spans, left, columns)
    assert wide(shown) <= columns
    text = text_of(shown)
    if left == 0 and wide(spans) <= columns:
        assert text == text_of(spans)
    if wide(spans) > left + columns + 1:
        assert text.endswith("→")
    if left and text_of(spans) and width(text_of(spans)[0]) <= left:
        assert text.startswith("←")
