"""What may be written in a config, value by value: each reader refuses in a sentence that names the key."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, TypeAlias

from core.bounds import GATE_TEXT_LIMIT, PATH_LIMIT
from core.job_types import ARGUMENT_LIMIT, Kind, check_target, parts_of
from core.jobs import Gate, Json
from core.jsontext import NAME_LIMIT, PARAMS_LIMIT, check_text, dumps
from core.refusals import BadInput
from core.retry import RetryPolicy, parse_backoff
from core.secrets import kept_environment
from core.when import parse_duration, quoted

Reader: TypeAlias = Callable[[str, object], Any]
"""Makes a value of what is written under a key."""

_BARE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MOST = 10**18
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,18})?) ?((?:[kmgt]i?)?b)?")
_SIZE_UNITS: dict[str, int] = {"b": 1} | {
    f"{letter}{mark}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for mark, base in (("b", 1000), ("ib", 1024))
}
_CONTROLS = dict.fromkeys([*range(1, 32), *range(127, 160)], " ")
"""A variable's value may hold control characters; NUL is none of these."""


@contextmanager
def at(path: str) -> Iterator[None]:
    """Name the key in whatever is refused inside."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def joined(path: str, key: str) -> str:
    """A key with the tables it stands in, as TOML would write it."""
    shown = key if _BARE.fullmatch(key) else quoted(key)
    return f"{path}.{shown}" if path else shown


def read_table(path: str, value: object, readers: Mapping[str, Reader]) -> dict[str, Any]:
    """What a table says, key by key; a key without a reader is refused with the one that was probably meant."""
    found = {}
    for key, item in items_of(path, value):
        read = readers.get(key)
        if read is None:
            close = get_close_matches(key[:64].replace("-", "_").lower(), readers, n=1)
            hint = f"did you mean {close[0]}?" if close else f"use {', '.join(sorted(readers))}"
            raise BadInput(f"{joined(path, key)}: there is no such key; {hint}")
        found[key] = read(joined(path, key), item)
    return found


def items_of(path: str, value: object) -> Iterator[tuple[str, object]]:
    """The keys and values of a table."""
    if not isinstance(value, Mapping):
        raise _wrong(path, "a table", value)
    yield from value.items()


def a_text(path: str, value: object) -> str:
    """Any text, still to be checked."""
    if not isinstance(value, str):
        raise _wrong(path, "text", value)
    return value


def short_text(limit: int) -> Reader:
    """One line that can be stored and shown, or nothing."""

    def read(path: str, value: object) -> str:
        text = a_text(path, value)
        with at(path):
            return check_text(text, "the text", limit, allow_empty=True)

    return read


def a_flag(path: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise _wrong(path, "true or false", value)
    return value


def a_number(path: str, value: object) -> int:
    """A whole number that a sentence can repeat."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise _wrong(path, "a whole number", value)
    if abs(value) >= _MOST:
        raise BadInput(f"{path}: the number is out of range")
    return value


def a_limit(most: int) -> Reader:
    """How many of something may be there at once."""

    def read(path: str, value: object) -> int:
        number = a_number(path, value)
        if not 0 <= number <= most:
            raise BadInput(f"{path}: {number} is out of bounds; use 0 to {most:,}")
        return number

    return read


