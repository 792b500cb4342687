"""Retry chains: the links between jobs and the attempts inside each, also in a store that is damaged."""

import pytest

from core.executions import ExecStatus
from core.jobs import NewJob
from core.refusals import NoSuchThing
from core.status import Status
from store.store import Store
from store.views import Chain
from tests.conftest import Clock
from tests.store.raw import RawStore
from tests.store.running_jobs import BROKE, HOPELESS, TRUE, WORKER, claim, rng, running, submit


def linked(store: Store, links: int) -> list[int]:
    """A chain of cancelled jobs, each the retry of the one before, the last one queued."""
    jobs = [submit(store)]
    with store.write("ann") as work:
        for _ in range(links - 1):
            work.cancel(jobs[-1])
            jobs.append(work.retry(jobs[-1]).job.id)
    return jobs


def ids(chain: Chain) -> list[int]:
    return [link.job.id for link in chain.links]


def attempts(chain: Chain) -> list[list[int]]:
    return [[execution.attempt for execution in link.executions] for link in chain.links]


def fail_once(store: Store, new: NewJob | None = None) -> int:
    claimed = running(store, new)
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    return claimed.job.id


def run_again(store: Store, clock: Clock) -> None:
    """The next attempt of what waits for one, failed like the first."""
    clock.forward(seconds=2)
    with store.write("engine") as work:
        work.requeue_due()
    (claimed,) = claim(store)
    with store.write("engine") as work:
        work.start(claimed.exec_id, WORKER)
        work.fail(claimed.exec_id, WORKER, BROKE, rng())


@pytest.mark.parametrize("which", [0, 1, 2])
def test_any_link_leads_to_the_whole_chain(store: Store, which: int) -> None:
    jobs = linked(store, 3)
    submit(store)
    with store.read() as views:
        chain = views.chain(jobs[which])
        assert views.whole_job(jobs[which]).chain == jobs
    assert ids(chain) == jobs
    assert (chain.tail.id, chain.tail.status) == (jobs[-1], Status.QUEUED)


def test_a_job_that_was_never_retried_is_a_chain_of_one(store: Store) -> None:
    number = submit(store)
    with store.read() as views:
        chain = views.chain(number)
        assert (ids(chain), attempts(chain)) == ([number], [[]])
        assert views.chains(9) == []
        with pytest.raises(NoSuchThing, match="there is no job 9"):
            views.chain(9)


def test_each_link_has_its_own_attempts_oldest_first(store: Store, clock: Clock) -> None:
    first = fail_once(store, NewJob(command=TRUE, max_retries=1))
    run_again(store, clock)
    with store.write("ann") as work:
        second = work.retry(first).job.id
    (claimed,) = claim(store)
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
    with store.read() as views:
        chain = views.chain(second)
    assert ids(chain) == [first, second]
    assert attempts(chain) == [[1, 2], [1]]
    assert [execution.error for link in chain.links for execution in link.executions] == [
        BROKE.message,
        BROKE.message,
        HOPELESS.message,
    ]
    assert {execution.status for link in chain.links for execution in link.executions} == {ExecStatus.ABORTED}


def test_chains_with_the_latest_news_come_first_each_once(store: Store, clock: Clock) -> None:
    several_links = linked(store, 3)
    clock.forward(seconds=1)
    with store.write("ann") as work:
        work.hold(several_links[-1])
    clock.forward(seconds=1)
    several_attempts = fail_once(store)
    submit(store)
    with store.read() as views:
        assert [ids(chain) for chain in views.chains(9)] == [[several_attempts], several_links]
        assert [ids(chain) for chain in views.chains(1)] == [[several_attempts]]
        assert views.chains(0) == []
    clock.forward(seconds=1)
    with store.write("ann") as work:
        work.unhold(several_links[-1])
    with store.read() as views:
        assert [ids(chain) for chain in views.chains(9)] == [several_links, [several_attempts]]


def test_a_link_whose_first_job_was_removed_begins_at_the_next(store: Store, raw: RawStore) -> None:
    first, second = linked(store, 2)
    raw.connection.execute("PRAGMA foreign_keys = OFF")
    raw.run("DELETE FROM jobs WHERE id = :id", id=first)
    with store.read() as views:
        assert ids(views.chain(second)) == [second]
        assert [ids(chain) for chain in views.chains(9)] == [[second]]


def test_chains_are_found_behind_hundreds_of_links_of_another(store: Store, clock: Clock) -> None:
    old = fail_once(store)
    clock.forward(seconds=1)
    long = linked(store, 250)
    with store.read() as views:
        assert [ids(chain) for chain in views.chains(2)] == [long, [old]]
        # All of the long one changed at one instant, so it is read on by number.
        assert [ids(chain) for chain in views.chains(9)] == [long, [old]]


@pytest.mark.parametrize("length", [2, 3])
def test_a_circle_in_a_damaged_store_is_walked_once(store: Store, raw: RawStore, length: int) -> None:
    jobs = linked(store, length)
    for trigger in ("jobs_immutable", "jobs_final"):
        raw.run(f"DROP TRIGGER {trigger}")
    raw.run(
        "UPDATE jobs SET retry_of = (SELECT job_id FROM jobs WHERE id = :tail) WHERE id = :head",
        head=jobs[0],
        tail=jobs[-1],
    )
    with store.read() as views:
        for job in jobs:
            found = ids(views.chain(job))
            assert sorted(found) == jobs
            # Wherever it begins, each follows the one that it retries.
            begin = jobs.index(found[0])
            assert found == jobs[begin:] + jobs[:begin]
        assert [sorted(ids(chain)) for chain in views.chains(9)] == [jobs]
        assert sorted(views.whole_job(jobs[0]).chain) == jobs
