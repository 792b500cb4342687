"""Who leads: one engine at a time, the next one takes over, and one that stood still can do no harm when it is back."""

import shutil
from dataclasses import replace
from pathlib import Path

from core.status import Status
from tests.engine.conftest import MakeStage
from tests.engine.stage import LEASE, Stage

LEASE_SECONDS = LEASE.total_seconds()
RUNNING, SUCCEEDED, FAILED = Status.RUNNING, Status.SUCCEEDED, Status.FAILED


def test_a_second_candidate_attaches_and_leaves_the_leader_alone(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    job = stage.submit(["sleep", 300])
    stage.run(200)
    assert (first.leads, second.leads) == (True, False)
    assert (stage.status(job), len(stage.world.processes)) == (RUNNING, 1)


def test_it_takes_over_when_the_leader_dies(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    job = stage.submit(["sleep", 20])
    stage.run(5)
    first.crash()
    # The kernel gives the lock to whoever asks next; nobody has to wait for a lease to run out.
    assert stage.run(1, lambda: second.leads)
    stage.settle()
    first_link, second_link = stage.chain(job)
    assert stage.statuses(first_link, second_link) == [FAILED, SUCCEEDED]
    assert stage.world.collisions == []


def test_it_takes_over_when_the_leader_resigns(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    job = stage.submit(["sleep", 5])
    stage.run(1)
    assert first.engine is not None
    first.engine.drain(LEASE)
    first.ring()
    stage.run(6)
    assert (first.leads, second.leads) == (False, True)
    assert (stage.status(job), stage.chain(job)) == (SUCCEEDED, [job])


def test_of_many_candidates_one_takes_over(stage: Stage) -> None:
    first = stage.start_engine()
    others = [stage.start_engine() for _ in range(4)]
    stage.run(5)
    first.crash()
    stage.run(5)
    assert [seat.leads for seat in others].count(True) == 1


def test_a_leader_that_stands_still_is_outwaited_for_a_whole_lease(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(5)
    first.freeze()
    assert not stage.run(LEASE_SECONDS - 12, lambda: second.leads)
    assert stage.run(14, lambda: second.leads)


def test_a_lease_that_expired_is_no_licence_to_apply_twice(stage: Stage) -> None:
    """FM_001: worker A leases and stands still, worker B runs the same job; both would apply its effect."""
    job = stage.submit(["sleep", 10], ["say", "commit"], ["effect"], ["sleep", 1])
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(5)
    first.freeze()
    stage.run(LEASE_SECONDS + 5, lambda: second.leads)
    stage.run(60)
    first.thaw()
    stage.run(5)
    assert not first.leads
    stage.settle()
    assert [key for key, _ in stage.world.effects] == [stage.job(job).job_key]
    assert stage.status(stage.chain(job)[-1]) is SUCCEEDED
    assert stage.world.collisions == []


def test_a_worker_that_was_fenced_is_told_so_when_it_wants_to_commit(stage: Stage) -> None:
    stage.submit(["ignore"], ["sleep", 31], ["try", "commit"], ["sleep", 1000])
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(1)
    first.freeze()
    stage.run(31, lambda: second.leads)
    stage.run(2)
    # The new leader is about to kill it; until then it can say what it wants.
    ((_, word, answer),) = stage.world.answers
    assert (word, answer["code"]) == ("commit", 3)


def test_a_leader_that_comes_back_stops_what_it_runs_and_attaches(stage: Stage) -> None:
    stage.submit(["sleep", 1000], max_retries=0)
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(5)
    first.freeze()
    stage.run(60)
    assert second.leads
    first.thaw()
    stage.run(60)
    assert (first.leads, second.leads) == (False, True)
    assert stage.world.alive() == []
    # It waits for the lead again, and takes it when the other dies.
    second.crash()
    assert stage.run(1, lambda: first.leads)


def test_one_that_stands_still_between_its_claim_and_the_start_starts_nothing_late(stage: Stage) -> None:
    """Frozen right after the claim is stored: when it thaws, another has run the job."""
    first = stage.start_engine()
    stage.run(1)
    second = stage.start_engine()

    def stand_still() -> None:
        first.freeze()
        assert stage.run(LEASE_SECONDS + 5, lambda: second.leads)
        stage.run(5)
        first.thaw()

    job = stage.submit(["sleep", 1000])
    stage.faults.after_commit = stand_still
    stage.run(60)
    assert (first.leads, second.leads) == (False, True)
    assert stage.status(stage.chain(job)[-1]) is RUNNING
    assert stage.world.collisions == []
    assert len(stage.world.processes) == 1


def test_one_that_outwaited_a_leader_gets_the_lock_once_that_is_gone(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(5)
    first.freeze()
    stage.run(60)
    with stage.store.read() as views:
        leader = views.leader()
    assert leader is not None
    assert not leader.locked
    first.crash()
    stage.run(30)
    with stage.store.read() as views:
        leader = views.leader()
    assert leader is not None
    assert leader.locked
    # So a third one need not wait for a whole lease.
    second.crash()
    third = stage.start_engine()
    assert third.leads


def test_a_leader_on_another_machine_is_followed_by_its_beat(stage: Stage) -> None:
    """A lock tells nothing about a machine elsewhere."""
    there = stage.start_engine(host="there")
    here = stage.start_engine(host="here")
    job = stage.submit(["sleep", 1000])
    stage.run(200)
    assert (there.leads, here.leads) == (True, False)
    there.crash()
    assert not stage.run(LEASE_SECONDS - 12, lambda: here.leads)
    assert stage.run(14, lambda: here.leads)
    stage.run(5)
    assert stage.status(stage.chain(job)[-1]) is RUNNING


def test_a_clock_that_is_set_makes_nobody_take_the_lead_from_one_that_is_well(stage: Stage) -> None:
    first = stage.start_engine()
    second = stage.start_engine()
    stage.run(5)
    for hours in (5, -10, 5):
        stage.world.set_wall(hours=hours)
        stage.run(100)
    assert (first.leads, second.leads) == (True, False)


def test_a_copied_store_is_known_for_one_and_the_original_s_processes_are_left_alone(
    stage: Stage, make_stage: MakeStage, tmp_path: Path
) -> None:
    job = stage.submit(["sleep", 100])
    stage.start_engine()
    stage.run(5)
    (tmp_path / "copy").mkdir(mode=0o700)
    path = tmp_path / "copy" / "jobdeck.db"
    stage.store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shutil.copy(stage.path, path)
    copy = make_stage(path=path, world=stage.world)
    copy.start_engine()
    copy.run(20)
    original = stage.world.processes[0]
    assert (original.signals, stage.status(job)) == ([], RUNNING)
    # In the copy the run is lost, and the copy's own link runs.
    assert copy.status(job) is FAILED
    assert copy.status(copy.chain(job)[-1]) is RUNNING
    stage.settle()
    assert (original.signals, stage.status(job), stage.chain(job)) == ([], SUCCEEDED, [job])


def test_a_store_that_was_moved_is_still_the_same_one(stage: Stage, make_stage: MakeStage, tmp_path: Path) -> None:
    stage.submit(["sleep", 100])
    stage.start_engine()
    stage.run(5)
    stage.crash()
    stage.store._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    path = stage.path.rename(tmp_path / "elsewhere" / "jobdeck.db")
    moved = make_stage(path=path, world=stage.world)
    moved.start_engine()
    moved.run(5)
    assert [name for name, _ in stage.world.processes[0].signals] == ["TERM"]
    assert moved.world.collisions == []


def test_the_leader_says_who_it_is_and_until_when_it_will_have_shown_itself(stage: Stage) -> None:
    seat = stage.start_engine()
    stage.run(100)
    with stage.store.read() as views:
        leader = views.leader()
    assert leader is not None
    assert (leader.pid, leader.host, leader.limits) == (seat.number, seat.host, stage.config.limits(stage.slots))
    assert stage.now < leader.until <= stage.now + LEASE
    later = replace(leader, beat=leader.beat + 1)
    stage.run(LEASE_SECONDS / 3)
    with stage.store.read() as views:
        again = views.leader()
    assert again is not None
    assert again.beat >= later.beat
