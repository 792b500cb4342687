"""The numbers that colour a log, as styles of this screen; what would hide a text or make it blink is not heeded."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rich.color import Color
from rich.style import Style

_ON = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike", 21: "underline"}
_OFF = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 29: ("strike",)}
_LONGEST = 64


@dataclass(frozen=True, slots=True)
class Pen:
    """What a log has switched on."""

    colour: Color | None = None
    background: Color | None = None
    on: frozenset[str] = frozenset()
    """Bold, dim and their like."""

    def turned(self, numbers: str) -> "Pen":
        """The pen after a sequence of numbers."""
        pen = self
        codes = _codes(numbers)
        for code in codes:
            if code == 0:
                pen = Pen()
            elif code in _ON:
                pen = replace(pen, on=pen.on | {_ON[code]})
            elif code in _OFF:
                pen = replace(pen, on=pen.on.difference(_OFF[code]))
            elif code in (38, 48):
                colour = _many_colours(codes)
                pen = replace(pen, colour=colour) if code == 38 else replace(pen, background=colour)
            elif 30 <= code <= 39 or 90 <= code <= 97:
                pen = replace(pen, colour=_few_colours(code))
            elif 40 <= code <= 49 or 100 <= code <= 107:
                pen = replace(pen, background=_few_colours(code - 10))
        return pen


@lru_cache(maxsize=512)
def style_of(pen: Pen) -> Style:
    """A pen as a style."""
    # Black on the background of most screens would not be seen.
    unseen = pen.colour == Color.from_ansi(0) and pen.background is None and "reverse" not in pen.on
    return Style(
        color=Color.from_ansi(8) if unseen else pen.colour,
        bgcolor=pen.background,
        bold="bold" in pen.on or None,
        dim="dim" in pen.on or None,
        italic="italic" in pen.on or None,
        underline="underline" in pen.on or None,
        reverse="reverse" in pen.on or None,
        strike="strike" in pen.on or None,
    )


def _codes(numbers: str) -> Iterator[int]:
    """The numbers one by one; colons part them as semicolons do, and nothing between two of them is nought."""
    # In 38:2::r:g:b the empty place names a colour space, which nobody does.
    parts = numbers.replace(":2::", ":2:").replace(":", ";").split(";")
    return iter([int(part[:4]) if part else 0 for part in parts[:_LONGEST]])


def _few_colours(code: int) -> Color | None:
    if code == 39:
        return None
    return Color.from_ansi(code - 30 if code < 90 else code - 82)


def _many_colours(codes: Iterator[int]) -> Color | None:
    """One of 256 colours, or of all of them; None for what makes no sense."""
    kind = next(codes, None)
    if kind == 5:
        number = next(codes, 0)
        return Color.from_ansi(number) if number < 256 else None
    if kind == 2:
        red, green, blue = (min(255, next(codes, 0)) for _ in range(3))
        return Color.from_rgb(red, green, blue)
    return None
