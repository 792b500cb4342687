"""`jobdeck job …`: what a script says to the engine that runs it, and what it is told when nobody counts on it."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.jsontext import MIB
from core.status import Status
from tests.machine.deck import Deck
from tests.machine.waiting import never, runs, until

CONFIG = """
grace = "2s"
[types.strict]
max_retries = 0
"""

WORDS = ("progress 1", "checkpoint 1", "checkpoint", "params", "commit", "artifact x", "heartbeat", "gate g", "fail")
ALL_WORDS = "; ".join(f"jobdeck job {word}; echo $?" for word in WORDS)


@pytest.fixture(scope="module")
def deck(tmp_path_factory: pytest.TempPathFactory, blank_store: Path) -> Iterator[Deck]:
    """One engine for all tests here: each has jobs of its own."""
    made = Deck(tmp_path_factory.mktemp("words") / "home", blank_store, CONFIG)
    try:
        made.serve("--slots", "8").leads()
        yield made
        assert made.findings() == []
    finally:
        made.close()


def test_progress_is_shown_with_its_words(deck: Deck, tmp_path: Path) -> None:
    job = deck.shell(f"jobdeck job progress 40% -m '4 of 10'; until [ -e {tmp_path}/go ]; do sleep 0.01; done")
    until(lambda: (run := deck.executions(job)) and run[0].progress == 40, "the progress is stored")
    assert deck.executions(job)[0].progress_text == "4 of 10"
    (tmp_path / "go").touch()
    assert deck.ends(job).status is Status.SUCCEEDED


def test_a_checkpoint_is_there_for_the_next_attempt(deck: Deck) -> None:
    job = deck.shell(
        'if [ "$JOBDECK_ATTEMPT" = 1 ]; then jobdeck job checkpoint; echo \'{"next": 5}\' > value;'
        " jobdeck job checkpoint - < value; exit 1; fi; jobdeck job checkpoint",
        cwd=deck.places.home.parent,
    )
    assert deck.ends(job).status is Status.SUCCEEDED
    assert deck.log(job) == 'null\n{"next": 5}\n'
    assert deck.job(job).checkpoint == {"next": 5}


def test_a_checkpoint_beyond_the_limit_is_refused_and_the_limit_named(deck: Deck) -> None:
    job = deck.shell(
        f"(printf '\"'; head -c {MIB - 2} /dev/zero | tr '\\0' x; printf '\"') | jobdeck job checkpoint -; echo $?;"
        f"(printf '\"'; head -c {MIB - 1} /dev/zero | tr '\\0' x; printf '\"') | jobdeck job checkpoint -; echo $?"
    )
    assert deck.ends(job).status is Status.SUCCEEDED
    accepted, refused, code = deck.log(job).splitlines()
    assert (accepted, code) == ("0", "2")
    assert "the limit is 1,048,576 bytes" in refused
    assert deck.job(job).checkpoint == "x" * (MIB - 2)


def test_params_artifacts_and_heartbeats(deck: Deck, tmp_path: Path) -> None:
    job = deck.shell(
        "jobdeck job params && jobdeck job artifact out.pdf && jobdeck job artifact /x/y && jobdeck job heartbeat",
        cwd=tmp_path,
        params={"day": "Mo", "n": 1},
    )
    assert deck.ends(job).status is Status.SUCCEEDED
    assert json.loads(deck.log(job)) == {"day": "Mo", "n": 1}
    assert deck.executions(job)[0].artifacts == (f"{tmp_path}/out.pdf", "/x/y")


def test_a_committed_job_succeeds_even_if_it_then_fails(deck: Deck) -> None:
    job = deck.shell("jobdeck job commit --result '[1, 2]' && jobdeck job commit; echo $?; exit 7")
    ended = deck.ends(job)
    assert (ended.status, ended.result, ended.attempt) == (Status.SUCCEEDED, [1, 2], 1)
    (run,) = deck.executions(job)
    assert (run.exit_code, deck.log(job)) == (7, "0\n")


@pytest.mark.parametrize(
    ("words", "code", "message", "attempts"),
    [
        ("--terminal -m 'the input is broken'", 1, "the input is broken", 1),
        ("--terminal", 9, "exit 9", 1),
        ("--retryable -m 'try again'", 65, "try again", 2),
        ("-m 'bad data'", 65, "bad data", 1),
        ("-m 'bad luck'", 0, "bad luck", 2),
    ],
)
def test_a_job_says_how_it_failed(deck: Deck, words: str, code: int, message: str, attempts: int) -> None:
    job = deck.shell(f"jobdeck job fail {words}; exit {code}", max_retries=1)
    ended = deck.ends(job)
    assert (ended.status, ended.error_message, ended.attempt) == (Status.FAILED, message, attempts)


GATES = {
    "plain": "jobdeck job gate deploy -m 'Deploy?'; echo behind",
    "insistent": "trap 'echo caught' TERM; jobdeck job gate deploy -m 'Deploy?'; echo behind",
    "deaf": "trap '' TERM; jobdeck job gate deploy -m 'Deploy?' || true; echo behind",
    "deep": "(sh -c \"jobdeck job gate deploy -m 'Deploy?'; echo behind\"; echo behind); echo behind",
    "last": "exec jobdeck job gate deploy -m 'Deploy?'",
}


@pytest.mark.parametrize("kind", GATES)
def test_a_script_that_stops_at_a_gate_runs_nothing_behind_it(deck: Deck, kind: str) -> None:
    job = deck.shell(f"jobdeck job checkpoint 1; {GATES[kind]}")
    deck.reaches(job, Status.WAITING_FOR_APPROVAL)
    if kind != "last":
        assert deck.log(job) == "jobdeck: waiting for approval at gate deploy; the job stops here\n"
    (run,) = deck.executions(job)
    assert run.pid is not None
    assert not runs(run.pid)
    deck.approve(job)
    assert deck.ends(job).status is Status.SUCCEEDED
    behind = {"deep": 3, "last": 0}.get(kind, 1)
    assert [line for line in deck.log(job).splitlines() if "waiting" not in line] == ["behind"] * behind
    assert deck.job(job).attempt == 1


@pytest.mark.parametrize("kind", GATES)
def test_not_even_the_death_of_its_engine_lets_a_script_pass_a_gate(
    tmp_path: Path, blank_store: Path, kind: str
) -> None:
    deck = Deck(tmp_path / "home", blank_store, CONFIG)
    try:
        engine = deck.serve("--slots", "1").leads()
        job = deck.shell(GATES[kind])
        until(lambda: "waiting for approval" in deck.log(job) or "stops at gate" in engine.told(), "it is at its gate")
        engine.kill()
        never(lambda: "behind" in deck.log(job), "it went on behind the gate", seconds=0.3)
        deck.serve("--slots", "1").leads()
        deck.reaches(job, Status.WAITING_FOR_APPROVAL)
        assert "behind" not in deck.log(job)
        deck.approve(job)
        assert deck.ends(job).status is Status.SUCCEEDED
        assert deck.log(job).count("behind") == {"deep": 3, "last": 0}.get(kind, 1)
    finally:
        deck.close()


def test_a_gate_comes_too_late_after_the_commit(deck: Deck) -> None:
    job = deck.shell("jobdeck job commit; jobdeck job gate deploy; echo $?")
    assert deck.ends(job).status is Status.SUCCEEDED
    assert deck.log(job) == f"jobdeck: job {job} has committed; a gate would come too late\n3\n"


def test_a_gate_that_expired_fails_its_job(deck: Deck) -> None:
    job = deck.shell("jobdeck job gate deploy --expires 1s")
    assert deck.ends(job).error_message == 'gate "deploy" expired: nobody answered in time'


def test_an_execution_that_has_ended_is_told_that_it_is_fenced(deck: Deck, tmp_path: Path) -> None:
    """The daemon has left the group of its job, which it may, and speaks when the job is over."""
    daemon = f"echo > ready; until [ -e go ]; do sleep 0.01; done; ({ALL_WORDS}) > out 2>&1; echo > done"
    job = deck.shell(f"setsid sh -c '{daemon}' & until [ -e ready ]; do sleep 0.01; done", cwd=tmp_path)
    assert deck.ends(job).status is Status.SUCCEEDED
    (tmp_path / "go").touch()
    until((tmp_path / "done").exists, "the daemon has said everything")
    fenced = "jobdeck: this execution has ended or belongs to another engine; nothing it says counts any more"
    assert (tmp_path / "out").read_text().splitlines() == [fenced, "3"] * len(WORDS)


def test_a_wrong_secret_is_fenced_like_a_stranger(deck: Deck) -> None:
    job = deck.shell("JOBDECK_SECRET=0 jobdeck job commit; echo $?; jobdeck job heartbeat; echo $?")
    deck.ends(job)
    assert deck.log(job).splitlines()[1:] == ["3", "0"]
    assert "nothing it says counts" in deck.log(job)


@pytest.mark.parametrize("word", ["progress 5", "commit", "gate g", "checkpoint", "heartbeat"])
def test_outside_a_job_nothing_can_be_said(deck: Deck, word: str) -> None:
    said = deck.jobdeck("job", *word.split())
    name = word.split(maxsplit=1)[0]
    assert said.returncode == 3
    assert said.stderr == f"jobdeck: jobdeck job {name} works only inside a running job, and this is not one\n"


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("progress", "say how far it has come"),
        ("progress 101", "0 to 100"),
        ("progress much", "not a number"),
        ("checkpoint {", "not valid JSON"),
        ("commit --result {", "not valid JSON"),
        ("gate", "a gate has a name"),
        ("artifact", "an artifact has a path"),
        ("fail --retryable --terminal", "either --retryable or --terminal"),
        ("heartbeat 1", "too many"),
        ("chekpoint", "did you mean checkpoint?"),
        ("gate g --expires", "--expires needs a value"),
        ("commit --all", "no option --all"),
    ],
)
def test_what_was_not_understood_is_told_with_exit_code_2(deck: Deck, words: str, why: str) -> None:
    said = deck.jobdeck("job", *words.split())
    assert (said.returncode, said.stdout) == (2, "")
    assert why in said.stderr


def test_a_home_with_a_very_long_path_is_a_home_like_any_other(tmp_path: Path, blank_store: Path) -> None:
    directory = tmp_path / ("d" * 200) / ("e" * 200)
    directory.mkdir(parents=True)
    (directory / "said.py").write_text("def it(job): job.checkpoint = 1; return job.checkpoint\n")
    deck = Deck(directory / "home", blank_store)
    try:
        jobs = [deck.shell("jobdeck job commit --result 1"), deck.submit("said:it", job_type="python", cwd=directory)]
        assert deck.serve("--until-idle").ends() == 0
        assert [deck.job(job).result for job in jobs] == [1, 1]
    finally:
        deck.close()


def test_once_the_engine_is_dead_every_word_says_so(tmp_path: Path, blank_store: Path) -> None:
    deck = Deck(tmp_path / "home", blank_store)
    try:
        engine = deck.serve("--slots", "1").leads()
        job = deck.shell(f"echo ready; until [ -e {tmp_path}/go ]; do sleep 0.01; done; {ALL_WORDS}; echo end")
        until(lambda: "ready" in deck.log(job), "the job runs")
        engine.kill()
        (tmp_path / "go").touch()
        until(lambda: "end\n" in deck.log(job), "the job has said everything")
        gone = "the engine that runs this job can't be reached; it may have stopped, and will start the job again"
        assert deck.log(job).splitlines() == ["ready", *[f"jobdeck: {gone}", "1"] * len(WORDS), "end"]
    finally:
        deck.close()
