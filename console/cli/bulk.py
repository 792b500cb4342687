"""`submit --from`: a file of jobs, one JSON object per line, stored in one transaction or not at all."""

import json
import math
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.output import aside, counted, line
from console.starts import Start, start
from console.wishes import Here
from core.config import Config
from core.jobs import NewJob
from core.jsontext import MAX_DEPTH, MIB, loads
from core.refusals import BadInput, JobdeckError, NoSuchThing
from core.when import quoted

if TYPE_CHECKING:
    from store.store import Store

LINE_LIMIT = 2 * MIB
_SHORT = 64 * 1024
_STEP = 1_000
_BAR = 30
_OF_A_COMMAND = ("cwd", "shell")
"""Options that say how a command runs, and so stand beside each line's own."""


def submit_file(desk: Desk, source: str, wanted: Mapping[str, Any], template: str | None, if_exists: str) -> None:
    """Submit every line of the file; the first bad one is named, and then nothing is stored."""
    # Read whole before the transaction begins: a slow pipe must not keep other writers waiting.
    name, lines = _lines(source)
    config = desk.config
    created, first, last, drafts, there = 0, 0, 0, 0, 0
    with desk.store() as store:
        own = {option: wanted[option] for option in _OF_A_COMMAND if option in wanted}
        shared = {option: value for option, value in wanted.items() if option not in own}
        starts = _starts(store, config, shared, template, desk.here)
        with store.write(desk.actor) as work:
            for number, new in _jobs(name, lines, starts, own):
                try:
                    done = work.submit(new, if_exists)
                except JobdeckError as error:
                    raise type(error)(f"{name}:{number}: {error}; nothing was stored") from error
                if not done.created:
                    there += 1
                    continue
                created += 1
                first = first or done.id
                last = done.id
                drafts += new.draft
    if desk.json:
        print_json({"count": created, "first_id": first or None, "last_id": last or None})
        return
    if created:
        became = "queued" if not drafts else "drafted" if drafts == created else "recorded"
        span = str(first) if created == 1 else f"{first}–{last}"
        line(f"{counted(created, 'job')} {became}: {span}")
    else:
        line("no jobs were added")
    if there:
        aside(f"{counted(there, 'job')} had a live one with the same key; nothing was added for them")


def _starts(
    store: "Store", config: Config, wanted: Mapping[str, Any], template: str | None, here: Here
) -> Callable[[str | None, str | None], Start]:
    """Where a line with that template and type starts; what it does not name is what was given for all lines."""
    with store.read() as views:
        templates = {one.name: replace(one.new_job, template_id=one.template_id) for one in views.templates()}
    made: dict[tuple[str | None, str | None], Start] = {}

    def of(name: str | None, type_name: str | None) -> Start:
        if (name, type_name) not in made:
            chosen = template if name is None else name
            if chosen is not None and chosen not in templates:
                raise NoSuchThing(f"there is no template {quoted(chosen)}; see: jobdeck template list")
            base = None if chosen is None else templates[chosen]
            begun = start(config, here, wanted.get("type") if type_name is None else type_name, base)
            made[name, type_name] = begun.with_defaults(wanted)
        return made[name, type_name]

    return of


def _jobs(
    name: str, lines: list[str], starts: Callable[[str | None, str | None], Start], own: Mapping[str, Any]
) -> Iterator[tuple[int, NewJob]]:
    """Every line's number and job."""
    bar = _Bar(len(lines))
    number = 0
    try:
        for number, text in enumerate(lines, start=1):
            if number % _STEP == 0:
                bar.show(number)
            wanted = _decoded(text)
            if wanted is None:
                continue
            template = wanted.pop("template", None)
            if template is not None and template.__class__ is not str:
                raise BadInput("template must be the name of one")
            type_name = wanted.get("type")
            begun = starts(template, type_name if type_name.__class__ is str else None)
            yield number, begun.submission({**own, **wanted} if own else wanted)
    except JobdeckError as error:
        raise type(error)(f"{name}:{number}: {error}; nothing was stored") from error
    finally:
        bar.clear()


def _decoded(text: str) -> dict[str, Any] | None:
    """The object on a line; None when the line is blank."""
    value: Any
    # The careful reader is ten times slower, so a line that can't hold anything it looks for goes past it.
    simple = len(text) < _SHORT and "\\u" not in text and text.count("[") + text.count("{") <= MAX_DEPTH
    try:
        value = _quick.decode(text) if simple else None
    except (ValueError, RecursionError):
        value = None
    if value is None:
        if not text.strip():
            return None
        value = loads(text, "the line", LINE_LIMIT)
    if value.__class__ is not dict:
        raise BadInput('a line must be an object such as {"argv": ["echo", "hello"]}')
    return value


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError("too large")
    return number


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_quick = json.JSONDecoder(object_pairs_hook=_distinct, parse_float=_finite, parse_constant=_no_constant)


def _lines(source: str) -> tuple[str, list[str]]:
    """The name of the file for sentences, and its lines."""
    name = "stdin" if source == "-" else source
    try:
        found = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except (OSError, ValueError, AttributeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{name} can't be read: {reason.lower()}") from error
    try:
        text = found.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = found.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{name}:{number}: the line is not valid UTF-8; nothing was stored") from None
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return name, lines


class _Bar:
    """How far it has come, on a terminal only."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._wanted = (
            total > _STEP and sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        )

    def show(self, done: int) -> None:
        if self._wanted:
            filled = _BAR * done // self._total
            sys.stderr.write(f"\r[{'#' * filled}{' ' * (_BAR - filled)}] {done:,} of {self._total:,}")
            sys.stderr.flush()

    def clear(self) -> None:
        if self._wanted:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
