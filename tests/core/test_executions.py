"""An execution's states against the promise they were made from, written out here by hand."""

from itertools import product

import pytest

from core.executions import (
    BEFORE_COMMIT,
    EXEC_EDGES,
    LIVE_EXECUTIONS,
    OUTCOMES,
    ExecStatus,
    Outcome,
    exec_allowed,
    exec_why_not,
)

PROMISED = {
    "": "LEASED",
    "LEASED": "IN_PROGRESS ABORTED PARKED",
    "IN_PROGRESS": "COMMITTED ABORTED PARKED",
    "COMMITTED": "DONE",
    "DONE": "",
    "ABORTED": "",
    "PARKED": "",
}
"""From each state, and from nothing, the states that may follow."""


@pytest.mark.parametrize(("source", "target"), list(product([None, *ExecStatus], ExecStatus)))
def test_a_step_is_legal_exactly_if_it_was_promised(source: ExecStatus | None, target: ExecStatus) -> None:
    promised = target.value in PROMISED[source or ""].split()
    assert exec_allowed(source, target) == promised
    if source is not None:
        assert (exec_why_not(source, target) is None) == promised


@pytest.mark.parametrize("source", list(ExecStatus))
def test_a_refused_step_is_told_what_would_be_legal(source: ExecStatus) -> None:
    reason = exec_why_not(source, ExecStatus.LEASED)
    assert reason is not None
    assert source in reason
    assert all(way in reason for way in PROMISED[source].split())
    assert ("final" in reason) == (not PROMISED[source])


def test_behind_the_commit_there_is_only_done() -> None:
    assert [edge.target for edge in EXEC_EDGES if edge.source is ExecStatus.COMMITTED] == [ExecStatus.DONE]
    assert {edge.source for edge in EXEC_EDGES if edge.target is ExecStatus.DONE} == {ExecStatus.COMMITTED}


def test_an_execution_holds_its_job_until_it_has_ended_or_parked() -> None:
    assert {status for status in ExecStatus if status.live} == LIVE_EXECUTIONS
    assert {"LEASED", "IN_PROGRESS", "COMMITTED"} == LIVE_EXECUTIONS
    assert {edge.source for edge in EXEC_EDGES} - {None} == LIVE_EXECUTIONS


def test_what_may_be_aborted_is_what_has_not_committed() -> None:
    assert {edge.source for edge in EXEC_EDGES if edge.target is ExecStatus.ABORTED} == BEFORE_COMMIT


def test_only_an_ended_execution_has_an_outcome_and_done_means_completed() -> None:
    assert set(OUTCOMES) == set(ExecStatus)
    assert {status for status, outcomes in OUTCOMES.items() if outcomes} == {ExecStatus.DONE, ExecStatus.ABORTED}
    assert OUTCOMES[ExecStatus.DONE] == {Outcome.COMPLETED}
    assert OUTCOMES[ExecStatus.ABORTED] == {Outcome.FAILED, Outcome.SKIPPED}


def test_every_step_has_a_verb_and_words_of_its_own() -> None:
    assert len({edge.words for edge in EXEC_EDGES}) == len(EXEC_EDGES)
    assert {edge.verb for edge in EXEC_EDGES} == {"claim", "start", "commit", "finish", "abort", "park"}
