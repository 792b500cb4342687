"""Delivering a notification to a program: JSON on its standard input, no shell, and an end to it in time."""

import json
import os
import signal
import subprocess
import threading
from contextlib import suppress
from typing import Any

from core.notifications import Delivery, Program
from core.when import format_duration


class ProgramCall:
    """One run of the program; `cut` ends it from any thread."""

    def __init__(self, target: Program) -> None:
        self._target = target
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._cut = False

    def cut(self) -> None:
        """End it at once, with all that it has started."""
        with self._lock:
            self._cut = True
            self._kill()

    def deliver(self, body: dict[str, Any], _timestamp: int) -> Delivery:
        """Run it. What it prints is not kept: it could repeat what it was told, a gate's token included."""
        content = json.dumps(body).encode() + b"\n"
        try:
            process = self._start()
        except OSError as error:
            return Delivery(f"it can't be started: {(error.strerror or str(error)).lower()}")
        if process is None:
            return Delivery("it was stopped with its engine")
        try:
            process.communicate(content, self._target.timeout.total_seconds())
        except subprocess.TimeoutExpired:
            with self._lock:
                self._kill()
            process.wait()
            return Delivery(f"it did not end within {format_duration(self._target.timeout)}, and was stopped")
        finally:
            if process.stdin is not None:
                with suppress(OSError):
                    process.stdin.close()
        code = process.returncode
        if code < 0:
            return Delivery(f"it was killed by signal {-code}")
        return Delivery(f"it ended with exit code {code}") if code else Delivery()

    def _start(self) -> "subprocess.Popen[bytes] | None":
        with self._lock:
            if self._cut:
                return None
            self._process = subprocess.Popen(
                self._target.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                # A group of its own, so that all of it can be ended and no key of the terminal reaches it.
                start_new_session=True,
            )
            return self._process

    def _kill(self) -> None:
        # Not once it was waited for: its number may belong to another by then.
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
