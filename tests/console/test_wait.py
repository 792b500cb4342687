"""`wait`: the exit code says how the jobs ended."""

from random import Random

from core.classify import ErrorType, Failure
from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import WORKER, running, submit


def ended(store: Store, failure: Failure | None = None) -> int:
    claimed = running(store)
    with store.write("engine") as work:
        if failure is None:
            work.finish(claimed.exec_id, WORKER)
        else:
            work.fail(claimed.exec_id, WORKER, failure, Random(1))
    return claimed.job.id


def test_jobs_that_succeeded_end_the_wait_with_0(cli: Cli, store: Store) -> None:
    ended(store)
    ended(store)
    ran = cli("wait", "1", "2")
    assert (ran.code, ran.out) == (0, "job 1 SUCCEEDED\njob 2 SUCCEEDED\n")


def test_one_that_failed_ends_it_with_1_and_says_why(cli: Cli, store: Store) -> None:
    ended(store)
    ended(store, Failure("bad \x1b[31minput", ErrorType.TERMINAL))
    ran = cli("wait", "1", "2")
    assert ran.code == 1
    assert ran.out.splitlines()[1] == "job 2 FAILED: bad ␛[31minput"


def test_a_cancelled_job_did_not_succeed(cli: Cli, store: Store) -> None:
    submit(store)
    cli("cancel", "1")
    assert cli("wait", "1").code == 1


def test_a_job_that_was_retried_is_followed_to_its_last_retry(cli: Cli, store: Store) -> None:
    submit(store)
    cli("cancel", "1")
    cli("retry", "1")
    cli("cancel", "2")
    ran = cli("wait", "1", "--json")
    assert [job["id"] for job in ran.json] == [2]


def test_waiting_can_be_given_up_while_the_job_goes_on(cli: Cli, store: Store) -> None:
    submit(store)
    ran = cli("wait", "1", "--timeout", "0s")
    assert ran.code == 1
    assert "still not ended after 0s; the jobs go on" in ran.err
    assert "no engine leads this store" in ran.err
