"""`jobdeck serve` from outside: it leads, hands over, drains, stops and rests, as an operator sees it."""

import json
import os
import signal
import statistics
import time
from pathlib import Path

import pytest

from core.machine.loop import TICK
from core.status import Status
from tests.machine.deck import Deck, MakeDeck, running
from tests.machine.waiting import never, runs, until

ENDING = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


def test_a_second_engine_attaches_and_takes_over_within_two_seconds_of_the_firsts_death(deck: Deck) -> None:
    first = deck.serve("--slots", "1").leads()
    second = deck.serve("--slots", "1").tells(f"pid {first.pid} on ")
    assert "waiting to take over" in second.told()
    job = running(deck, "echo ready; exec sleep 300")
    orphan = until(lambda: deck.executions(job)[0].pid, "its process is noted")
    first.kill()
    died = time.monotonic()
    second.leads()
    took = time.monotonic() - died
    print(f"took over after {took:.3f} s")
    assert took < 2
    until(lambda: deck.tail(job).id != job and deck.tail(job).status is Status.RUNNING, "the job runs again")
    assert not runs(orphan)
    assert deck.job(job).error_message == "Scheduler crash recovery"
    assert f"its run was lost; job {deck.tail(job).id} runs it again" in second.told()


def test_a_second_engine_leads_at_once_when_the_first_leaves(deck: Deck) -> None:
    first = deck.serve().leads()
    second = deck.serve().tells("waiting to take over")
    first.process.terminate()
    assert first.ends() == 0
    second.leads()
    assert deck.ends(deck.shell("true")).status is Status.SUCCEEDED


def test_an_attached_engine_leaves_when_it_is_told_to(deck: Deck) -> None:
    deck.serve().leads()
    second = deck.serve().tells("waiting to take over")
    second.process.terminate()
    assert second.ends(5) == 0


@pytest.mark.parametrize("number", ENDING)
def test_asked_to_end_it_lets_running_jobs_end_and_starts_no_others(deck: Deck, tmp_path: Path, number: int) -> None:
    engine = deck.serve("--slots", "1").leads()
    job = running(deck, f"echo ready; until [ -e {tmp_path}/go ]; do sleep 0.01; done; echo done")
    later = deck.shell("true")
    engine.process.send_signal(number)
    engine.tells("ending: waiting up to 10 s for running jobs; once more stops them now")
    never(lambda: engine.process.poll() is not None, "it did not wait for the job", seconds=2 * TICK)
    (tmp_path / "go").touch()
    assert engine.ends() == 0
    assert deck.job(job).status is Status.SUCCEEDED
    assert deck.job(later).status is Status.QUEUED
    assert engine.told().endswith("stopped; nothing runs any more\n")


@pytest.mark.parametrize("number", ENDING)
def test_asked_twice_it_stops_now_and_records_it(deck: Deck, number: int) -> None:
    engine = deck.serve("--slots", "1").leads()
    job = running(deck, "trap '' TERM; echo ready; while :; do sleep 1; done")
    engine.process.send_signal(number)
    engine.tells("ending: ")
    engine.process.send_signal(number)
    assert engine.ends(8) == 0
    stopped = deck.job(job)
    assert (stopped.status, stopped.error_message) == (Status.RETRYING, "stopped with its engine")
    assert deck.mark.bearers() == []


def test_what_does_not_end_within_the_grace_is_stopped(deck: Deck) -> None:
    engine = deck.serve("--slots", "1", "--grace", "0.3s").leads()
    job = running(deck, "echo ready; exec sleep 300")
    engine.process.terminate()
    assert engine.ends(8) == 0
    assert deck.job(job).error_message == "stopped with its engine"
    assert deck.mark.bearers() == []


