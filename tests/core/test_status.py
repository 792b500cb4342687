"""A job's states, their phases, and the names that people use for them."""

import pytest

from core.refusals import BadInput
from core.status import FINAL, LIVE, MEANINGS, Phase, Status, parse_status


@pytest.mark.parametrize(
    ("status", "phase"),
    [
        ("CREATED", "initial"),
        ("QUEUED", "initial"),
        ("RUNNING", "running"),
        ("WAITING_FOR_APPROVAL", "running"),
        ("RETRYING", "error"),
        ("SUCCEEDED", "final"),
        ("FAILED", "final"),
        ("CANCELLED", "final"),
    ],
)
def test_each_state_belongs_to_its_phase(status: str, phase: str) -> None:
    assert Status(status).phase is Phase(phase)
    assert Status(status).final == (phase == "final")


def test_every_state_is_either_live_or_final() -> None:
    assert {"SUCCEEDED", "FAILED", "CANCELLED"} == FINAL
    assert set(Status) == FINAL | LIVE
    assert not FINAL & LIVE


def test_every_state_is_explained_in_one_line_of_its_own() -> None:
    assert set(MEANINGS) == set(Status)
    assert len(set(MEANINGS.values())) == len(Status)
    assert all(words.isprintable() and words for words in MEANINGS.values())


@pytest.mark.parametrize("status", list(Status))
def test_a_state_goes_by_its_name_in_any_case(status: Status) -> None:
    for written in (status.value, status.lower(), f" {status.title()} ", status.lower().replace("_", "-")):
        assert parse_status(written) is status


@pytest.mark.parametrize(
    ("alias", "status"),
    [
        ("pending", Status.QUEUED),
        ("waiting", Status.WAITING_FOR_APPROVAL),
        ("retry", Status.RETRYING),
        ("completed", Status.SUCCEEDED),
        ("canceled", Status.CANCELLED),
    ],
)
def test_a_state_goes_by_its_other_name_too(alias: str, status: Status) -> None:
    assert parse_status(alias) is status


@pytest.mark.parametrize("text", ["", "done", "queue d", "QUEUED\x00", "\x1b[31m", "\ud800", "x" * 100_000])
def test_any_other_name_is_refused_with_all_that_work(text: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse_status(text)
    said = str(refusal.value)
    assert all(status.lower() in said for status in Status)
    assert said.isprintable()
    assert len(said) < 300
