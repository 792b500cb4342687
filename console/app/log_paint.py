"""Rows of a log as lines of the screen: coloured as they are, cut or folded to its width, hits made visible."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from console.ansi import pieces
from console.app.sgr import Pen, style_of
from console.log_pages import Row
from console.log_search import Needle
from console.plain import width

Span = tuple[str, Style]

MORE_RIGHT, MORE_LEFT = "→", "←"
GOES_ON = "↪"
"""Stands before a row that is not the beginning of its line."""


def spans_of(row: Row) -> list[Span]:
    """The text of a row with its colours; nothing in it acts on a terminal any more."""
    text = row.text.lstrip(b"\0")
    if row.text and not text:
        return [(f"({len(row.text):,} empty bytes)", Style(dim=True, italic=True))]
    spans: list[Span] = [] if row.begins else [(GOES_ON, Style(dim=True))]
    pen = Pen()
    for piece in pieces(text.decode("utf-8", "replace")):
        if piece.style is not None:
            pen = pen.turned(piece.style)
        elif piece.text:
            spans.append((piece.text, style_of(pen)))
    return spans


def highlighted(spans: Sequence[Span], needle: Needle | None, hit: Style) -> list[Span]:
    """The same, with each hit in a style of its own."""
    shown = "".join(text for text, _ in spans)
    hits = [] if needle is None else list(needle.hits(shown))
    if not hits:
        return list(spans)
    painted: list[Span] = []
    place = 0
    edges = [edge for pair in hits for edge in pair]
    for text, style in spans:
        end = place + len(text)
        among = slice(bisect_right(edges, place), bisect_left(edges, end))
        for first, last in pairwise((place, *edges[among], end)):
            # Between a hit's beginning and its end an odd number of edges has gone by.
            inside = bisect_right(edges, first) % 2
            if first < last:
                painted.append((shown[first:last], style + hit if inside else style))
        place = end
    return painted


def wide(spans: Iterable[Span]) -> int:
    """How many columns it takes."""
    return sum(width(text) for text, _ in spans)


def folded(spans: Sequence[Span], columns: int) -> list[list[Span]]:
    """The text in lines of so many columns; an empty text is one line."""
    lines: list[list[Span]] = [[]]
    used = 0
    for text, style in spans:
        rest = text
        while rest:
            taken, long = _fitting(rest, columns - used)
            if not taken and not used:
                taken, long = 1, columns
            if taken:
                lines[-1].append((rest[:taken], style))
                used += long
                rest = rest[taken:]
            if rest:
                lines.append([])
                used = 0
    return lines


def cut_out(spans: Sequence[Span], left: int, columns: int) -> list[Span]:
    """What is seen of a text from a column on: arrows say where more of it is."""
    before, inside = _parted(spans, left) if left else ([], list(spans))
    if left and before:
        inside = [(MORE_LEFT, Style(dim=True)), *_parted(inside, 1)[1]]
    if wide(inside) > columns:
        kept, _ = _parted(inside, columns - 1)
        return [*kept, (" " * (columns - 1 - wide(kept)) + MORE_RIGHT, Style(dim=True))]
    return inside


def strip_of(spans: Iterable[Span], base: Style, columns: int) -> Strip:
    """A line of the screen, filled up to its end."""
    segments = [Segment(text, base + style) for text, style in spans]
    return Strip(segments, sum(width(segment.text) for segment in segments)).adjust_cell_length(columns, base)


def _parted(spans: Sequence[Span], column: int) -> tuple[list[Span], list[Span]]:
    """What stands before a column, and what behind; a wide letter across it goes behind, with a gap before it."""
    before: list[Span] = []
    behind: list[Span] = []
    left = column
    for text, style in spans:
        if left <= 0:
            behind.append((text, style))
            continue
        taken, long = _fitting(text, left)
        if taken:
            before.append((text[:taken], style))
        if taken < len(text):
            behind.append((text[taken:], style))
            left = 0
        else:
            left -= long
    return before, behind


def _fitting(text: str, columns: int) -> tuple[int, int]:
    """How many letters fit into so many columns, and how many columns these take."""
    if text.isascii():
        taken = max(0, min(len(text), columns))
        return taken, taken
    used = taken = 0
    for letter in text:
        long = width(letter)
        if used + long > columns:
            break
        used += long
        taken += 1
    return taken, used