def a_duration(path: str, value: object) -> timedelta:
    """A length of time, as people write it or as a number of seconds."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(a_number(path, value) if isinstance(value, int) else value)
    if not isinstance(value, str):
        raise _wrong(path, 'a duration such as "10m"', value)
    with at(path):
        return parse_duration(value)


def a_span(path: str, value: object) -> timedelta:
    """A length of time in which something can happen."""
    span = a_duration(path, value)
    if not span:
        raise BadInput(f"{path}: it must be longer than 0s")
    return span


def a_size(path: str, value: object) -> int:
    """A number of bytes, as people write it or as a number."""
    if isinstance(value, int):
        return a_number(path, value)
    if not isinstance(value, str):
        raise _wrong(path, 'a size such as "64MiB"', value)
    found = _SIZE.fullmatch(value.strip().lower())
    if found is None:
        raise BadInput(f"{path}: {quoted(value)} is not a size; try 64MiB, 100MB or a number of bytes")
    return round(Fraction(found[1]) * _SIZE_UNITS[found[2] or "b"])


def a_kind(path: str, value: object) -> Kind:
    """How the jobs of a type are run."""
    text = a_text(path, value)
    try:
        return Kind(text)
    except ValueError:
        raise BadInput(f"{path}: {quoted(text)} is not a kind; use {', '.join(Kind)}") from None


def a_command(path: str, value: object) -> tuple[str, ...]:
    """The command of a type, element by element."""
    if not isinstance(value, list | tuple):
        raise _wrong(path, 'a list of texts such as ["./load.sh", "{day}"]', value)
    for element in value:
        if not isinstance(element, str):
            raise BadInput(f"{path}: must hold nothing but texts, and it holds {_kind(element)}")
        with at(path):
            parts_of(element)
    if not value or not value[0].strip():
        raise BadInput(f"{path}: the command is empty; its first word is the program to run")
    return tuple(value)


def a_function(path: str, value: object) -> str:
    """A python function."""
    text = a_text(path, value)
    with at(path):
        return check_target(text)


def a_path(path: str, value: object) -> str:
    """A file or directory that is the same wherever one stands."""
    text = a_text(path, value)
    with at(path):
        check_text(text, "the path", PATH_LIMIT)
    if not text.startswith(("/", "~")):
        raise BadInput(f"{path}: {quoted(text)} depends on where one stands; write it from / or ~ on")
    return text


def an_interpreter(path: str, value: object) -> str:
    """A python, by its path or by a name that the system finds."""
    if isinstance(value, str) and value and "/" not in value and "~" not in value:
        with at(path):
            return check_text(value, "the interpreter", PATH_LIMIT)
    return a_path(path, value)


def an_environment(path: str, value: object) -> dict[str, str]:
    """Variables and their texts."""
    found = {}
    for name, item in items_of(path, value):
        key = joined(path, name)
        found[name] = a_text(key, item)
        with at(key):
            check_text(name, "the name", NAME_LIMIT)
            if "=" in name:
                raise BadInput("the name of a variable has no =")
            check_text(found[name].translate(_CONTROLS), "the variable", ARGUMENT_LIMIT, allow_empty=True)
    with at(path):
        # A file is read when a job starts, so that a ~ is that of whoever runs the engine.
        kept_environment(found, None)
    return found


def some_params(path: str, value: object) -> dict[str, Json]:
    """Params that JSON can hold."""
    found = dict(items_of(path, value))
    for name, item in found.items():
        key = joined(path, name)
        if isinstance(item, date | time):
            raise BadInput(f"{key}: a param can't be {_kind(item)}; put it in quotes")
        with at(key):
            dumps(item, "the param", PARAMS_LIMIT)
    with at(path):
        dumps(found, "the table", PARAMS_LIMIT)
    return found


def some_texts(path: str, value: object) -> tuple[str, ...]:
    """A list of short texts."""
    if not isinstance(value, list | tuple):
        raise _wrong(path, "a list of texts", value)
    read = short_text(PATH_LIMIT)
    return tuple(read(path, item) for item in value)


def exit_codes(path: str, value: object) -> frozenset[int]:
    """Exit codes, still to be checked."""
    if not isinstance(value, list | tuple):
        raise _wrong(path, "a list of exit codes such as [2, 65]", value)
    return frozenset(a_number(path, item) for item in value)


def retries(path: str, value: object) -> int:
    """How often a job is tried again."""
    number = a_number(path, value)
    with at(path):
        return RetryPolicy(max_retries=number).max_retries


def a_backoff(path: str, value: object) -> str:
    """A backoff in its one written form."""
    text = a_text(path, value)
    with at(path):
        return str(parse_backoff(text))


def an_approval(path: str, value: object) -> Gate:
    """What is asked before the run: the words alone, or a table."""
    if not isinstance(value, str | Mapping):
        raise _wrong(path, 'text or a table such as { message = "Go?" }', value)
    said = read_table(path, {"message": value} if isinstance(value, str) else value, _APPROVAL)
    if "message" not in said:
        raise BadInput(f"{path}: it has no message; say what is to be approved")
    with at(path):
        check_text(said["message"], "the message", GATE_TEXT_LIMIT, allow_newlines=True)
    return Gate(said["message"], said.get("four_eyes", False), said.get("expires"))


_APPROVAL: dict[str, Reader] = {"message": a_text, "four_eyes": a_flag, "expires": a_span}


def _wrong(path: str, wanted: str, value: object) -> BadInput:
    return BadInput(f"{path}: must be {wanted}, not {_kind(value)}")


def _kind(value: object) -> str:
    """What a value is, as people say it."""
    kinds: tuple[tuple[type | tuple[type, ...], str], ...] = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a fraction"),
        (str, "text"),
        ((list, tuple), "a list"),
        (Mapping, "a table"),
        (datetime, "a date and time"),
        (date, "a date"),
        (time, "a time"),
    )
    return next((words for kind, words in kinds if isinstance(value, kind)), "that")
