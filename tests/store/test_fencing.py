"""FM_001: two workers, one expired lease, both want to apply. Only one may."""

import pytest

from core.executions import ExecStatus
from core.jobs import Claim
from core.limits import Limits
from core.refusals import Fenced, Refused
from store import sqlite
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, claim, rng, running

UNGUARDED = "UPDATE executions SET status = 'COMMITTED', committed_at = :now WHERE exec_id = :exec_id"


class World:
    """What the jobs did to the world outside."""

    def __init__(self) -> None:
        self.applied: list[str] = []


def apply(store: Store, claimed: Claim, owner: str, world: World) -> None:
    """A worker crosses the boundary, then has its effect."""
    with store.write("engine") as work:
        work.commit(claimed.exec_id, owner)
    world.applied.append(owner)


def a_loses_its_lease_to_b(store: Store, clock: Clock) -> tuple[Claim, Claim]:
    """Worker A stalls past its lease; B gets the job by the usual way."""
    a = running(store, owner="A")
    clock.forward(seconds=LEASE.total_seconds() + 1)
    with store.write("engine") as work:
        work.abort_expired(rng())
    clock.forward(seconds=2)
    with store.write("engine") as work:
        assert work.requeue_due() == 1
    (b,) = claim(store, "B", Limits(slots=1))
    with store.write("engine") as work:
        work.start(b.exec_id, "B")
    assert b.job.id == a.job.id
    assert b.attempt == 2
    return a, b


def test_fm_001_the_worker_that_lost_its_lease_can_t_apply(store: Store, clock: Clock) -> None:
    a, b = a_loses_its_lease_to_b(store, clock)
    world = World()
    apply(store, b, "B", world)
    with pytest.raises(Fenced):
        apply(store, a, "A", world)
    with store.write("engine") as work:
        work.finish(b.exec_id, "B")
    assert world.applied == ["B"]
    with store.read() as views:
        ends = [execution.status for execution in views.whole_job(a.job.id).executions]
    assert ends == [ExecStatus.ABORTED, ExecStatus.DONE]


def test_fm_001_before_anyone_took_the_job_away(store: Store, clock: Clock) -> None:
    a = running(store, owner="A")
    clock.forward(seconds=LEASE.total_seconds())
    world = World()
    with pytest.raises(Fenced):
        apply(store, a, "A", world)
    assert world.applied == []


@pytest.mark.parametrize("guarded", [True, False])
def test_fm_001_happens_when_every_guard_is_taken_out(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch, guarded: bool
) -> None:
    """The switch: with the guards the second apply is refused, without them the very same steps apply twice."""
    a, b = a_loses_its_lease_to_b(store, clock)
    world = World()
    apply(store, b, "B", world)
    if not guarded:
        monkeypatch.setattr("store.operations.running.fence", lambda *_: None)
        monkeypatch.setattr("store.operations.running.COMMIT", UNGUARDED)
        connection = sqlite.connect(store.path)
        connection.execute("DROP INDEX executions_one_commit_per_job")
        connection.execute("DROP INDEX executions_one_live_per_job")
        for trigger in ("executions_one_commit", "executions_transition", "executions_write_once"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("DROP TRIGGER executions_frozen_by_end")
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("UPDATE executions SET finished_at = NULL, outcome = NULL WHERE lease_owner = 'A'")
        connection.close()
    refused = False
    try:
        apply(store, a, "A", world)
    except Fenced:
        refused = True
    assert refused is guarded
    assert world.applied == (["B"] if guarded else ["B", "A"])


def test_the_database_refuses_a_second_commit_even_if_the_code_forgot_to_ask(
    store: Store, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = a_loses_its_lease_to_b(store, clock)
    world = World()
    apply(store, b, "B", world)
    monkeypatch.setattr("store.operations.running.fence", lambda *_: None)
    monkeypatch.setattr("store.operations.running.COMMIT", UNGUARDED)
    with pytest.raises(Refused, match="the database refused that: executions: "):
        apply(store, a, "A", world)
    assert world.applied == ["B"]
