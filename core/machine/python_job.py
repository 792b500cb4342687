"""Runs a python job: `PYTHON python_job.py module:function`, in whatever interpreter the job's type names.

It needs nothing but the standard library of Python 3.8 or newer, and it is run by its path, so that no package of
jobdeck's is ever seen by the job. The function is called with a `Job`.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and sys.path and sys.path[0] == os.path.dirname(os.path.realpath(__file__)):
    # The neighbours of this file must not be taken for the job's own modules, or for the standard library's.
    del sys.path[0]

import contextlib
import json
import socket
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

TEMPORARY_FAILURE = 75
ANSWER_WITHIN = 60.0
MESSAGE_LIMIT = 4000
LOOK_EVERY = 0.02
GONE = "the engine that runs this job can't be reached; it may have stopped, and will start the job again"


class EngineGone(ConnectionError):
    """The engine that started this job can't be reached."""


class Said(Exception):
    """The engine has refused what was said; its sentence and its exit code."""

    def __init__(self, sentence: str, code: int) -> None:
        super().__init__(sentence)
        self.code = code


class Parked(BaseException):
    """The job stops here until someone approves; it is begun again with its checkpoint."""


class Failed(Exception):
    """The job has said itself that it failed."""


class NoSuchFunction(Exception):
    """There is nothing to call by that name."""


