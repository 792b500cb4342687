"""Text that others wrote, made fit for a terminal: one line, no control bytes, nothing hidden, known width."""

import unicodedata
from collections.abc import Iterator

from console.masking import masked, masked_in_place

UNKNOWN = "\N{REPLACEMENT CHARACTER}"
ELLIPSIS = "…"

MOST_MARKS = 4
"""Accents stacked on one letter beyond this run into the lines above and below it."""

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x09: " ", 0x7F: "\N{SYMBOL FOR DELETE}"}
_BLANKS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters by their category, yet nothing is seen of them."""
_EMOJI_STYLES = frozenset("\ufe0e\ufe0f")
"""They change only how the sign before them looks, which terminals disagree about."""
_SELECTORS = frozenset(
    chr(code)
    for code in (0x034F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE0E), *range(0xE0100, 0xE01F0))
)
"""Marks that nothing is seen of."""
_HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"})
_MARKS = frozenset({"Mn", "Me"})


def plain(text: str) -> str:
    """The text on one line, with every character that controls, reorders or hides made visible, and no secret."""
    text = masked(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(text))


def plain_in_place(text: str) -> str:
    """The text made plain letter by letter, so that every place in it stays the same."""
    text = masked_in_place(text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(shown or UNKNOWN for shown in _shown(text))


def _shown(text: str) -> Iterator[str]:
    """What is shown of each letter; nothing where it only changes how the one before it looks."""
    marks = 0
    for letter in text:
        category = unicodedata.category(letter)
        marks = marks + 1 if category in _MARKS else 0
        if ord(letter) in _PICTURES:
            yield _PICTURES[ord(letter)]
        elif letter in _EMOJI_STYLES:
            yield ""
        elif category in _HIDDEN_CATEGORIES or letter in _BLANKS or letter in _SELECTORS:
            yield UNKNOWN
        else:
            yield letter if marks <= MOST_MARKS else ""


def width(text: str) -> int:
    """How many columns of a terminal the text takes, once it is plain."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def cut(text: str, columns: int) -> str:
    """The text within so many columns, its end replaced by an ellipsis if it is longer."""
    if width(text) <= columns:
        return text
    if columns < 1:
        return ""
    taken, used = 0, 0
    for letter in text:
        used += _columns(letter)
        if used > columns - 1:
            break
        taken += 1
    return text[:taken] + ELLIPSIS


def padded(text: str, columns: int, *, right: bool = False) -> str:
    """The text filled up with spaces to so many columns, cut if it is longer."""
    fitting = cut(text, columns)
    fill = " " * (columns - width(fitting))
    return fill + fitting if right else fitting + fill


def _columns(letter: str) -> int:
    if unicodedata.category(letter) in _MARKS:
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
