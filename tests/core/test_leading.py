"""Who may lead a store, and how a leader that stands still is told from one that is well."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.leading import Leader, Watch, may_lead
from core.limits import Limits
from core.owners import Owner, parse_owner, shown_owner

NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)
LEASE = timedelta(seconds=30)
LEADER = Leader("engine@here:1:1:boot:a", "here", 1, "1:1", NOW, NOW + LEASE, 1, Limits(2))


@pytest.mark.parametrize(
    ("leader", "locked", "silent", "may"),
    [
        (None, False, False, True),
        (LEADER, False, False, False),
        (LEADER, True, False, True),
        (LEADER, False, True, True),
        (replace(LEADER, locked=False), True, False, False),
        (replace(LEADER, host="elsewhere"), True, False, False),
        (replace(LEADER, host="elsewhere", until=NOW), True, False, True),
        (replace(LEADER, host="elsewhere", until=NOW), False, False, False),
    ],
    ids=[
        "nobody leads",
        "another leads",
        "it had the lock and died",
        "it stands still",
        "it leads without the lock",
        "another machine leads",
        "another machine led",
        "another machine led, and someone here has the lock",
    ],
)
def test_the_lead_goes_to_whoever_has_outlived_the_leader(
    leader: Leader | None, locked: bool, silent: bool, may: bool
) -> None:
    assert may_lead(leader, "here", NOW, locked=locked, silent=silent) is may


def test_a_leader_is_silent_once_its_beat_has_not_changed_for_a_lease() -> None:
    watch = Watch()
    assert not watch.silent(LEADER, 100.0, LEASE)
    assert not watch.silent(LEADER, 129.9, LEASE)
    assert watch.silent(LEADER, 130.0, LEASE)
    assert not watch.silent(replace(LEADER, beat=2), 131.0, LEASE)
    assert not watch.silent(replace(LEADER, beat=2, owner="another"), 170.0, LEASE)


NAMES = st.text(st.characters(exclude_characters="@:\n", exclude_categories=["Cs"]), min_size=1, max_size=20)


@given(NAMES, NAMES, st.integers(0, 2**22), st.integers(0, 2**40), NAMES, NAMES)
def test_an_owner_is_read_back_as_it_was_written(
    name: str, host: str, pid: int, started: int, boot: str, mark: str
) -> None:
    owner = Owner(name, host, pid, started, boot, mark)
    assert parse_owner(str(owner)) == owner


@pytest.mark.parametrize("text", ["", "ann", "worker-1", "ann@host:1", "ann@host:x:1:b:m"])
def test_a_name_that_no_process_wrote_is_no_owner(text: str) -> None:
    assert parse_owner(text) is None
    assert shown_owner(text) == text


def test_an_owner_is_shown_without_what_only_machines_compare() -> None:
    assert shown_owner("ann@buildbox:4711:99:boot:m") == "ann (pid 4711 on buildbox)"