class Line:
    """The line to the engine: one JSON object each way."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._who = {"exec_id": environment["JOBDECK_EXEC_ID"], "secret": environment["JOBDECK_SECRET"]}
        self._directory = environment["JOBDECK_RUN"]
        self._socket: socket.socket | None = None
        self._received = b""
        self._turn = threading.Lock()

    def say(self, word: str, **said: Any) -> dict[str, Any]:
        """Say a word and give back the answer."""
        # What is no text at all is for the engine to refuse, in words.
        text = json.dumps({**self._who, "word": word, **said}, ensure_ascii=False, separators=(",", ":"))
        message = text.encode("utf-8", "surrogatepass") + b"\n"
        with self._turn:
            try:
                if self._socket is None:
                    self._socket = _connected(self._directory)
                self._socket.sendall(message)
                answer: dict[str, Any] = json.loads(self._line(self._socket))
            except BaseException as error:
                # Whatever of this answer is still to come must not be taken for the next one.
                self._hang_up()
                if isinstance(error, (OSError, ValueError)):
                    raise EngineGone(GONE) from error
                raise
        if "error" in answer:
            raise Said(answer["error"], answer.get("code", 3))
        return answer

    def gate(self, deaf: bool, **said: Any) -> bool:
        """Whether a gate is granted; one who is deaf hears no request to end while it asks, nor after it was not."""
        # Only who comes to a gate waits for this import.
        import signal

        deaf = deaf and threading.current_thread() is threading.main_thread()
        before = signal.signal(signal.SIGTERM, signal.SIG_IGN) if deaf else None
        granted = True
        try:
            granted = bool(self.say("gate", **said)["granted"])
        finally:
            if deaf and granted:
                signal.signal(signal.SIGTERM, before or signal.SIG_DFL)
        return granted

    def pass_gate(self, waits: Callable[[], None], **said: Any) -> bool:
        """For a command of a script: whether the gate is granted. If not, stay, so that nothing behind it is run.

        The engine, or the next one, ends this process with its whole tree. A script that catches the request to end
        would go on as soon as its command has ended, so that stays until the script is gone.
        """
        import time

        script = os.getppid()
        in_script = os.getsid(script) == os.getsid(0)
        if self.gate(deaf=in_script, **said):
            return True
        waits()
        while in_script and os.getppid() == script:
            time.sleep(LOOK_EVERY)
        if not in_script:
            self._wait_for_the_end()
        return False

    def _wait_for_the_end(self) -> None:
        """Stay until the engine hangs up."""
        if self._socket is None:
            return
        self._socket.settimeout(None)
        with contextlib.suppress(OSError):
            while self._socket.recv(4096):
                pass
        raise EngineGone(GONE)

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
        self._socket = None
        self._received = b""

    def _line(self, connection: socket.socket) -> bytes:
        while b"\n" not in self._received:
            more = connection.recv(65536)
            if not more:
                raise ConnectionError("hung up")
            self._received += more
        line, _, self._received = self._received.partition(b"\n")
        return line


def _connected(directory: str) -> socket.socket:
    path = os.path.join(directory, "engine.sock")
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    made.settimeout(ANSWER_WITHIN)
    if len(os.fsencode(path)) < 100:
        made.connect(path)
        return made
    # The kernel takes short names only.
    holder = os.open(directory, os.O_RDONLY)
    try:
        made.connect(f"/proc/self/fd/{holder}/engine.sock")
    finally:
        os.close(holder)
    return made


class Job:
    """What a python job is called with: what it was given, and what it can say."""

    def __init__(self, line: Line) -> None:
        self._line = line
        self.id = int(os.environ["JOBDECK_JOB"])
        self.key = os.environ["JOBDECK_JOB_KEY"]
        self.type = os.environ["JOBDECK_JOB_TYPE"]
        self.attempt = int(os.environ["JOBDECK_ATTEMPT"])
        text = os.environ.get("JOBDECK_PARAMS")
        self.params = json.loads(text) if text is not None else line.say("params")["params"]
        self.committed = False

    @property
    def checkpoint(self) -> Any:
        """What an earlier attempt, or this one, has kept; None when nothing."""
        return self._line.say("checkpoint")["checkpoint"]

    @checkpoint.setter
    def checkpoint(self, value: Any) -> None:
        self._line.say("checkpoint", value=value)

    def progress(self, share: float | None = None, message: str | None = None) -> None:
        """Say how far the job has come, in percent, and a word about it."""
        self._line.say("progress", share=share, message=message)

    def heartbeat(self) -> None:
        """Say that the job is still alive."""
        self._line.say("heartbeat")

    def artifact(self, path: str) -> None:
        """Name a file that the job has made."""
        self._line.say("artifact", path=os.path.abspath(path))

    def commit(self, result: Any = None) -> None:
        """Cross the boundary: from here on the job has happened and never runs again."""
        self._line.say("commit", result=result)
        self.committed = True

    def gate(self, name: str, message: str = "", expires: str | None = None, four_eyes: bool = False) -> None:
        """Return once this gate is granted; else stop here, without a slot, until it is."""
        # The engine asks a job at a gate to end; ending by itself lets it clean up.
        if not self._line.gate(deaf=True, name=name, message=message or name, expires=expires, four_eyes=four_eyes):
            raise Parked(name)

    def fail(self, message: str, retryable: bool | None = None) -> None:
        """End the job as failed, and say whether trying again could help."""
        kind = None if retryable is None else "RETRYABLE" if retryable else "TERMINAL"
        self._line.say("fail", message=_one_line(message), error_type=kind)
        raise Failed(message)


def _function(target: str) -> Callable[[Job], Any]:
    import importlib

    module, _, name = target.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found: Any = importlib.import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, SyntaxError) as error:
        raise NoSuchFunction(f"{target} can't be called: {error}") from error
    return found  # type: ignore[no-any-return]


def main(target: str) -> int:
    """Call the job's function; the exit code says what came of it."""
    import traceback

    line = Line()
    try:
        job = Job(line)
        result = _function(target)(job)
        if result is not None and not job.committed:
            job.commit(result)
    except Parked:
        return 0
    except Failed:
        return 1
    except EngineGone as error:
        sys.stderr.write(f"{error}\n")
        return TEMPORARY_FAILURE
    except NoSuchFunction as error:
        traceback.print_exc()
        _tell(line, str(error), "TERMINAL")
        return 1
    except Exception as error:
        traceback.print_exc()
        _tell(line, str(error) if isinstance(error, Said) else f"{type(error).__name__}: {error}", None)
        return 1
    return 0


def _tell(line: Line, message: str, kind: str | None) -> None:
    """Tell why the job failed; if nobody listens, its exit code has to do."""
    with contextlib.suppress(EngineGone, Said):
        line.say("fail", message=_one_line(message), error_type=kind)


def _one_line(message: object) -> str:
    """A message of any shape as the engine takes it."""
    return "".join(letter if letter.isprintable() else " " for letter in str(message))[:MESSAGE_LIMIT]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
