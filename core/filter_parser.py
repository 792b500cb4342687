"""From what a person types to a filter: `status:failed tag:env=prod !key:x* age<1h "two words"`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar, get_args

from core.filters import (
    Age,
    Compare,
    Comparison,
    Filter,
    Held,
    KeyLike,
    NumberField,
    NumberIn,
    Pattern,
    StatusIn,
    Tag,
    Term,
    TypeLike,
    Word,
)
from core.jsontext import check_text
from core.positions import HIGHEST, LOWEST
from core.refusals import BadInput
from core.status import Phase, Status, parse_status
from core.when import parse_duration, quoted

LENGTH_LIMIT = 1_000
TERMS_LIMIT = 50

FIELDS = ("status", "type", "tag", "key", "priority", "age", "attempt", "held", "phase", "id")

_YES_NO = {"yes": True, "true": True, "on": True, "1": True, "no": False, "false": False, "off": False, "0": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,19}")


class _Char(NamedTuple):
    """One character of a word; an opening quote leaves an empty one, so that `""` is not nothing."""

    char: str
    in_quotes: bool


_Chars = tuple[_Char, ...]

T = TypeVar("T")


@dataclass(frozen=True)
class _Typed:
    """A word as it was typed."""

    start: int
    text: str
    chars: _Chars


def parse(text: str) -> Filter:
    """The filter that a person typed; nothing typed lets every job pass."""
    check_text(text, "the filter", LENGTH_LIMIT, allow_empty=True)
    words = _split_words(text)
    if len(words) > TERMS_LIMIT:
        raise BadInput(f"the filter has {len(words)} terms; the limit is {TERMS_LIMIT}")
    found = Filter(tuple(_term(word) for word in words))
    # What is short to type can be long in full, and a filter that is stored in full must read back.
    if len(str(found)) > LENGTH_LIMIT:
        raise BadInput(f"the filter is too long in full: {len(str(found)):,} of {LENGTH_LIMIT:,} characters")
    return found


def completions(text: str) -> list[str]:
    """What the last word of a filter could become: whole words, to be put in its place."""
    try:
        words = _split_words(text)
    except BadInput:
        return []
    last = words[-1].text if words and not text[-1].isspace() else ""
    if '"' in last:
        return []
    term = last.lstrip("!")
    bangs = last[: len(last) - len(term)]
    field, colon, values = term.partition(":")
    if not colon:
        openings = (f"{name}{'<' if name == 'age' else ':'}" for name in FIELDS)
        return [bangs + opening for opening in openings if opening.startswith(field.lower())]
    choices = {
        "status": [status.lower() for status in Status],
        "phase": [phase.value for phase in Phase],
        "held": ["yes", "no"],
    }.get(field.lower(), [])
    *chosen, begun = values.lower().split(",")
    kept = last[: len(last) - len(begun)]
    return [kept + choice for choice in choices if choice.startswith(begun) and choice not in (*chosen, begun)]


def _split_words(text: str) -> list[_Typed]:
    words: list[_Typed] = []
    chars: list[_Char] = []
    start, opened, place = 0, -1, 0

    def end_word() -> None:
        if chars:
            words.append(_Typed(start, text[start:place], tuple(chars)))
            chars.clear()

    while place < len(text):
        char = text[place]
        if opened < 0 and char.isspace():
            end_word()
            place += 1
            continue
        if not chars:
            start = place
        if char == '"':
            opened = place if opened < 0 else -1
            chars.append(_Char("", in_quotes=True))
        elif opened >= 0 and text[place : place + 2] in ('\\"', "\\\\"):
            place += 1
            chars.append(_Char(text[place], in_quotes=True))
        else:
            chars.append(_Char(char, in_quotes=opened >= 0))
        place += 1
    if opened >= 0:
        raise BadInput(f"the quote at character {opened + 1} of the filter is not closed")
    end_word()
    return words


def _term(word: _Typed) -> Term:
    chars, negated = word.chars, False
    while chars and chars[0] == _Char("!", in_quotes=False):
        chars, negated = chars[1:], not negated
    if not chars:
        raise BadInput(f'nothing follows "{word.text}" at character {word.start + 1} of the filter')
    cut = _find(chars, ":<>=")
    name = _plain(chars[:cut]).lower()
    if cut == len(chars) or (name not in FIELDS and chars[cut].char == "="):
        return Word(_pattern(chars), negated=negated)
    if name not in FIELDS:
        known = ", ".join(FIELDS[:-1])
        hint = f"use {known} or {FIELDS[-1]}, or put the word in quotes"
        raise BadInput(f"unknown field {quoted(name)} at character {word.start + 1} of the filter; {hint}")
    op, rest = chars[cut].char, chars[cut + 1 :]
    if op in "<>" and rest and rest[0] == _Char("=", in_quotes=False):
        op, rest = op + "=", rest[1:]
    if not rest:
        raise BadInput(f"{quoted(word.text)} lacks a value; write it as {_EXAMPLES[name]}")
    return _condition(name, op, rest, negated)


_EXAMPLES = {
    "status": "status:failed,cancelled",
    "type": "type:etl",
    "tag": "tag:env=prod",
    "key": "key:order-*",
    "priority": "priority>5",
    "age": "age<1h",
    "attempt": "attempt>1",
    "held": "held:yes",
    "phase": "phase:final",
    "id": "id:42",
}


def _condition(name: str, op: str, value: _Chars, negated: bool) -> Term:
    if name == "age":
        return Age(_comparison(name, op), parse_duration(_plain(value)), negated=negated)
    for number_field in get_args(NumberField):
        if name == number_field:
            if op in ":=":
                return NumberIn(number_field, frozenset(_each(name, value, _integer)), negated=negated)
            return Compare(number_field, _comparison(name, op), _integer(value), negated=negated)
    if op not in ":=":
        raise BadInput(f"{name} has no order, so {op} cannot be used; write it as {_EXAMPLES[name]}")
    match name:
        case "status":
            return StatusIn(frozenset(_each(name, value, _status)), negated=negated)
        case "phase":
            phases = _each(name, value, _phase)
            return StatusIn(frozenset(status for status in Status if status.phase in phases), negated=negated)
        case "type":
            return TypeLike(tuple(_each(name, value, _pattern)), negated=negated)
        case "key":
            return KeyLike(tuple(_each(name, value, _pattern)), negated=negated)
        case "held":
            return Held(_yes_or_no(value), negated=negated)
        case _:
            return _tag(value, negated)


def _tag(value: _Chars, negated: bool) -> Tag:
    cut = _find(value, "=")
    tag_name = _plain(value[:cut])
    if not tag_name or _find(value[:cut], ",*") < cut:
        raise BadInput(f"a tag has one plain name; write it as {_EXAMPLES['tag']}, or put the name in quotes")
    if cut == len(value):
        return Tag(tag_name, negated=negated)
    return Tag(tag_name, tuple(_each("tag", value[cut + 1 :], _pattern)), negated=negated)


def _each(name: str, value: _Chars, read: Callable[[_Chars], T]) -> list[T]:
    choices = _split(value, ",")
    if not all(choices):
        raise BadInput(f"a choice of {name} is empty; write it as {_EXAMPLES[name]}")
    return [read(choice) for choice in choices]


def _status(chars: _Chars) -> Status:
    return parse_status(_plain(chars))


def _phase(chars: _Chars) -> Phase:
    try:
        return Phase(_plain(chars).lower())
    except ValueError:
        known = ", ".join(Phase)
        raise BadInput(f"{quoted(_plain(chars))} is not a phase; use one of {known}") from None


def _yes_or_no(chars: _Chars) -> bool:
    text = _plain(chars).lower()
    if text not in _YES_NO:
        raise BadInput(f"{quoted(text)} is neither yes nor no; write it as {_EXAMPLES['held']}")
    return _YES_NO[text]


def _integer(chars: _Chars) -> int:
    text = _plain(chars)
    if not _INTEGER.fullmatch(text) or not LOWEST <= int(text) <= HIGHEST:
        raise BadInput(f"{quoted(text)} is not a whole number within 64 bits")
    return int(text)


def _comparison(name: str, op: str) -> Comparison:
    for comparison in get_args(Comparison):
        if op == comparison:
            return comparison  # type: ignore[no-any-return]
    raise BadInput(f"{name} needs <, <=, > or >=; write it as {_EXAMPLES[name]}")


def _pattern(chars: _Chars) -> Pattern:
    first, *others = [_plain(piece) for piece in _split(chars, "*")]
    if not others:
        return Pattern((first,))
    *middle, last = others
    return Pattern((first, *filter(None, middle), last))


def _find(chars: _Chars, wanted: str) -> int:
    """Where the first of the wanted characters stands outside quotes; the length when none does."""
    hits = (place for place, (char, in_quotes) in enumerate(chars) if not in_quotes and char in wanted)
    return next(hits, len(chars))


def _split(chars: _Chars, separator: str) -> list[_Chars]:
    """The parts between the separators that stand outside quotes."""
    parts: list[_Chars] = []
    while (cut := _find(chars, separator)) < len(chars):
        parts.append(chars[:cut])
        chars = chars[cut + 1 :]
    return [*parts, chars]


def _plain(chars: _Chars) -> str:
    return "".join(char for char, _ in chars)
