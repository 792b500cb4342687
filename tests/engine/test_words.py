"""What a running job says to its engine: kept, heeded, and refused where it makes no sense or is said by another."""

from dataclasses import replace

import pytest

from core.executions import ExecStatus
from core.status import Status
from tests.engine.stage import Stage


def test_what_the_job_says_about_its_failure_counts_more_than_its_exit_code(stage: Stage) -> None:
    hopeless = stage.submit(["say", "fail", {"message": "no such table", "error_type": "TERMINAL"}], ["exit", 1])
    hopeful = stage.submit(["say", "fail", {"message": "try later", "error_type": "RETRYABLE"}], ["exit", 64])
    stage.start_engine()
    stage.run(0.5)
    assert stage.statuses(hopeless, hopeful) == [Status.FAILED, Status.RETRYING]
    assert stage.job(hopeless).error_message == "no such table"


def test_a_job_that_said_it_failed_has_failed_even_if_it_exits_well(stage: Stage) -> None:
    job = stage.submit(["say", "fail", {"message": "half of it", "error_type": "TERMINAL"}])
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.job(job).error_message) == (Status.FAILED, "half of it")


def test_progress_a_checkpoint_and_artifacts_are_kept(stage: Stage) -> None:
    job = stage.submit(
        ["say", "progress", {"share": 40, "message": "4 of 10"}],
        ["say", "checkpoint", {"value": {"next": 5}}],
        ["say", "artifact", {"path": "/out/a.pdf"}],
        ["sleep", 5],
    )
    stage.start_engine()
    stage.run(1)
    (execution,) = stage.executions(job)
    assert (execution.progress, execution.progress_text, execution.artifacts) == (40, "4 of 10", ("/out/a.pdf",))
    assert stage.job(job).checkpoint == {"next": 5}


def test_the_next_attempt_finds_the_checkpoint_of_the_one_before(stage: Stage) -> None:
    job = stage.submit(["say", "checkpoint"], ["say", "checkpoint", {"value": {"page": 4}}], ["flaky", 1, 1])
    stage.start_engine()
    stage.settle()
    found = [answer["checkpoint"] for _, _, answer in stage.world.answers if "checkpoint" in answer]
    assert found == [None, {"page": 4}]
    assert stage.status(job) is Status.SUCCEEDED


def test_a_job_that_committed_has_succeeded_even_if_its_process_then_fails(stage: Stage) -> None:
    job = stage.submit(["say", "commit", {"result": {"rows": 3}}], ["effect"], ["exit", 1])
    stage.start_engine()
    stage.settle()
    assert (stage.status(job), stage.job(job).result) == (Status.SUCCEEDED, {"rows": 3})
    assert len(stage.world.effects) == 1
    (execution,) = stage.executions(job)
    assert (execution.status, execution.exit_code) == (ExecStatus.DONE, 1)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("sing", {}),
        ("progress", {"share": "much"}),
        ("progress", {"share": 101}),
        ("checkpoint", {"value": "x" * 1_100_000}),
        ("gate", {"name": "", "message": "?"}),
        ("artifact", {"path": 7}),
        ("fail", {"error_type": "SOMETIMES"}),
        ("commit", {"result": "\ud800"}),
    ],
)
def test_what_can_t_be_understood_is_refused_and_the_job_goes_on(
    stage: Stage, word: str, said: dict[str, object]
) -> None:
    job = stage.submit(["sleep", 1])
    stage.start_engine()
    stage.run(0.5)
    (process,) = stage.world.processes
    # Said by hand: not all of this would fit into params.
    process.steps, process.at = [["try", word, said]], 0
    stage.settle()
    (answer,) = [answer for _, said_word, answer in stage.world.answers if said_word == word]
    assert (answer["code"], stage.status(job)) == (2, Status.SUCCEEDED)


def test_nobody_can_speak_for_a_job_without_its_secret(stage: Stage) -> None:
    job = stage.submit(["sleep", 1], ["say", "commit"])
    stage.start_engine()
    stage.run(0.5)
    (process,) = stage.world.processes
    process.spawn = replace(process.spawn, env={**process.spawn.env, "JOBDECK_SECRET": "guessed"})
    stage.run(1)
    ((_, _, answer),) = stage.world.answers
    assert answer["code"] == 3
    assert stage.status(job) is not Status.SUCCEEDED
