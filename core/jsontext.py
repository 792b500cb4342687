"""JSON and text from outside, checked before anything is stored: size, depth, encoding, control characters."""

import json
import math
import re
import unicodedata
from collections.abc import Iterable
from typing import NoReturn, TypeAlias

from core.refusals import BadInput

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"

KIB = 1024
MIB = 1024 * KIB

PARAMS_LIMIT = MIB
CHECKPOINT_LIMIT = MIB
RESULT_LIMIT = MIB
MAX_DEPTH = 64

PAIRS_LIMIT = 100
NAME_LIMIT = 200
VALUE_LIMIT = 1_000

# Longer ones cannot be turned from text to number and back.
_DIGITS_LIMIT = 4_300
_TOO_MANY_DIGITS = 10**_DIGITS_LIMIT

# A string ends at its quote or, if it never does, at the end of the text: the possessive parts keep the scan
# linear whatever is in it.
_STRINGS_AND_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)

_SHOWN = 60


class NotJson(BadInput):
    """The text is not JSON at all, as opposed to JSON that is refused."""


def loads(text: str | bytes, what: str, limit_bytes: int, max_depth: int = MAX_DEPTH) -> JsonValue:
    """The value that a JSON text holds, once it is sure that the value can be stored and read back."""
    if len(text) > limit_bytes:
        raise _too_large(len(text.encode(errors="replace") if isinstance(text, str) else text), what, limit_bytes)
    decoded = _decoded(text, what, limit_bytes)
    if not decoded.strip():
        raise NotJson(f"{what} is empty; JSON was expected")
    _check_depth(decoded, what, max_depth)

    def constant(name: str) -> NoReturn:
        raise NotJson(f"{what} holds {name}, which JSON does not know")

    def integer(digits: str) -> int:
        if len(digits.lstrip("-")) > _DIGITS_LIMIT:
            raise NotJson(f"{what} holds a number of more than {_DIGITS_LIMIT:,} digits")
        return int(digits)

    def fraction(digits: str) -> float:
        number = float(digits)
        if math.isinf(number):
            raise NotJson(f"{what} holds a number that is too large: {_shown(digits)}")
        return number

    def pairs(items: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        for key, value in items:
            if key in found:
                raise BadInput(f"{what} has the key {_shown(key)} twice")
            found[key] = value
        return found

    try:
        value: JsonValue = json.loads(
            decoded, parse_constant=constant, parse_int=integer, parse_float=fraction, object_pairs_hook=pairs
        )
    except json.JSONDecodeError as error:
        words = error.msg.removesuffix(" starting at").removesuffix(" at").rstrip(": ").lower()
        place = f"line {error.lineno}, column {error.colno}"
        raise NotJson(f"{what} is not valid JSON: {words} ({place})") from None
    # Only an escape can bring a NUL or half a surrogate pair past the decoding above.
    if "\\u" in decoded:
        _check_value(value, what, limit_bytes, max_depth)
    return value


def dumps(value: object, what: str, limit_bytes: int, max_depth: int = MAX_DEPTH) -> str:
    """The compact JSON text of a value, under the same checks as a text that comes in."""
    _check_value(value, what, limit_bytes, max_depth)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    size = len(text.encode())
    if size > limit_bytes:
        raise _too_large(size, what, limit_bytes)
    return text


def check_text(text: str, what: str, limit: int, *, allow_newlines: bool = False, allow_empty: bool = False) -> str:
    """The text itself, if it can be stored and shown: at most that many characters, and none that control."""
    if not allow_empty and not text.strip():
        raise BadInput(f"{what} is empty")
    if len(text) > limit:
        raise BadInput(f"{what} is {len(text):,} characters long; the limit is {limit:,}")
    _check_characters(text, what)
    if not text.isprintable():
        welcome = "\n\r\t" if allow_newlines else ""
        for place, character in enumerate(text, start=1):
            if unicodedata.category(character) == "Cc" and character not in welcome:
                raise BadInput(f"{what} has a control character (U+{ord(character):04X}) at character {place}")
    return text


def parse_pairs(
    items: Iterable[str], what: str, *, value_limit: int = VALUE_LIMIT, allow_newlines: bool = False
) -> dict[str, str]:
    """Names and texts from `name=value` arguments; a value may be empty, a name may come once."""
    return {
        name: check_text(value, f"{what} {_shown(name)}", value_limit, allow_newlines=allow_newlines, allow_empty=True)
        for name, value in _split_pairs(items, what)
    }


def parse_params(items: Iterable[str], what: str = "param") -> dict[str, JsonValue]:
    """Params from `name=value` arguments: a value that reads as JSON is taken as JSON, any other as text."""
    params: dict[str, JsonValue] = {}
    for name, text in _split_pairs(items, what):
        try:
            params[name] = loads(text, f"{what} {_shown(name)}", PARAMS_LIMIT)
        except NotJson:
            params[name] = text
    dumps(params, "params", PARAMS_LIMIT)
    return params


def format_bytes(size: int) -> str:
    """A number of bytes as people read it: 512 bytes, 1.5 KiB, 1 MiB."""
    if size < KIB:
        return f"{size} bytes"
    number, unit = (size / KIB, "KiB") if size < MIB else (size / MIB, "MiB")
    return f"{number:,.1f}".removesuffix(".0") + f" {unit}"


def _shown(text: str) -> str:
    """A piece of someone's text inside a sentence: quoted, escaped and cut short."""
    cut = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return json.dumps(cut, ensure_ascii=not cut.isprintable())


def _decoded(text: str | bytes, what: str, limit_bytes: int) -> str:
    if isinstance(text, bytes):
        try:
            return text.decode()
        except UnicodeDecodeError as error:
            raise BadInput(f"{what} is not valid UTF-8 (byte {error.start + 1})") from None
    _check_characters(text, what)
    size = len(text.encode())
    if size > limit_bytes:
        raise _too_large(size, what, limit_bytes)
    return text


def _check_depth(text: str, what: str, max_depth: int) -> None:
    """Refuse deep nesting before the parser, which recurses, can meet it."""
    depth = 0
    for found in _STRINGS_AND_BRACKETS.finditer(text):
        mark = found[0]
        if mark in "[{":
            depth += 1
            if depth > max_depth:
                raise _too_deep(what, max_depth)
        elif mark in "]}":
            depth -= 1


def _check_value(value: object, what: str, limit_bytes: int, max_depth: int) -> None:
    """Refuse a value that JSON, UTF-8 or the limits have no room for."""
    left = limit_bytes

    def walk(value: object, depth: int) -> None:
        nonlocal left
        # Each value takes a byte at the least, so one list that is shared many times over ends here.
        left -= 1
        if left < 0:
            raise BadInput(f"{what} is larger than {format_bytes(limit_bytes)}, the limit")
        if isinstance(value, str):
            _check_characters(value, what)
        elif isinstance(value, float):
            if not math.isfinite(value):
                raise BadInput(f"{what} holds {value}, which JSON does not know")
        elif isinstance(value, int):
            if abs(value) >= _TOO_MANY_DIGITS:
                raise BadInput(f"{what} holds a number of more than {_DIGITS_LIMIT:,} digits")
        elif isinstance(value, dict | list | tuple):
            if depth == max_depth:
                raise _too_deep(what, max_depth)
            for key in value if isinstance(value, dict) else ():
                if not isinstance(key, str):
                    raise BadInput(f"{what} has a key that is not text: {_shown(repr(key))}")
                _check_characters(key, what)
            for item in value.values() if isinstance(value, dict) else value:
                walk(item, depth + 1)
        elif value is not None:
            raise BadInput(f"{what} holds a {type(value).__name__}, which JSON does not know")

    walk(value, 0)


def _check_characters(text: str, what: str) -> None:
    """Refuse what neither UTF-8 nor the database can keep."""
    if "\0" in text:
        raise BadInput(f"{what} holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(f"{what} is not valid UTF-8 (character {error.start + 1})") from None


def _split_pairs(items: Iterable[str], what: str) -> Iterable[tuple[str, str]]:
    seen: set[str] = set()
    for item in items:
        name, equals, value = item.partition("=")
        if not equals:
            raise BadInput(f"{what} {_shown(item)} has no =; write it as name=value")
        check_text(name, f"the name of {what} {_shown(item)}", NAME_LIMIT)
        if name in seen:
            raise BadInput(f"{what} {_shown(name)} is given twice")
        seen.add(name)
        if len(seen) > PAIRS_LIMIT:
            raise BadInput(f"{what} can be given at most {PAIRS_LIMIT} times")
        yield name, value


def _too_large(size: int, what: str, limit: int) -> BadInput:
    is_size, is_limit = format_bytes(size), format_bytes(limit)
    if is_size == is_limit:
        is_size, is_limit = f"{size:,} bytes", f"{limit:,} bytes"
    return BadInput(f"{what} is {is_size}; the limit is {is_limit}")


def _too_deep(what: str, max_depth: int) -> BadInput:
    return BadInput(f"{what} is nested deeper than {max_depth} levels")
