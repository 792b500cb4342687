"""A set-up file read: every template and schedule in it checked before anything is changed."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from console.config import parsed
from console.setup.documents import NOWHERE, SetUp, schedule_document, template_document
from console.starts import start
from console.wishes import Here
from core.config import Config
from core.config_fields import a_flag, a_text, at, items_of, joined, read_table, some_params
from core.cron import Cron
from core.jobs import NewJob, NewSchedule
from core.jsontext import NAME_LIMIT, PARAMS_LIMIT, check_text, loads
from core.refusals import BadInput
from core.schedules import CatchUp, Overlap
from core.when import parse_zone

SIZE_LIMIT = 16 * 1024 * 1024
_OF_THE_CONFIG = {one.name for one in fields(Config)} | {"concurrency", "console", "notify"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a file says."""

    templates: Mapping[str, NewJob]
    schedules: Mapping[str, NewSchedule]
    documents: SetUp
    """The same, in the words in which it is compared."""


def read_set_up(name: str, found: bytes, directory: Path, config: Config, config_path: Path) -> Wanted:
    """What the file of that name wants; a mistake in it is told with its place."""
    document = parsed(name, found)
    try:
        _nothing_of_the_config(document, config_path)
        here = Here(NOWHERE.now, NOWHERE.zone, cwd=str(directory), runs_in=None)
        readers = {
            "templates": lambda path, value: {
                key: _template(joined(path, key), key, item, config, here) for key, item in items_of(path, value)
            },
            "schedules": lambda path, value: {
                key: _schedule(joined(path, key), key, item) for key, item in items_of(path, value)
            },
        }
        said = read_table("", document, readers)
    except BadInput as error:
        raise BadInput(f"{name}: {error}; nothing was changed") from None
    templates, schedules = said.get("templates", {}), said.get("schedules", {})
    documents = SetUp(
        {key: template_document(one, config) for key, one in templates.items()},
        {key: schedule_document(one) for key, one in schedules.items()},
    )
    return Wanted(templates, schedules, documents)


def _nothing_of_the_config(document: Mapping[str, object], config_path: Path) -> None:
    for key in document:
        if key in _OF_THE_CONFIG:
            raise BadInput(
                f"{key}: that belongs to the config, which is a file already ({config_path}); "
                "a set-up file has templates and schedules"
            )


def _template(path: str, name: str, value: object, config: Config, here: Here) -> NewJob:
    wanted: dict[str, Any] = dict(items_of(path, value))
    with at(path):
        check_text(name, "the name of a template", NAME_LIMIT)
        if "template" in wanted:
            raise BadInput("a template does not start from another; write out what it has")
    if "params" in wanted:
        wanted["params"] = _params(joined(path, "params"), wanted["params"])
    kind = wanted.get("type")
    with at(path):
        return start(config, here, kind if isinstance(kind, str) else None).template(wanted)


def _schedule(path: str, name: str, value: object) -> NewSchedule:
    with at(path):
        check_text(name, "the name of a schedule", NAME_LIMIT)
    said = read_table(path, value, _SCHEDULE)
    for key in ("template", "cron"):
        if key not in said:
            raise BadInput(f"{path}: it needs {key}")
    with at(joined(path, "timezone")):
        zone = parse_zone(said.get("timezone", "UTC"))
    with at(joined(path, "cron")):
        Cron.parse(said["cron"], zone)
    return NewSchedule(name, cron_expression=said.pop("cron"), param_overrides=said.pop("params", {}), **said)


def _params(path: str, value: object) -> Any:
    """A table, or the text of a JSON object for what TOML has no word for."""
    if isinstance(value, str):
        with at(path):
            found = loads(value, "the text", PARAMS_LIMIT)
            if not isinstance(found, dict):
                raise BadInput("the text must be a JSON object")
            return found
    return some_params(path, value)


def _one_of(kind: type[CatchUp] | type[Overlap]) -> Any:
    def read(path: str, value: object) -> str:
        text = a_text(path, value)
        if text not in {str(one) for one in kind}:
            raise BadInput(f"{path}: use {', '.join(kind)}")
        return text

    return read


_SCHEDULE = {
    "template": a_text,
    "cron": a_text,
    "timezone": a_text,
    "enabled": a_flag,
    "catch_up": _one_of(CatchUp),
    "overlap": _one_of(Overlap),
    "pause_on_failure": a_flag,
    "params": _params,
}
