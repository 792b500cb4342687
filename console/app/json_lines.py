"""JSON as lines that fold: what is unfolded is walked, what is not costs nothing, and long lists come in groups."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Step = str | int | tuple[int, int]
"""A key, an index, or a group of items from one place up to another."""
Path = tuple[Step, ...]

GROUP = 100
"""A container with more items than this shows them in groups of so many."""
SMALL = 12
"""A container with more items than this is folded at first."""
DEEP = 3
"""So is whatever lies deeper than this."""
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class JsonLine:
    """One line: a value, or a container that may be folded."""

    path: Path
    name: str
    value: Any
    folds: bool
    folded: bool = False

    @property
    def depth(self) -> int:
        """How far it is indented."""
        return len(self.path) - 1

    @property
    def shown(self) -> str:
        """The value in a few words; a text that is long is cut."""
        value = self.value
        if isinstance(value, Mapping):
            return f"{{{_counted(len(value), 'key')}}}" if value else "{}"
        if isinstance(value, list | tuple):
            return f"[{_counted(len(value), 'item')}]" if value else "[]"
        if isinstance(value, str):
            cut = value[:_SHOWN]
            return json.dumps(cut, ensure_ascii=False) + (f" … {len(value):,} letters" if len(value) > _SHOWN else "")
        return json.dumps(value)[:_SHOWN]

    @property
    def text(self) -> str:
        """The whole value, as one would paste it: a text as it is, all else as JSON."""
        return self.value if isinstance(self.value, str) else json.dumps(self.value, ensure_ascii=False, indent=2)


class JsonTree:
    """Values by their names, with what was folded or unfolded by hand; that outlives a change of the values."""

    def __init__(self) -> None:
        self.values: Mapping[str, Any] = {}
        self._turned: set[Path] = set()

    def turn(self, path: Path) -> None:
        """Fold what is unfolded, and the other way round."""
        self._turned ^= {path}

    def lines(self) -> list[JsonLine]:
        """Every line that is not folded away."""
        return [line for name, value in self.values.items() for line in self._walk((name,), name, value)]

    def _walk(self, path: Path, name: str, value: Any) -> Iterator[JsonLine]:
        items = _items(value)
        folded = bool(items) and self._folded(path, len(items))
        yield JsonLine(path, name, value, bool(items), folded)
        if folded:
            return
        if len(items) > GROUP:
            yield from self._groups(path, value, items)
            return
        for step, one in items:
            yield from self._walk((*path, step), str(step), one)

    def _groups(self, path: Path, value: Any, items: Sequence[tuple[Step, Any]]) -> Iterator[JsonLine]:
        """The items of a long container, in groups that are folded at first; groups of groups where it is very long."""
        size = GROUP
        while len(items) > size * GROUP:
            size *= GROUP
        for start in range(0, len(items), size):
            part = items[start : start + size]
            group = (*path, (start, start + len(part)))
            inside = dict(part) if isinstance(value, Mapping) else [one for _, one in part]
            folded = group not in self._turned
            first, last = part[0][0], part[-1][0]
            yield JsonLine(group, f"{first} … {last}", inside, folds=True, folded=folded)
            if folded:
                continue
            if len(part) > GROUP:
                yield from self._groups(group, value, part)
                continue
            for step, one in part:
                yield from self._walk((*group, step), str(step), one)

    def _folded(self, path: Path, items: int) -> bool:
        at_first = len(path) > DEEP or (items > SMALL and len(path) > 1)
        return at_first != (path in self._turned)


def _items(value: Any) -> Sequence[tuple[Step, Any]]:
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value)) if isinstance(value, list | tuple) else ()


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
