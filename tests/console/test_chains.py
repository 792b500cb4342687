"""`chain`: a job and its retries, drawn with the attempts inside each link."""

from core.jobs import NewJob
from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import BROKE, TRUE, WORKER, claim, rng, running, submit


def test_a_chain_draws_each_link_with_its_attempts(cli: Cli, store: Store) -> None:
    claimed = running(store, NewJob(command=TRUE, job_type="etl", job_key="k", backoff="fixed:1m"))
    assert cli("chain", "1").out.splitlines() == ["job 1 RUNNING  etl  k  true", "   attempt 1: in progress, took 0s"]
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    assert cli("chain", "1").out.splitlines() == [
        "job 1 RETRYING  etl  k  true  again in 1m",
        "   attempt 1: failed, exit 1, took 0s, it broke",
        "   retry 1 of 3 comes next",
    ]
    cli("cancel", "1")
    cli("retry", "1")
    assert cli("chain", "1").out.splitlines() == [
        "job 1 CANCELLED  etl  k  true",
        "│  attempt 1: failed, exit 1, took 0s, it broke",
        "└▶ job 2 QUEUED  etl  k  true",
        "      not run yet",
    ]
    cli("cancel", "2")
    assert cli("chain", "2").out.splitlines()[-1] == "      never run"
    (first, second) = cli("chain", "2", "--json").json
    assert (first["id"], len(first["executions"]), second["id"], second["executions"]) == (1, 1, 2, [])


def test_an_attempt_that_has_not_begun_took_no_time(cli: Cli, store: Store) -> None:
    submit(store)
    claim(store)
    assert cli("chain", "1").out.splitlines()[1:] == ["   attempt 1: leased"]
