"""The config that holds while an engine runs: read again when its file changes, kept when that can't be used."""

import os
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

from console.config import load
from core.config import Config
from core.refusals import BadInput

Tell = Callable[[str, str], None]
"""Takes the kind of what is told, and the words."""
_Signature = tuple[int, int, int] | None

ONLY_AT_A_START = ("lease", "theme", "keys")
"""What an engine or a console keeps until it is started anew."""


class Standing:
    """One file's config, as last read."""

    def __init__(self, path: Path, config: Config, tell: Tell) -> None:
        self._path = path
        self._tell = tell
        self._seen = _signature(path)
        self.config = config

    def reread(self) -> Config | None:
        """The config, if its file has changed since and can be used; what is wrong with it is told once."""
        now = _signature(self._path)
        if now == self._seen:
            return None
        self._seen = now
        try:
            config = load(self._path)
        except BadInput as error:
            self._tell("trouble", f"the config was changed, but can't be used, so the one before holds: {error}")
            return None
        differences = list(_differences(self.config, config))
        if not differences:
            return None
        self.config = config
        self._tell("config", f"the config was read again: {'; '.join(differences)}")
        return config


def _signature(path: Path) -> _Signature:
    """What differs once a file was written or replaced; None while there is none."""
    try:
        facts = os.stat(path)
    except OSError:
        return None
    return facts.st_mtime_ns, facts.st_size, facts.st_ino


def _differences(old: Config, new: Config) -> Iterator[str]:
    for name in (one.name for one in fields(Config)):
        before, after = getattr(old, name), getattr(new, name)
        if before == after:
            continue
        later = " (from the next start on)" if name in ONLY_AT_A_START else ""
        if name in ("types", "targets"):
            changed = sorted(one for one in {*before, *after} if before.get(one) != after.get(one))
            yield f"{name} {', '.join(changed)}"
        else:
            yield f"{name.replace('_', ' ')}{later}"
