"""What a monitor is told: numbers of the store and its engine, in a text that its parser reads."""

import http.client
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from console.home import Places
from console.metrics.collecting import Collector
from console.metrics.server import address_of, serving
from console.metrics.tally import MOST_TYPES, Tally
from console.metrics.text import Family, text_of
from core.jobs import Gate, NewJob
from core.limits import Limits
from core.refusals import BadInput, Trouble
from core.status import Status
from store.store import Store
from store.views.measures import End
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.store.running_jobs import HOPELESS, TRUE, WORKER, rng, running, submit

LEASE = timedelta(seconds=30)
SAMPLE = re.compile(r'([a-z_]+)(\{(?:[a-z_]+="(?:[^"\\\n]|\\["\\n])*",?)+\})? (-?[0-9.e+]+)')


def samples(text: str) -> dict[str, float]:
    """Every sample, once each line of the text has been found to be well formed."""
    found = {}
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            continue
        matched = SAMPLE.fullmatch(line)
        assert matched is not None, line
        assert matched[1] + (matched[2] or "") not in found
        found[matched[1] + (matched[2] or "")] = float(matched[3])
    return found


def ended(store: Store, clock: Clock, seconds: float, job_type: str = "etl", *, well: bool = True) -> None:
    """A job that ran for so long."""
    claimed = running(store, NewJob(job_type=job_type, command=TRUE))
    clock.forward(seconds=seconds)
    with store.write("engine") as work:
        if well:
            work.finish(claimed.exec_id, WORKER, 0)
        else:
            work.fail(claimed.exec_id, WORKER, HOPELESS, rng())


def test_the_queue_and_what_waits_are_told(store: Store, clock: Clock) -> None:
    submit(store, NewJob(command=TRUE, priority=3))
    submit(store, NewJob(command=TRUE, held=True))
    submit(store, NewJob(command=TRUE, scheduled_run_time=clock.now + timedelta(hours=1)))
    clock.forward(seconds=90)
    submit(store, NewJob(command=TRUE, priority=9))
    found = samples(Collector(store, clock, LEASE).text())
    assert found['jobdeck_queue_depth{state="ready"}'] == 2
    assert found['jobdeck_queue_depth{state="held"}'] == 1
    assert found['jobdeck_queue_depth{state="not_yet_due"}'] == 1
    assert found["jobdeck_queue_oldest_seconds"] == 90
    assert found['jobdeck_jobs{status="QUEUED"}'] == 4
    assert found["jobdeck_engine_up"] == found["jobdeck_running"] == found["jobdeck_paused"] == 0
    assert found['jobdeck_store_bytes{part="file"}'] == store.path.stat().st_size
    clock.forward(hours=2)
    assert samples(Collector(store, clock, LEASE).text())["jobdeck_engine_lag_seconds"] == 3600 + 90


def test_gates_that_wait_are_told(store: Store, clock: Clock) -> None:
    submit(store, NewJob(command=TRUE, approval=Gate("sure?")))
    with store.write("engine") as work:
        work.claim(WORKER, LEASE, Limits(slots=1))
    clock.forward(seconds=7)
    found = samples(Collector(store, clock, LEASE).text())
    assert (found["jobdeck_approvals_waiting"], found["jobdeck_approvals_oldest_seconds"]) == (1, 7)


def test_what_ends_while_it_looks_is_counted_once(store: Store, clock: Clock) -> None:
    ended(store, clock, 1)
    collector = Collector(store, clock, LEASE)
    assert "jobdeck_jobs_ended_total" not in collector.text()
    ended(store, clock, 3)
    ended(store, clock, 20, well=False)
    for _ in range(2):
        found = samples(collector.text())
        assert found['jobdeck_jobs_ended_total{type="etl",status="SUCCEEDED"}'] == 1
        assert found['jobdeck_jobs_ended_total{type="etl",status="FAILED"}'] == 1
        assert found['jobdeck_retries_total{type="etl"}'] == 0
        assert found['jobdeck_job_duration_seconds_bucket{type="etl",le="1"}'] == 0
        assert found['jobdeck_job_duration_seconds_bucket{type="etl",le="5"}'] == 1
        assert found['jobdeck_job_duration_seconds_bucket{type="etl",le="+Inf"}'] == 2
        assert found['jobdeck_job_duration_seconds_sum{type="etl"}'] == 23
        assert found['jobdeck_job_duration_seconds_count{type="etl"}'] == 2


