"""Every way in which a command can end, as an exit code and at most one sentence."""

from __future__ import annotations

import os
import sys

from core.refusals import JobdeckError

TYPE_CHECKING = False
if TYPE_CHECKING:
    # What a job says is over before the standard library's typing would be loaded.
    from collections.abc import Callable
    from typing import TextIO

INTERRUPTED = 130
"""What a shell reports for a command that Ctrl-C ended."""
PIPE_CLOSED = 141
"""What a shell reports for a command whose reader went away."""


def guarded(act: Callable[[], int]) -> int:
    """Carry it out; no failure leaves as a traceback."""
    _tolerate_any_text()
    code = _outcome(act)
    _drop_what_nobody_hears()
    return code


def _outcome(act: Callable[[], int]) -> int:
    try:
        code = act()
        if sys.stdout is not None:
            sys.stdout.flush()
    except JobdeckError as error:
        complain(str(error))
        return _also_traced(error.exit_code)
    except BrokenPipeError:
        _drop_output()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        _drop_output()
        return INTERRUPTED
    except OSError as error:
        _drop_output()
        where = f"{error.filename}: " if error.filename else ""
        complain(f"{where}{(error.strerror or str(error)).lower()}")
        return _also_traced(1)
    except Exception as error:
        told = f"{type(error).__name__}: {error}"[:300]
        complain(f"something went wrong that should not have ({told}); JOBDECK_DEBUG=1 shows where")
        return _also_traced(1)
    return code


def complain(sentence: str) -> None:
    """Tell what went wrong, on stderr."""
    from console.plain import plain

    _to_stderr(f"jobdeck: {plain(' '.join(sentence.split(chr(10))))}\n")


def _to_stderr(text: str) -> None:
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
    except OSError:
        # There is nobody left to tell.
        pass


def _also_traced(code: int) -> int:
    if os.environ.get("JOBDECK_DEBUG"):
        import traceback

        _to_stderr(traceback.format_exc())
    return code


def _tolerate_any_text() -> None:
    """Let a terminal that knows few letters show a question mark for the others."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def _drop_what_nobody_hears() -> None:
    """A stderr that takes nothing any more changes no exit code."""
    try:
        if sys.stderr is not None:
            sys.stderr.flush()
    except OSError:
        _point_to_nowhere(sys.stderr)
    except ValueError:
        # Closed already.
        pass


def _drop_output() -> None:
    _point_to_nowhere(sys.stdout)


def _point_to_nowhere(stream: TextIO) -> None:
    """What is still buffered would fail once more when the interpreter ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AttributeError):
        pass