def test_until_idle_runs_all_there_is_and_ends(deck: Deck) -> None:
    done = [deck.shell("true") for _ in range(3)]
    flaky = deck.shell('[ "$JOBDECK_ATTEMPT" = 2 ]')
    gated = deck.shell("jobdeck job gate g")
    held = deck.submit("true", held=True)
    engine = deck.serve("--slots", "2", "--until-idle")
    assert engine.ends() == 0
    assert [deck.job(job).status for job in (*done, flaky)] == [Status.SUCCEEDED] * 4
    assert deck.job(gated).status is Status.WAITING_FOR_APPROVAL
    assert deck.job(held).status is Status.QUEUED
    assert deck.findings() == []


def test_it_tells_what_it_does_as_lines_of_json(deck: Deck) -> None:
    job = deck.shell("exit 65")
    engine = deck.serve("--json", "--until-idle")
    assert engine.ends() == 0
    told = [json.loads(line) for line in engine.told().splitlines()]
    assert [one["kind"] for one in told] == ["lead", "start", "end", "stop"]
    assert told[2]["job"] == job
    assert told[2]["words"].startswith("FAILED (exit 65: bad input data)")


def test_what_another_process_submits_starts_long_before_the_loop_would_look_by_itself(deck: Deck) -> None:
    deck.serve("--slots", "1").leads()
    took = []
    for _ in range(40):
        submitted = time.time()
        job = deck.shell("date +%s.%N")
        assert deck.ends(job).status is Status.SUCCEEDED
        took.append((float(deck.log(job)) - submitted) * 1000)
    p95 = statistics.quantiles(took, n=20)[18]
    print(f"submitted to started: median {statistics.median(took):.1f} ms, p95 {p95:.1f} ms, most {max(took):.1f} ms")
    assert statistics.median(took) < 250 <= TICK * 1000 / 2


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_engine_with_nothing_to_do_costs_next_to_nothing(make_deck: MakeDeck) -> None:
    idle, busy = make_deck(""), make_deck("")
    engines = [deck.serve("--slots", "1").leads() for deck in (idle, busy)]
    idle.ends(idle.shell("true"))
    running(busy, "echo ready; exec sleep 300")
    begun, before = time.monotonic(), [_cpu_seconds(engine.pid) for engine in engines]
    never(lambda: any(engine.process.poll() is not None for engine in engines), "an engine ended", seconds=10)
    passed = time.monotonic() - begun
    used = [(_cpu_seconds(engine.pid) - at) / passed for engine, at in zip(engines, before, strict=True)]
    print(f"of a processor: {used[0]:.2%} idle, {used[1]:.2%} with a job that is quiet")
    assert max(used) < 0.05


def test_a_log_is_kept_within_its_limit_while_its_job_runs(make_deck: MakeDeck) -> None:
    deck = make_deck('log_limit = "64KiB"\n')
    deck.serve("--slots", "1").leads()
    job = deck.shell("seq 1 300000; echo ready; exec sleep 300")
    (path,) = until(lambda: list(deck.places.logs.glob("*/*.log")), "the log is there")
    until(lambda: path.read_bytes().endswith(b"ready\n"), "all is written")
    until(lambda: path.stat().st_blocks * 512 <= 64 * 1024, "the log is trimmed")
    assert path.read_bytes().endswith(b"299999\n300000\nready\n")
    assert deck.job(job).status is Status.RUNNING


def test_all_files_are_the_operators_only(deck: Deck) -> None:
    before = os.umask(0)
    try:
        engine = deck.serve("--slots", "1").leads()
        running(deck, "echo ready; exec sleep 300")
    finally:
        os.umask(before)
    modes = {
        str(path.relative_to(deck.places.home)): path.stat().st_mode & 0o777
        for path in deck.places.home.rglob("*")
        if path != deck.places.config
    }
    directories = {"logs", "logs/000", "jobdeck.run"}
    assert {name: mode for name, mode in modes.items() if name in directories} == dict.fromkeys(directories, 0o700)
    files = {name: mode for name, mode in modes.items() if name not in directories}
    assert files == dict.fromkeys(files, 0o600)
    assert {"jobdeck.run/lock", "jobdeck.run/bell", "jobdeck.run/engine.sock", "jobdeck.db"} <= set(files)
    engine.kill()
