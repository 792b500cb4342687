"""Where jobdeck lives on this machine: its directory, its store, who is asking and in which time zone."""

from __future__ import annotations

import os
from pathlib import Path

from core.refusals import BadInput

TYPE_CHECKING = False
if TYPE_CHECKING:
    # A short errand is over before the standard library's typing would be loaded.
    from zoneinfo import ZoneInfo

STORE_NAME = "jobdeck.db"
CONFIG_NAME = "config.toml"

_LOCALTIME = "/etc/localtime"


class Places:
    """The directory of one jobdeck, and its store; no dataclass, which would take longer to load than all else here."""

    __slots__ = ("db", "home")

    def __init__(self, home: Path, db: Path) -> None:
        self.home = home
        self.db = db
        """Inside the home unless it was named."""

    @property
    def config(self) -> Path:
        """What the operator has settled, if there is such a file."""
        return self.home / CONFIG_NAME

    @property
    def key(self) -> Path:
        """What the tokens of gates are derived from."""
        return self.db.with_name("jobdeck.key")

    @property
    def run(self) -> Path:
        """Where the engine of this store can be met: its lock, its bell, its socket."""
        return self.db.with_suffix(".run")

    @property
    def logs(self) -> Path:
        """Where executions write what they print."""
        return self.home / "logs"


def places(home: str | None = None, db: str | None = None) -> Places:
    """The places that the options name, then the environment, then this system's habits."""
    chosen = _path(home, "--home") or _path(os.environ.get("JOBDECK_HOME") or None, "JOBDECK_HOME") or _default_home()
    store = _path(db, "--db") or _path(os.environ.get("JOBDECK_DB") or None, "JOBDECK_DB") or chosen / STORE_NAME
    return Places(chosen, store)


def operator() -> str:
    """The name under which this process acts: the user's, or the number where the system has no name."""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return f"uid {os.getuid()}"


def current_directory() -> str | None:
    """The directory that this process stands in; None when it is gone or has no name that can be stored."""
    try:
        directory = os.getcwd()
        directory.encode()
    except (OSError, UnicodeEncodeError):
        return None
    return directory


def local_zone() -> ZoneInfo:
    """The time zone of this machine, or of the `TZ` that was set for this process."""
    from zoneinfo import ZoneInfo

    name = os.environ.get("TZ", "").removeprefix(":")
    zone = _zone_in(Path(name or _LOCALTIME)) if name[:1] in ("", "/") else _named_zone(name)
    return zone or ZoneInfo("UTC")


def _zone_in(path: Path) -> ZoneInfo | None:
    from zoneinfo import ZoneInfo

    try:
        # The link carries the name; the bare file knows the same rules without it.
        _, _, linked = str(path.resolve(strict=True)).partition("zoneinfo/")
        if linked and (zone := _named_zone(linked)):
            return zone
        with path.open("rb") as file:
            return ZoneInfo.from_file(file, key="localtime")
    except (OSError, ValueError):
        return None


def _named_zone(name: str) -> ZoneInfo | None:
    from zoneinfo import ZoneInfo

    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _path(text: str | None, what: str) -> Path | None:
    if text is None:
        return None
    if not text.strip():
        raise BadInput(f"{what} is empty; give it a path")
    try:
        return Path(text).expanduser().absolute()
    except (OSError, RuntimeError) as error:
        raise BadInput(f"{what} can't be used: {error}") from error


def _default_home() -> Path:
    # Imported here: whoever names a home need not wait for it.
    from platformdirs import user_data_path

    return user_data_path("jobdeck", appauthor=False)
