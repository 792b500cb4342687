"""Reading something in the operator's own pager, while the console stands aside."""

import os
import shlex
import signal
import subprocess
import tempfile
from pathlib import Path

from textual.app import App, SuspendNotSupported


def show_in_pager(app: App[int], shown: Path | str) -> str | None:
    """Show a file or a text; why not, when it can't be done here."""
    try:
        command = shlex.split(os.environ.get("PAGER", "")) or ["less"]
    except ValueError as error:
        return f"PAGER can't be understood: {error}"
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8", errors="replace") as file:
            if isinstance(shown, str):
                file.write(f"{shown}\n")
                file.flush()
            with app.suspend():
                # Nothing may be raised in here: the console would not come back.
                return _run([*command, file.name if isinstance(shown, str) else str(shown)])
    except SuspendNotSupported:
        return "a pager needs a terminal, and there is none here"
    except OSError as error:
        return f"there is no place for what the pager should show: {error}"


def _run(command: list[str]) -> str | None:
    # Ctrl-C is meant for the pager; a handler of ours is not passed on to it, as ignoring would be.
    before = signal.signal(signal.SIGINT, lambda _number, _frame: None)
    try:
        # Colours of a log are shown by `less`, and nothing else in it acts.
        subprocess.run(command, check=False, env={"LESS": "R", **os.environ})
    except OSError as error:
        return f"{command[0]} could not be started: {(error.strerror or str(error)).lower()}"
    finally:
        signal.signal(signal.SIGINT, before)
    return None
