"""Python jobs: one file of ours, run by its path in whatever interpreter, calls a function with its job."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.jobs import Job
from core.jsontext import MIB
from core.machine import python_job
from core.status import Status
from tests.machine.deck import Deck
from tests.machine.waiting import until

CANDIDATES = (
    "/usr/bin/python3",
    "/usr/local/bin/python3",
    *map(str, sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))),
)


def _others() -> dict[str, str]:
    """An interpreter of each other version that can be found here, by its name."""
    found: dict[str, str] = {}
    for path in CANDIDATES:
        if Path(path).exists() and os.path.realpath(path) != os.path.realpath(sys.executable):
            asked = [path, "-c", "import sys; print(*sys.version_info[:2], sep='.', end='')"]
            version = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30).stdout
            if version and tuple(map(int, version.split("."))) >= (3, 8):
                found.setdefault(version.replace(".", "_"), path)
    return found


OTHERS = _others()
HERE = "here"
NONE: Any = pytest.param("none", marks=pytest.mark.skip("there is no other python3 on this machine"))
INTERPRETERS = [HERE, *(sorted(OTHERS) or [NONE])]

FUNCTIONS = (Path(__file__).parent / "functions.py").read_text()


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory, blank_store: Path) -> Iterator[Deck]:
    types = "".join(f'[types.{name}]\nkind = "python"\npython = "{path}"\n' for name, path in OTHERS.items())
    directory = tmp_path_factory.mktemp("python")
    (directory / "functions.py").write_text(FUNCTIONS)
    (directory / "broken.py").write_text("def f(:\n")
    (directory / "needy.py").write_text("import no_such_module_anywhere\n")
    (directory / "loud.py").write_text("raise OSError('at import')\n")
    made = Deck(directory / "home", blank_store, f'grace = "3s"\n[types.{HERE}]\nkind = "python"\n{types}')
    try:
        made.serve("--slots", "4").leads()
        yield made
        assert made.findings() == []
    finally:
        made.close()


def submit(deck: Deck, target: str, python: str = HERE, **wanted: Any) -> int:
    directory = deck.places.home.parent
    return deck.submit(target, cwd=directory, **{"job_type": python, "max_retries": 0, **wanted})


def ran(deck: Deck, function: str, python: str = HERE, **wanted: Any) -> Job:
    """The job that called a function, once it has ended."""
    return deck.ends(submit(deck, f"functions:{function}", python, **wanted))


@pytest.mark.parametrize("python", INTERPRETERS)
def test_a_function_gets_its_job_and_gives_its_result(deck: Deck, python: str) -> None:
    job = ran(deck, "echo", python, params={"day": "日"}, job_key="k")
    assert job.status is Status.SUCCEEDED, deck.log(job.id)
    version = list(sys.version_info[:2]) if python == HERE else [int(part) for part in python.split("_")]
    given = {"params": {"day": "日"}, "id": job.id, "key": "k", "type": python, "attempt": 1}
    assert job.result == {**given, "version": version, "name": "functions"}


@pytest.mark.parametrize("python", INTERPRETERS)
def test_nothing_of_ours_can_be_imported_by_a_job(deck: Deck, python: str) -> None:
    job = ran(deck, "neighbours", python)
    directory = str(deck.places.home.parent)
    # The engine's own interpreter has jobdeck installed and finds its packages, but none of their parts by a bare name.
    ours = str(Path(python_job.__file__).parent)
    assert job.result["path"] == directory
    assert [path for path in job.result["found"] if path.startswith(ours)] == []
    if python != HERE:
        assert job.result["found"] == []


@pytest.mark.parametrize("python", INTERPRETERS)
def test_a_job_can_say_everything_and_goes_on_from_its_checkpoint(deck: Deck, python: str) -> None:
    job = ran(deck, "everything", python, max_retries=1)
    first = {"seen": None, "text": "日本"}
    assert (job.status, job.attempt) == (Status.SUCCEEDED, 2)
    assert job.result == {"again": {"seen": first, "text": "日本"}}
    runs = deck.executions(job.id)
    assert [run.artifacts for run in runs] == [(f"{deck.places.home.parent}/out.pdf",)] * 2
    assert [run.exit_code for run in runs] == [3, 1]


@pytest.mark.parametrize("length", [10, 99_000, 100_001, 900_000])
def test_params_of_any_length_arrive(deck: Deck, length: int) -> None:
    assert ran(deck, "size", params={"text": "ä" * (length // 2)}).result == length // 2


@pytest.mark.parametrize("python", INTERPRETERS)
def test_a_job_at_a_gate_ends_cleanly_and_is_called_again(deck: Deck, python: str) -> None:
    job = submit(deck, "functions:gated", python)
    deck.reaches(job, Status.WAITING_FOR_APPROVAL)
    assert deck.log(job).splitlines() == ["before", "cleaned up"]
    deck.approve(job)
    assert deck.ends(job).status is Status.SUCCEEDED
    assert deck.log(job).splitlines()[2:] == ["before", "cleaned up", "behind True"]


def test_a_gate_in_a_thread_is_not_passed_either(deck: Deck) -> None:
    job = submit(deck, "functions:gated_in_a_thread")
    deck.reaches(job, Status.WAITING_FOR_APPROVAL)
    assert "behind" not in deck.log(job)
    deck.approve(job)
    assert deck.ends(job).status is Status.SUCCEEDED
    assert deck.log(job).splitlines()[-1] == "behind"


def test_a_job_whose_gate_was_refused_can_be_asked_to_end_as_before(deck: Deck) -> None:
    job = ran(deck, "refused_gate")
    assert deck.log(job.id) == f"job {job.id} has committed; a gate would come too late True\n"


@pytest.mark.parametrize(
    ("function", "message", "kind"),
    [
        ("fails", "no such day in the calendar", "TERMINAL"),
        ("fails_retryably", "try again", "RETRYABLE"),
        ("raises", "RuntimeError: first line second  [31mline", "RETRYABLE"),
        ("returns_what_is_no_json", "TypeError: Object of type set is not JSON serializable", "RETRYABLE"),
    ],
)
def test_a_failure_is_told_in_the_jobs_own_words(deck: Deck, function: str, message: str, kind: str) -> None:
    job = ran(deck, function)
    assert (job.status, job.error_message, job.error_type) == (Status.FAILED, message, kind)
    assert "not reached" not in deck.log(job.id)


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("functions:absent", "functions:absent can't be called: module 'functions' has no attribute 'absent'"),
        ("absent:f", "absent:f can't be called: No module named 'absent'"),
        ("broken:f", "broken:f can't be called: invalid syntax (broken.py, line 1)"),
        ("needy:f", "needy:f can't be called: No module named 'no_such_module_anywhere'"),
    ],
)
def test_what_can_not_be_called_fails_for_good(deck: Deck, target: str, words: str) -> None:
    job = deck.ends(submit(deck, target, max_retries=3))
    assert (job.error_message, job.error_type, job.attempt) == (words, "TERMINAL", 1)
    assert "Traceback" in deck.log(job.id)


def test_an_exception_at_import_is_told_like_any_other(deck: Deck) -> None:
    assert deck.ends(submit(deck, "loud:f")).error_message == "OSError: at import"


@pytest.mark.parametrize(("code", "status"), [(None, "SUCCEEDED"), (0, "SUCCEEDED"), (7, "FAILED"), ("why", "FAILED")])
def test_leaving_with_a_code_is_ending_with_it(deck: Deck, code: object, status: str) -> None:
    job = ran(deck, "leaves", params={"code": code})
    assert job.status == status
    assert deck.executions(job.id)[0].exit_code == {None: 0, "why": 1}.get(code, code)  # type: ignore[call-overload]


def test_a_result_beyond_the_limit_is_refused_and_the_limit_named(deck: Deck) -> None:
    assert ran(deck, "returns_much", params={"length": MIB - 2}).status is Status.SUCCEEDED
    for length, words in ((MIB, "the limit is 1,048,576 bytes"), (5 * MIB, "takes at most 1 MiB")):
        job = ran(deck, "returns_much", params={"length": length})
        assert job.status is Status.FAILED
        assert words in (job.error_message or "")


def test_a_checkpoint_may_take_all_its_bytes_in_any_script(deck: Deck) -> None:
    assert ran(deck, "large_checkpoint", params={"bytes": MIB}).result == MIB // 2 - 1


def test_text_that_is_none_is_refused_in_words(deck: Deck) -> None:
    assert "not valid UTF-8" in ran(deck, "odd_text").result


def test_an_answer_that_nobody_waited_for_is_not_taken_for_the_next_one(deck: Deck) -> None:
    assert ran(deck, "interrupted").result == "first"


def test_a_job_without_a_result_has_none(deck: Deck) -> None:
    job = ran(deck, "returns_nothing")
    assert (job.status, job.result) == (Status.SUCCEEDED, None)


def test_a_job_whose_engine_is_gone_says_so_and_ends_as_a_temporary_failure(tmp_path: Path, blank_store: Path) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    deck = Deck(tmp_path / "home", blank_store)
    try:
        engine = deck.serve("--slots", "1").leads()
        job = deck.submit("functions:waits", cwd=tmp_path, job_type="python")
        until(lambda: "ready" in deck.log(job), "the job runs")
        engine.kill()
        (tmp_path / "go").touch()
        until(lambda: "can't be reached" in deck.log(job), "it notices")
        assert "not reached" not in deck.log(job)
        assert "Traceback" not in deck.log(job)
    finally:
        deck.close()


@pytest.mark.parametrize("python", [sys.executable, *OTHERS.values()])
@pytest.mark.parametrize("params", ["{}", None])
def test_without_an_engine_the_file_alone_says_what_is_missing(tmp_path: Path, python: str, params: str | None) -> None:
    (tmp_path / "functions.py").write_text(FUNCTIONS)
    env = {"JOBDECK_EXEC_ID": "e", "JOBDECK_SECRET": "s", "JOBDECK_RUN": str(tmp_path), "JOBDECK_JOB": "1"}
    env |= {"JOBDECK_JOB_KEY": "k", "JOBDECK_JOB_TYPE": "t", "JOBDECK_ATTEMPT": "1"}
    if params is not None:
        env["JOBDECK_PARAMS"] = json.dumps({})
    command = [python, python_job.__file__, "functions:echo"]
    told = subprocess.run(command, env=env, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert told.returncode == python_job.TEMPORARY_FAILURE
    assert told.stderr == f"{python_job.GONE}\n"
