"""Classification: which failures are worth another attempt, and what people read about them."""

import errno
import os
import signal
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.classify import (
    DEFAULT_EXIT_CLASSES,
    ErrorType,
    ExitClasses,
    Failure,
    Said,
    classify_exit,
    classify_signal,
    classify_spawn,
    classify_timeout,
    heed,
)
from core.refusals import BadInput

RETRYABLE, TERMINAL = ErrorType.RETRYABLE, ErrorType.TERMINAL


@given(st.integers(1, 255))
def test_only_seven_exit_codes_are_terminal_by_default(code: int) -> None:
    expected = TERMINAL if code in {64, 65, 66, 77, 78, 126, 127} else RETRYABLE
    failure = classify_exit(code)
    assert failure.error_type is expected
    assert failure.exit_code == code
    assert failure.signal is None
    assert failure.message.startswith(f"exit {code}")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (1, "exit 1"),
        (65, "exit 65: bad input data"),
        (75, "exit 75: temporary failure"),
        (126, "exit 126: command cannot be run"),
        (127, "exit 127: command not found"),
        (128, "exit 128"),
        (129, "exit 129: what a shell returns for SIGHUP"),
        (137, "exit 137: what a shell returns for SIGKILL"),
        (255, "exit 255"),
    ],
)
def test_an_exit_code_comes_with_what_it_means(code: int, message: str) -> None:
    assert classify_exit(code).message == message


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (os.EX_USAGE, "bad usage"),
        (os.EX_DATAERR, "bad input data"),
        (os.EX_NOINPUT, "input not found"),
        (os.EX_NOUSER, "unknown user"),
        (os.EX_NOHOST, "unknown host"),
        (os.EX_UNAVAILABLE, "service unavailable"),
        (os.EX_SOFTWARE, "internal error"),
        (os.EX_OSERR, "operating system error"),
        (os.EX_OSFILE, "system file missing"),
        (os.EX_CANTCREAT, "output cannot be created"),
        (os.EX_IOERR, "input or output error"),
        (os.EX_TEMPFAIL, "temporary failure"),
        (os.EX_PROTOCOL, "protocol error"),
        (os.EX_NOPERM, "permission denied"),
        (os.EX_CONFIG, "bad configuration"),
    ],
)
def test_the_words_are_those_of_the_systems_own_exit_codes(code: int, words: str) -> None:
    assert classify_exit(code).message == f"exit {code}: {words}"


def test_exit_zero_is_no_failure() -> None:
    with pytest.raises(ValueError, match="no failure"):
        classify_exit(0)


def test_a_type_can_move_codes_to_either_side() -> None:
    classes = DEFAULT_EXIT_CLASSES.changed(terminal=[1], retryable=[65])
    assert classify_exit(1, classes).error_type is TERMINAL
    assert classify_exit(65, classes).error_type is RETRYABLE
    assert classify_exit(66, classes).error_type is TERMINAL
    assert classes.changed(terminal=[65]).of(65) is TERMINAL


def test_a_code_cannot_be_on_both_sides() -> None:
    with pytest.raises(BadInput, match="exit code 3 cannot be both"):
        ExitClasses(frozenset({3}), frozenset({3}))
    with pytest.raises(BadInput, match="exit code 3 cannot be both"):
        DEFAULT_EXIT_CLASSES.changed(terminal=[3], retryable=[3])


@pytest.mark.parametrize("code", [0, -1, 256])
def test_a_code_that_no_failure_has_is_refused(code: int) -> None:
    with pytest.raises(BadInput, match=f"{code} is not the exit code of a failure"):
        ExitClasses(frozenset({code}))


def test_the_first_and_the_last_exit_code_can_be_named() -> None:
    classes = ExitClasses(frozenset({1, 255}))
    assert classes.of(1) is classes.of(255) is TERMINAL


def test_a_signal_is_named_and_retryable() -> None:
    assert classify_signal(9) == Failure("killed by SIGKILL", RETRYABLE, exit_code=None, signal=9)


def test_a_negative_return_code_is_a_signal() -> None:
    assert classify_exit(-15) == classify_signal(int(signal.SIGTERM))


def test_a_signal_without_a_name_keeps_its_number() -> None:
    assert classify_signal(250).message == "killed by signal 250"


def test_a_timeout_says_the_limit_and_is_retryable() -> None:
    assert classify_timeout(timedelta(minutes=5)) == Failure("timed out after 5m", RETRYABLE)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOENT, "command not found: frob"),
        (errno.ENOTDIR, "command not found: frob"),
        (errno.EACCES, "not allowed to run: frob"),
        (errno.ENOEXEC, "not a program: frob"),
        (errno.E2BIG, "arguments too long for: frob"),
    ],
)
def test_a_command_that_can_never_start_is_terminal(number: int, message: str) -> None:
    failure = classify_spawn(OSError(number, "whatever", "frob"), "frob")
    assert failure == Failure(message, TERMINAL)


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO])
def test_a_shortage_that_may_pass_is_retryable(number: int) -> None:
    failure = classify_spawn(OSError(number, "whatever"), "frob")
    assert failure.error_type is RETRYABLE
    assert failure.message.startswith("cannot start frob: ")


def test_a_missing_working_directory_is_not_blamed_on_the_command() -> None:
    missing = classify_spawn(FileNotFoundError(errno.ENOENT, "no", "/gone"), "frob", cwd="/gone")
    assert missing == Failure("working directory not found: /gone", TERMINAL)
    command = classify_spawn(FileNotFoundError(errno.ENOENT, "no", "frob"), "frob", cwd="/tmp")
    assert command == Failure("command not found: frob", TERMINAL)


def test_an_error_without_a_number_still_gives_words() -> None:
    assert classify_spawn(OSError("out of luck"), "frob").message == "cannot start frob: out of luck"
    assert classify_spawn(OSError(), "frob").message == "cannot start frob: unknown error"


def test_an_endless_program_name_does_not_make_an_endless_message() -> None:
    failure = classify_spawn(OSError(errno.ENAMETOOLONG, "no"), "x" * 100_000)
    assert failure.error_type is TERMINAL
    assert failure.message.startswith("name too long: xxx")
    assert failure.message.endswith("x…")
    assert len(failure.message) < 300


@pytest.mark.parametrize(("code", "said"), [(1, TERMINAL), (65, RETRYABLE)])
def test_what_the_job_says_of_itself_wins_over_its_exit_code(code: int, said: ErrorType) -> None:
    failure = heed(Said("quota is gone", said), classify_exit(code))
    assert failure == Failure("quota is gone", said, exit_code=code)


def test_what_the_job_leaves_out_comes_from_how_it_ended() -> None:
    assert heed(Said("disk full"), classify_exit(65)) == Failure("disk full", TERMINAL, exit_code=65)
    assert heed(Said(error_type=TERMINAL), classify_signal(9)) == Failure("killed by SIGKILL", TERMINAL, signal=9)


def test_a_job_that_reports_failure_and_ends_well_still_failed() -> None:
    assert heed(Said()) == Failure("the job reported a failure", RETRYABLE)
    assert heed(Said("no", TERMINAL)) == Failure("no", TERMINAL)
