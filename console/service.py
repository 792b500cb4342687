"""The systemd unit of a user's engine: its text, its place, and what systemctl says of it."""

import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from console.home import Places
from core.refusals import BadInput, Trouble
from core.when import quoted

MARK = "# Written by: jobdeck service install"
"""By which a unit is known for ours, so that no other is ever overwritten."""
PATIENCE = 60.0
_MARGIN = timedelta(seconds=45)
"""Beyond the grace time: for what is told to end twice, and for the last transaction."""


def unit_path(name: str) -> Path:
    """Where the unit of that name stands."""
    if not name or not all(letter.isascii() and (letter.isalnum() or letter in "-_.") for letter in name):
        raise BadInput(f"{quoted(name)} can't be the name of a service; use letters, digits, - and _")
    config = os.environ.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(config).expanduser() / "systemd" / "user" / f"{name}.service"


def unit_text(places: Places, grace: timedelta, options: Sequence[str]) -> str:
    """The unit: the engine of this home, started by this very program."""
    words = [*_program(), "--home", str(places.home), "--db", str(places.db), "serve", *options]
    return f"""{MARK}
[Unit]
Description=jobdeck engine of {_plain(str(places.db))}

[Service]
Type=exec
ExecStart={" ".join(_word(word, dollar=True) for word in words)}
Environment={_word(f"PATH={os.environ.get('PATH', os.defpath)}")}
# Told to end, the engine ends its jobs itself; whatever is left after that is killed.
KillMode=mixed
TimeoutStopSec={int((grace * 2 + _MARGIN).total_seconds())}
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
"""


def systemctl(*arguments: str) -> tuple[int, str]:
    """What the user's systemd answers: its exit code, and its words."""
    try:
        done = subprocess.run(
            ["systemctl", "--user", *arguments],  # noqa: S607
            capture_output=True,
            timeout=PATIENCE,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except FileNotFoundError as error:
        raise Trouble("this machine has no systemctl; run jobdeck serve by what starts things here") from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Trouble(f"systemctl can't be asked: {error}") from error
    words = (done.stdout + done.stderr).decode(errors="replace").strip()
    return done.returncode, " ".join(words.split())


def _program() -> list[str]:
    """How this program is started, wherever one stands."""
    beside = Path(sys.executable).with_name("jobdeck")
    return [str(beside)] if beside.exists() else [sys.executable, "-m", "console.main"]


def _word(text: str, *, dollar: bool = False) -> str:
    """A word as systemd reads it; in a command it would fill in variables, too."""
    if "\n" in text or "\0" in text:
        raise BadInput(f"{quoted(text)} has a newline in it, which a unit can't hold")
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + (escaped.replace("$", "$$") if dollar else escaped) + '"'


def _plain(text: str) -> str:
    return "".join(letter if letter.isprintable() else "?" for letter in text).replace("%", "%%")