def test_a_single_look_counts_the_last_hour(cli: Cli, store: Store, clock: Clock) -> None:
    ended(store, clock, 1)
    clock.forward(hours=2)
    ended(store, clock, 1)
    ran = cli("metrics")
    assert ran.code == 0
    assert samples(ran.out)['jobdeck_jobs_ended_total{type="etl",status="SUCCEEDED"}'] == 1
    assert "in the last 3600 s" in ran.out
    assert cli("metrics", "--json").json == ran.out.splitlines()


def test_types_beyond_a_number_are_counted_together() -> None:
    tally = Tally()
    tally.count(End(f"type {number}", Status.SUCCEEDED, 2, None) for number in range(MOST_TYPES + 7))
    found = samples(text_of(tally.families("since then")))
    assert found['jobdeck_jobs_ended_total{type="other",status="SUCCEEDED"}'] == 7
    assert found['jobdeck_retries_total{type="other"}'] == 14
    assert len(found) == 2 * (MOST_TYPES + 1)


def test_a_label_may_hold_anything() -> None:
    text = text_of([Family("x", "gauge", "y").add(0.5, type='a"b\\c\nd')])
    assert text == '# HELP x y\n# TYPE x gauge\nx{type="a\\"b\\\\c\\nd"} 0.5\n'


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("9464", ("127.0.0.1", 9464)),
        ("10.0.0.7:80", ("10.0.0.7", 80)),
        ("[::1]:1", ("::1", 1)),
        ("localhost:0", ("localhost", 0)),
    ],
)
def test_an_address_is_loopback_unless_it_says_otherwise(text: str, address: tuple[str, int]) -> None:
    assert address_of(text) == address


@pytest.mark.parametrize("text", ["", "x", ":80", "1:2:x", "127.0.0.1:70000", "127.0.0.1"])
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="is not an address; use a port"):
        address_of(text)


@contextmanager
def served(store: Store, trouble: list[str]) -> Iterator[tuple[str, int]]:
    places = Places(store.path.parent, store.path)
    with serving(("127.0.0.1", 0), places, LEASE, lambda: trouble[0] if trouble else None) as address:
        yield address


def asked(address: tuple[str, int], path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(*address, timeout=30)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_a_monitor_is_answered_over_the_loopback(store: Store) -> None:
    trouble: list[str] = []
    with served(store, trouble) as address:
        code, text = asked(address, "/metrics?x=1")
        assert code == 200
        assert samples(text)["jobdeck_engine_up"] == 0
        assert asked(address, "/healthz") == (503, "no engine leads this store\n")
        assert asked(address, "/")[0] == 404
        trouble.append("the disk is full")
        assert asked(address, "/healthz") == (503, "the disk is full\n")
    with pytest.raises(OSError, match=r"refused"):
        socket.create_connection(address).close()


def test_a_store_that_is_gone_is_an_answer_and_no_end(store: Store, tmp_path: Path) -> None:
    with served(store, []) as address:
        aside = tmp_path / "aside"
        store.close()
        store.path.rename(aside)
        store.path.mkdir()
        code, text = asked(address, "/metrics")
        assert code == 503
        assert "is not a file" in text
        store.path.rmdir()
        aside.rename(store.path)
        assert asked(address, "/metrics")[0] == 200


def test_a_caller_who_says_nothing_or_goes_away_keeps_nobody_for_long(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.metrics.server._Handler.timeout", 0.05)
    with served(store, []) as address, socket.create_connection(address), socket.create_connection(address) as gone:
        gone.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        gone.close()
        assert asked(address, "/metrics")[0] == 200


def test_a_port_that_is_taken_is_told(store: Store) -> None:
    with (
        served(store, []) as address,
        pytest.raises(Trouble, match="metrics can't be served at"),
        serving(address, Places(store.path.parent, store.path), LEASE, lambda: None),
    ):
        pass
