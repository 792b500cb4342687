"""What an operator can do to a job, and the sentences when it can't be done."""

from itertools import product

import pytest

from core.status import Status
from core.transitions import EDGES, Who
from core.verbs import VERBS, possible, refusal

PROMISED = {
    "release": "CREATED",
    "hold": "CREATED QUEUED RETRYING",
    "unhold": "CREATED QUEUED RETRYING",
    "move": "QUEUED",
    "priority": "CREATED QUEUED RETRYING",
    "edit": "CREATED QUEUED",
    "cancel": "CREATED QUEUED RUNNING RETRYING WAITING_FOR_APPROVAL",
    "kill": "RUNNING",
    "retry": "RETRYING SUCCEEDED FAILED CANCELLED",
    "give-up": "RETRYING",
    "approve": "WAITING_FOR_APPROVAL",
    "deny": "WAITING_FOR_APPROVAL",
}
"""From which states each verb works."""

PAIRS = list(product(PROMISED, Status))


def test_the_promise_names_every_verb() -> None:
    assert set(VERBS) == set(PROMISED)
    assert all(name == verb.name for name, verb in VERBS.items())


@pytest.mark.parametrize(("name", "status"), PAIRS)
def test_a_verb_works_from_the_states_promised_and_no_others(name: str, status: Status) -> None:
    works = status.value in PROMISED[name].split()
    assert (refusal(name, status, "42") is None) == works
    assert (VERBS[name] in possible(status)) == works


@pytest.mark.parametrize(("name", "status"), PAIRS)
def test_a_refusal_names_the_job_its_state_and_what_would_work(name: str, status: Status) -> None:
    sentence = refusal(name, status, "42")
    if sentence is None:
        assert status in VERBS[name].sources
        return
    assert sentence.startswith(f"job 42 is {status}")
    command = "jobdeck retry 42" if status.final else "jobdeck cancel 42"
    offers_states = all(source in sentence for source in VERBS[name].sources)
    assert sentence.endswith(command) or offers_states


def test_a_final_job_is_answered_as_the_operator_was_promised() -> None:
    expected = "job 42 is SUCCEEDED, which is final; retry it with: jobdeck retry 42"
    assert refusal("cancel", Status.SUCCEEDED, "42") == expected


def test_every_verb_reads_as_english_when_a_running_job_refuses_it() -> None:
    for name in PROMISED:
        sentence = refusal(name, Status.RUNNING, "7")
        if name in {"cancel", "kill"}:
            assert sentence is None
        else:
            assert sentence is not None
            assert "can't be " in sentence or "can't change " in sentence or "can't give " in sentence


def test_what_ends_or_releases_work_for_good_is_dangerous_and_not_undoable() -> None:
    assert {name for name, verb in VERBS.items() if verb.dangerous} == {
        "cancel", "kill", "give-up", "approve", "deny",
    }  # fmt: skip
    assert not [verb for verb in VERBS.values() if verb.dangerous and verb.undoable]


def test_reorder_priority_hold_and_edit_can_be_undone() -> None:
    assert {name for name, verb in VERBS.items() if verb.undoable} == {"hold", "unhold", "move", "priority", "edit"}


def test_every_step_that_an_operator_may_take_from_a_state_has_its_verb() -> None:
    for edge in EDGES:
        if edge.source is not None and Who.OPERATOR in edge.by:
            assert edge.source in VERBS[edge.verb].sources


@pytest.mark.parametrize("status", list(Status))
def test_there_is_something_to_do_in_every_state(status: Status) -> None:
    assert possible(status)
