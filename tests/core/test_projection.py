"""A job's status follows from its facts and its executions."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.executions import ExecStatus
from core.projection import Facts, project
from core.status import Status

DRAFT = Facts(queued=False, finished=False, cancel_requested=False, retry_waiting=False, parked=False)
QUEUED = replace(DRAFT, queued=True)
ENDED = replace(QUEUED, finished=True)

LEASED, IN_PROGRESS, COMMITTED = ExecStatus.LEASED, ExecStatus.IN_PROGRESS, ExecStatus.COMMITTED
DONE, ABORTED, PARKED = ExecStatus.DONE, ExecStatus.ABORTED, ExecStatus.PARKED

every_fact = st.builds(Facts, *[st.booleans()] * 5)
ended_executions = st.lists(st.sampled_from([ABORTED, PARKED]), max_size=5)
LIFE = [
    (DRAFT, [], Status.CREATED),
    (replace(DRAFT, finished=True, cancel_requested=True), [], Status.CANCELLED),
    (QUEUED, [], Status.QUEUED),
    (QUEUED, [LEASED], Status.RUNNING),
    (QUEUED, [IN_PROGRESS], Status.RUNNING),
    (QUEUED, [COMMITTED], Status.RUNNING),
    (ENDED, [DONE], Status.SUCCEEDED),
    (replace(QUEUED, retry_waiting=True), [ABORTED], Status.RETRYING),
    (QUEUED, [ABORTED], Status.QUEUED),
    (QUEUED, [ABORTED, IN_PROGRESS], Status.RUNNING),
    (ENDED, [ABORTED, DONE], Status.SUCCEEDED),
    (ENDED, [ABORTED, ABORTED], Status.FAILED),
    (ENDED, [], Status.FAILED),
    (replace(QUEUED, parked=True), [PARKED], Status.WAITING_FOR_APPROVAL),
    (QUEUED, [PARKED, LEASED], Status.RUNNING),
    (ENDED, [PARKED], Status.FAILED),
    (replace(ENDED, cancel_requested=True), [PARKED], Status.CANCELLED),
    (replace(QUEUED, cancel_requested=True), [IN_PROGRESS], Status.RUNNING),
    (replace(ENDED, cancel_requested=True), [ABORTED], Status.CANCELLED),
    (replace(ENDED, cancel_requested=True), [DONE], Status.SUCCEEDED),
]
"""The facts and executions of a job at each turn that its life can take, with the status that people expect."""


@pytest.mark.parametrize(("facts", "executions", "status"), LIFE)
def test_at_each_turn_of_its_life_a_job_has_the_status_that_people_expect(
    facts: Facts, executions: list[ExecStatus], status: Status
) -> None:
    assert project(facts, executions) is status


def test_every_status_can_be_reached() -> None:
    assert {project(facts, executions) for facts, executions, _ in LIFE} == set(Status)


@given(every_fact, ended_executions, st.sampled_from([LEASED, IN_PROGRESS, COMMITTED]))
def test_a_live_execution_means_running_whatever_else_is_recorded(
    facts: Facts, before: list[ExecStatus], live: ExecStatus
) -> None:
    assert project(facts, [*before, live]) is Status.RUNNING


@given(every_fact, ended_executions)
def test_without_a_commit_nothing_succeeds_and_nothing_runs(facts: Facts, executions: list[ExecStatus]) -> None:
    assert project(facts, executions) not in (Status.SUCCEEDED, Status.RUNNING)


@given(every_fact, ended_executions)
def test_what_was_done_can_neither_fail_nor_be_cancelled_nor_run_again(facts: Facts, before: list[ExecStatus]) -> None:
    assert project(facts, [*before, DONE]) is (Status.SUCCEEDED if facts.finished else Status.RUNNING)


@given(every_fact, ended_executions)
def test_a_job_is_final_exactly_when_it_is_recorded_as_finished(facts: Facts, executions: list[ExecStatus]) -> None:
    assert project(facts, executions).final == facts.finished


@given(every_fact, ended_executions)
def test_a_cancel_that_was_only_asked_for_changes_nothing_yet(facts: Facts, executions: list[ExecStatus]) -> None:
    unfinished = replace(facts, finished=False)
    asked, not_asked = (replace(unfinished, cancel_requested=asked) for asked in (True, False))
    assert project(asked, executions) is project(not_asked, executions)
