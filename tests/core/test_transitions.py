"""The transition table against the promise it was made from, written out here by hand."""

from itertools import product

import pytest

from core.status import FINAL, Status
from core.transitions import EDGES, Who, allowed, onward, why_not

PROMISED = {
    "": "CREATED QUEUED",
    "CREATED": "QUEUED CANCELLED",
    "QUEUED": "RUNNING CANCELLED FAILED",
    "RUNNING": "SUCCEEDED FAILED RETRYING WAITING_FOR_APPROVAL CANCELLED",
    "RETRYING": "QUEUED FAILED CANCELLED",
    "WAITING_FOR_APPROVAL": "RUNNING FAILED CANCELLED",
    "SUCCEEDED": "",
    "FAILED": "",
    "CANCELLED": "",
}
"""From each state, and from nothing, the states that may follow."""

PAIRS = list(product([None, *Status], Status))


def test_the_promise_speaks_of_every_state() -> None:
    assert set(PROMISED) == {"", *Status}
    assert set(" ".join(PROMISED.values()).split()) == set(Status)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_step_is_legal_exactly_if_it_was_promised(source: Status | None, target: Status) -> None:
    promised = target.value in PROMISED[source or ""].split()
    assert allowed(source, target) == promised
    assert (why_not(source, target) is None) == promised
    assert (target in {edge.target for edge in onward(source)}) == promised


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_a_refused_step_is_refused_in_words_that_name_what_is(source: Status | None, target: Status) -> None:
    reason = why_not(source, target)
    if reason is None:
        assert allowed(source, target)
        return
    assert (source or target) in reason
    if source is None:
        assert "CREATED or QUEUED" in reason
    elif source in FINAL and source is not target:
        assert "final" in reason
    elif source is not target:
        assert all(way in reason for way in PROMISED[source].split())


def test_there_is_one_edge_for_each_step() -> None:
    pairs = [(edge.source, edge.target) for edge in EDGES]
    assert len(pairs) == len(set(pairs))


def test_every_edge_has_somebody_who_may_and_words_that_tell_it_from_the_others() -> None:
    assert all(edge.by and edge.by <= set(Who) for edge in EDGES)
    assert len({edge.words for edge in EDGES}) == len(EDGES)
    assert all(edge.words.isprintable() and edge.verb.islower() for edge in EDGES)


def test_a_claim_is_the_only_way_to_running_and_the_engines_alone() -> None:
    to_running = [edge for edge in EDGES if edge.target is Status.RUNNING]
    assert {edge.verb for edge in to_running} == {"claim"}
    assert {edge.by for edge in to_running} == {frozenset({Who.ENGINE})}


def test_an_operator_may_cancel_from_every_state_that_is_not_final() -> None:
    for status in Status:
        cancels = [edge for edge in onward(status) if edge.verb == "cancel"]
        assert bool(cancels) != status.final
        assert all(Who.OPERATOR in edge.by and edge.target is Status.CANCELLED for edge in cancels)


def test_a_job_never_starts_frees_or_cancels_itself() -> None:
    assert {edge.source for edge in EDGES if Who.JOB in edge.by} == {Status.RUNNING}
    assert Status.CANCELLED not in {edge.target for edge in EDGES if Who.JOB in edge.by}


def test_every_state_can_be_reached_and_leads_to_an_end() -> None:
    reached: set[Status | None] = {None}
    while further := {edge.target for edge in EDGES if edge.source in reached} - reached:
        reached |= further
    assert reached == {None, *Status}
    ending: set[Status] = set(FINAL)
    while further_back := {edge.source for edge in EDGES if edge.target in ending and edge.source} - ending:
        ending |= further_back
    assert ending == set(Status)
