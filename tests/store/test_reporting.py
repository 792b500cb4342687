"""Results that come from outside, by type and key."""

import pytest

from core.jobs import NewJob
from core.limits import Limits
from core.refusals import NoSuchThing, Refused
from core.status import Status
from store.store import Store
from tests.conftest import Clock
from tests.store.running_jobs import TRUE, claim, job, rng, running, submit

BATCH = NewJob(job_type="batch", job_key="2026-03", command=TRUE)


def test_a_success_from_outside_finishes_the_job(store: Store) -> None:
    claimed = running(store, BATCH)
    with store.write("remote") as work:
        reported = work.report("batch", "2026-03", succeeded=True, result={"rows": 9}, rng=rng())
    assert (reported.id, reported.status, reported.result) == (claimed.job.id, Status.SUCCEEDED, {"rows": 9})


def test_the_same_report_again_changes_nothing(store: Store) -> None:
    running(store, BATCH)
    with store.write("remote") as work:
        first = work.report("batch", "2026-03", succeeded=True, rng=rng())
        assert work.report("batch", "2026-03", succeeded=True, rng=rng()) == first


def test_a_failure_from_outside_is_retried_like_any_other(store: Store) -> None:
    claimed = running(store, BATCH)
    with store.write("remote") as work:
        reported = work.report("batch", "2026-03", succeeded=False, error="cluster is down", rng=rng())
        again = work.report("batch", "2026-03", succeeded=False, error="cluster is down", rng=rng())
    assert (reported.status, reported.error_message) == (Status.RETRYING, "cluster is down")
    assert again.retry_count == 1
    assert job(store, claimed.job.id).status is Status.RETRYING


def test_a_report_that_comes_before_the_start_was_recorded_counts(store: Store) -> None:
    ref = submit(store, BATCH)
    claim(store, limits=Limits(slots=1))
    with store.write("remote") as work:
        work.report("batch", "2026-03", succeeded=True, rng=rng())
    assert job(store, ref).status is Status.SUCCEEDED


def test_a_report_counts_until_the_lease_was_taken_away(store: Store, clock: Clock) -> None:
    claimed = running(store, BATCH)
    clock.forward(minutes=2)
    with store.write("remote") as work:
        assert work.report("batch", "2026-03", succeeded=True, rng=rng()).status is Status.SUCCEEDED
    other = running(store, BATCH)
    clock.forward(minutes=2)
    with store.write("engine") as work:
        work.abort_expired(rng())
    with pytest.raises(Refused, match="is RETRYING, not RUNNING"), store.write("remote") as work:
        work.report("batch", "2026-03", succeeded=True, rng=rng())
    assert other.job.id != claimed.job.id


def test_a_report_for_a_job_that_does_not_run_is_refused(store: Store) -> None:
    submit(store, BATCH)
    with pytest.raises(Refused, match="is QUEUED, not RUNNING, so a success"), store.write("remote") as work:
        work.report("batch", "2026-03", succeeded=True, rng=rng())
    with pytest.raises(NoSuchThing, match='type "batch" with key "nope"'), store.write("remote") as work:
        work.report("batch", "nope", succeeded=True, rng=rng())
