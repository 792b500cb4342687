"""Prometheus' text format: families of samples, each with its kind and what it means."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

Labels: TypeAlias = Mapping[str, str]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})


@dataclass(slots=True)
class Family:
    """Samples of one name."""

    name: str
    kind: str
    """gauge, counter or histogram."""
    words: str
    samples: list[tuple[str, Labels, float]] = field(default_factory=list)
    """Each with what follows the name, its labels and its value."""

    def add(self, value: float, ending: str = "", **labels: str) -> "Family":
        """One sample more."""
        self.samples.append((ending, labels, value))
        return self


def text_of(families: list[Family]) -> str:
    """The whole answer."""
    return "".join(line + "\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    if not family.samples:
        return
    yield f"# HELP {family.name} {family.words}"
    yield f"# TYPE {family.name} {family.kind}"
    for ending, labels, value in family.samples:
        inside = ",".join(f'{name}="{text.translate(_ESCAPES)}"' for name, text in labels.items())
        yield (
            f"{family.name}{ending}{{{inside}}} {_number(value)}"
            if inside
            else f"{family.name}{ending} {_number(value)}"
        )


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))
