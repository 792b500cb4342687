"""What people type into options and fields: whole numbers, command lines, and names with values line by line."""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from core.jobs import Json
from core.jsontext import NAME_LIMIT, PAIRS_LIMIT, PARAMS_LIMIT, NotJson, loads, parse_pairs, parse_params
from core.refusals import BadInput
from core.when import quoted

_MOST_DIGITS = 18
_PROBLEMS = {
    "No closing quotation": "a quote is opened and never closed",
    "No escaped character": "it ends with a backslash, which would quote what follows",
}


def whole_number(text: str, name: str) -> int:
    """A whole number as people type it; longer than the store could keep is refused here."""
    digits = text.strip().removeprefix("-").removeprefix("+").replace("_", "")
    if not (digits.isascii() and digits.isdigit()):
        raise BadInput(f"{name} is {quoted(text)}, which is not a whole number")
    if len(digits) > _MOST_DIGITS:
        raise BadInput(f"{name} is {quoted(text)}, which is out of range")
    return -int(digits) if text.strip().startswith("-") else int(digits)


def command_line(text: str) -> tuple[str, ...]:
    """The arguments that a shell would make of a line; quotes and backslashes count, nothing else does."""
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise BadInput(f"the command is not complete: {_PROBLEMS.get(str(error), str(error).lower())}") from None


def as_command_line(argv: Iterable[str]) -> str:
    """The line that means these arguments."""
    return shlex.join(argv)


def params_of(text: str) -> dict[str, Json]:
    """Params from lines of `name=value`; a line that is a JSON object brings all that it holds."""
    return _gathered(text, "param", parse_params)


def tags_of(text: str) -> dict[str, str]:
    """Tags from lines, as with params."""
    found = _gathered(text, "tag", lambda items: parse_pairs(items, "tag"))
    for name, value in found.items():
        if not isinstance(value, str):
            raise BadInput(f"tag {quoted(name)} must be text; write it in double quotes")
    return found


def params_text(params: Mapping[str, Json]) -> str:
    """The lines that mean these params, with nothing in them that controls or hides."""
    return _lines(params, _param_value)


def tags_text(tags: Mapping[str, str]) -> str:
    """The lines that mean these tags."""
    return _lines(tags, lambda value: value if _simple(value) else None)


def _gathered(text: str, what: str, parse: Callable[[list[str]], Mapping[str, Any]]) -> dict[str, Any]:
    pairs: list[str] = []
    objects: dict[str, Any] = {}
    for line in filter(None, map(str.strip, text.split("\n"))):
        if not line.startswith("{"):
            pairs.append(line)
            continue
        found = loads(line, f"the line {quoted(line)}", PARAMS_LIMIT)
        if not isinstance(found, dict):
            raise BadInput(f"the line {quoted(line)} is not an object")
        _check_twice(objects, found, what)
        objects |= found
    named = dict(parse(pairs))
    _check_twice(named, objects, what)
    return named | objects


def _check_twice(some: Mapping[str, Any], more: Mapping[str, Any], what: str) -> None:
    for name in some.keys() & more.keys():
        raise BadInput(f"{what} {quoted(name)} is given twice")


def _lines(values: Mapping[str, Any], written: Callable[[Any], str | None]) -> str:
    """`name=value` where that can be read back, and one object for all that can't."""
    lines: list[str] = []
    others: dict[str, Any] = {}
    for name, value in values.items():
        text = written(value) if _is_a_name(name) and len(lines) < PAIRS_LIMIT else None
        if text is None:
            others[name] = value
        else:
            lines.append(f"{name}={text}")
    return "\n".join([*lines, *([_as_json(others)] if others else [])])


def _param_value(value: Json) -> str:
    if isinstance(value, str) and _simple(value):
        try:
            loads(value, "", PARAMS_LIMIT)
        except NotJson:
            return value
        except BadInput:
            pass
    return _as_json(value)


def _is_a_name(text: str) -> bool:
    """Whether a name can stand before a `=`."""
    return bool(text) and _simple(text) and "=" not in text and text[0] != "{" and len(text) <= NAME_LIMIT


def _simple(text: str) -> bool:
    """Whether a text stays what it is on a line of its own."""
    return text.isprintable() and text == text.strip()


def _as_json(value: Json) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    return text if text.isprintable() else json.dumps(value, separators=(", ", ": "))
