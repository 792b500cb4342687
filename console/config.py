"""The config file: read, bounded, and each mistake in it told with its place."""

import os.path
import stat
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.config import Config, parse_config
from core.config_fields import joined
from core.job_types import JobType
from core.jsontext import MIB, format_bytes
from core.notifications import Program, Target, Webhook
from core.refusals import BadInput
from core.retention import Retention

SIZE_LIMIT = MIB


def load(path: Path) -> Config:
    """What the file settles; without a file, the defaults."""
    found = _read(path)
    if found is None:
        return Config()
    document = parsed(path, found)
    try:
        config = parse_config(document)
        return replace(
            config,
            types={name: _of_this_user(one) for name, one in config.types.items()},
            targets={name: _target_of_this_user(one) for name, one in config.targets.items()},
            retention=_archived_by_this_user(config.retention),
        )
    except BadInput as error:
        raise BadInput(f"{path}: {error}") from None


def _read(path: Path) -> bytes | None:
    """The bytes of the file; None when there is none."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadInput(f"{path} is not a file")
        with path.open("rb") as file:
            found = file.read(SIZE_LIMIT + 1)
    except FileNotFoundError:
        if path.is_symlink():
            raise BadInput(f"{path} is a link to nothing") from None
        return None
    except OSError as error:
        raise BadInput(f"{path} can't be read: {(error.strerror or str(error)).lower()}") from error
    if len(found) > SIZE_LIMIT:
        raise BadInput(f"{path} is larger than {format_bytes(SIZE_LIMIT)}, the limit")
    return found


def parsed(path: Path | str, found: bytes) -> dict[str, Any]:
    """The document in a file of that name."""
    # Imported here: most people have no config, and need not wait for its parser.
    import tomllib

    try:
        text = found.decode("utf-8-sig")
        return tomllib.loads(text)
    except UnicodeDecodeError as error:
        number = found.count(b"\n", 0, error.start) + 1
        raise BadInput(f"{path} is not valid UTF-8 (line {number})") from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not valid TOML: {_in_words(str(error), text)}") from None
    except ValueError:
        raise BadInput(f"{path} holds a number that is too long") from None
    except RecursionError:
        raise BadInput(f"{path} is nested too deeply") from None


def _in_words(message: str, text: str) -> str:
    """What the parser says, with the place in the words of our other sentences."""
    words, _, place = message.removesuffix(")").partition(" (at ")
    if not place.startswith("line "):
        *before, last = text.split("\n")
        place = f"line {len(before) + 1}, column {len(last) + 1}"
    return f"{words[:1].lower()}{words[1:]} ({place})"


def _of_this_user(one: JobType) -> JobType:
    """The type with every ~ made a directory."""
    own = {key: path for key in ("cwd", "python") if (path := getattr(one, key)) is not None and path[0] == "~"}
    for key, path in own.items():
        own[key] = _expanded(path, f"{joined('types', one.name)}.{key}")
    return replace(one, **own) if own else one


def _target_of_this_user(one: Target) -> Target:
    """The target with every ~ made a directory."""
    path = joined("notify", one.name)
    if isinstance(one, Webhook) and one.ca is not None:
        return replace(one, ca=_expanded(one.ca, f"{path}.ca"))
    if isinstance(one, Program):
        return replace(one, command=(_expanded(one.command[0], f"{path}.command"), *one.command[1:]))
    return one


def _expanded(path: str, key: str) -> str:
    found = os.path.expanduser(path)
    if path.startswith("~") and not found.startswith("/"):
        raise BadInput(f"{key}: there is no user for {path}")
    return found


def _archived_by_this_user(retention: Retention) -> Retention:
    """The retention with its archive's ~ made a directory."""
    archive = retention.archive
    if archive is None or archive[0] != "~":
        return retention
    place = os.path.expanduser(archive)
    if not place.startswith("/"):
        raise BadInput(f"retention.archive: there is no user for {archive}")
    return replace(retention, archive=place)
