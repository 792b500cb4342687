"""Drawing with characters: lines, thin and thick, that join where they meet, and words between them."""

import unicodedata
from collections import defaultdict
from enum import IntEnum
from functools import cache

Arms = tuple[int, int, int, int]
"""How thick the lines are that leave a cell: up, right, down, left."""

_UP, _RIGHT, _DOWN, _LEFT = range(4)
_WAYS = {
    "UP": (_UP,),
    "RIGHT": (_RIGHT,),
    "DOWN": (_DOWN,),
    "LEFT": (_LEFT,),
    "VERTICAL": (_UP, _DOWN),
    "HORIZONTAL": (_LEFT, _RIGHT),
}


class Weight(IntEnum):
    """How thick a line is."""

    THIN = 1
    THICK = 2


_WEIGHTS = {"LIGHT": Weight.THIN, "HEAVY": Weight.THICK}


class Canvas:
    """Cells by column and line; words stand above lines."""

    def __init__(self) -> None:
        self._arms: dict[tuple[int, int], list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._words: dict[tuple[int, int], str] = {}

    def across(self, y: int, first: int, last: int, weight: Weight) -> None:
        """A line from one column to another."""
        first, last = min(first, last), max(first, last)
        for x in range(first, last):
            self._thicken((x, y), _RIGHT, weight)
            self._thicken((x + 1, y), _LEFT, weight)

    def down(self, x: int, first: int, last: int, weight: Weight) -> None:
        """A line from one line of the drawing to another."""
        first, last = min(first, last), max(first, last)
        for y in range(first, last):
            self._thicken((x, y), _DOWN, weight)
            self._thicken((x, y + 1), _UP, weight)

    def write(self, x: int, y: int, text: str) -> None:
        """Words from a column on; each letter takes one cell."""
        for at, letter in enumerate(text):
            self._words[x + at, y] = letter

    def crossed(self, x: int, y: int) -> bool:
        """Whether lines leave a cell to all sides, so that nobody can tell whether they join there."""
        return all(self._arms[x, y])

    def text(self, y: int, first: int, last: int) -> str:
        """What stands in a line from one column up to another."""
        return "".join(self._cell(x, y) for x in range(first, last))

    def _thicken(self, cell: tuple[int, int], way: int, weight: Weight) -> None:
        self._arms[cell][way] = max(self._arms[cell][way], weight)

    def _cell(self, x: int, y: int) -> str:
        if (x, y) in self._words:
            return self._words[x, y]
        up, right, down, left = self._arms.get((x, y), (0, 0, 0, 0))
        return _characters().get((up, right, down, left), " ")


@cache
def _characters() -> dict[Arms, str]:
    """Every box-drawing character of thin and thick lines, by the arms that its name tells."""
    found: dict[Arms, str] = {}
    for code in range(0x2500, 0x2580):
        words = unicodedata.name(chr(code)).removeprefix("BOX DRAWINGS ").replace("-", " ").split()
        if not set(words) <= {"AND", *_WAYS, *_WEIGHTS}:
            continue
        arms = [0, 0, 0, 0]
        weight = Weight.THIN
        for group in " ".join(words).split(" AND "):
            weight = next((_WEIGHTS[word] for word in group.split() if word in _WEIGHTS), weight)
            for word in group.split():
                for way in _WAYS.get(word, ()):
                    arms[way] = weight
        found[arms[0], arms[1], arms[2], arms[3]] = chr(code)
    return found
