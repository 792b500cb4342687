"""Engines as processes of their own tell a real receiver, whatever becomes of either of them."""

import json
import os
import signal
import statistics
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.status import Status
from tests.machine.deck import Deck, MakeDeck, Served
from tests.machine.receiver import KEYS, SECRETS, Answer, Received, Receiver
from tests.machine.waiting import until


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


def listening(receiver: Receiver, more: str = "") -> str:
    return f'[notify.ops]\nurl = "{receiver.url()}"\nsecrets = {list(SECRETS)}\nallow_private = true\n{more}'


def states(deck: Deck) -> list[str]:
    with deck.store.read() as views:
        found = [*views.waiting_notifications(99), *views.failed_notifications(99)]
        return sorted(one.state for one in [*found, *views.delivered_notifications(99)])


def delivers_or_dies(deck: Deck, engine: Served, count: int) -> None:
    done = ["delivered"] * count
    until(lambda: states(deck) == done or engine.process.poll() is not None, "all is delivered, or it was killed")
    engine.kill()


def test_an_engine_killed_between_delivery_and_record_delivers_again_with_the_same_id(
    make_deck: MakeDeck, receiver: Receiver
) -> None:
    deck = make_deck(listening(receiver))
    killed: list[int] = []

    def kills(_: Received) -> Answer:
        if killed:
            os.kill(killed.pop(), signal.SIGKILL)
        return Answer()

    receiver.answer = kills
    engine = deck.serve("--slots", "1").leads()
    killed.append(engine.pid)
    job = deck.shell("exit 64")
    first = receiver.next()
    engine.process.wait()
    assert states(deck) == ["pending"]
    deck.serve("--slots", "1").leads()
    second = receiver.next()
    assert (second.id, second.content) == (first.id, first.content)
    assert second.signed_with(KEYS[1])
    assert second.json["data"]["job"] == job
    until(lambda: states(deck) == ["delivered"], "it is recorded")
    assert receiver.requests.empty()


def test_nothing_is_lost_however_often_engines_are_killed(make_deck: MakeDeck, receiver: Receiver) -> None:
    deck = make_deck(listening(receiver, 'events = ["job.failed"]\n'))
    jobs = {deck.shell("exit 64") for _ in range(12)}
    engines: list[int] = []
    answered = 0

    def kills_every_third(_: Received) -> Answer:
        nonlocal answered
        answered += 1
        if answered % 3 == 0 and engines:
            os.kill(engines.pop(), signal.SIGKILL)
        return Answer()

    receiver.answer = kills_every_third
    while states(deck) != ["delivered"] * len(jobs):
        engine = deck.serve("--slots", "4")
        engines.append(engine.pid)
        delivers_or_dies(deck, engine, len(jobs))
    ids: dict[int, set[str]] = {}
    while not receiver.requests.empty():
        got = receiver.next()
        ids.setdefault(got.json["data"]["job"], set()).add(got.id)
    # A job that ran when its engine was killed has failed as another link of its chain.
    assert set(ids) == {deck.tail(job).id for job in jobs}
    assert {len(found) for found in ids.values()} == {1}


def test_a_dead_and_a_slow_receiver_slow_no_job(make_deck: MakeDeck, receiver: Receiver) -> None:
    release = threading.Event()

    def slow(_: Received) -> Answer:
        release.wait()
        return Answer()

    receiver.answer = slow
    with Receiver() as gone:
        dead = listening(gone).replace("ops", "dead")
    deck = make_deck(listening(receiver, 'timeout = "5m"\n') + dead)
    deck.serve("--slots", "1").leads()
    deck.shell("exit 64")
    receiver.next()
    took = []
    for _ in range(20):
        submitted = time.monotonic()
        assert deck.ends(deck.shell("exit 64")).status is Status.FAILED
        took.append(time.monotonic() - submitted)
    print(f"from submit to end beside a slow receiver: median {statistics.median(took):.3f} s, most {max(took):.3f} s")
    assert statistics.median(took) < 1
    assert states(deck).count("delivered") == 0
    release.set()


def test_an_engine_that_ends_when_idle_has_told_before(make_deck: MakeDeck, receiver: Receiver) -> None:
    deck = make_deck(listening(receiver))
    for _ in range(5):
        deck.shell("exit 64")
    assert deck.serve("--slots", "2", "--until-idle").ends() == 0
    assert states(deck) == ["delivered"] * 5


def test_asked_twice_to_end_it_waits_for_no_receiver(make_deck: MakeDeck, receiver: Receiver) -> None:
    release = threading.Event()

    def slow(_: Received) -> Answer:
        release.wait()
        return Answer()

    receiver.answer = slow
    deck = make_deck(listening(receiver, 'timeout = "5m"\n'))
    engine = deck.serve("--slots", "1").leads()
    deck.shell("exit 64")
    receiver.next()
    engine.process.terminate()
    engine.tells("ending: ")
    engine.process.terminate()
    assert engine.ends(10) == 0
    release.set()
    assert states(deck) == ["pending"]


def test_what_recovery_did_and_a_denial_by_hand_are_told(make_deck: MakeDeck, receiver: Receiver) -> None:
    deck = make_deck(listening(receiver))
    first = deck.serve("--slots", "1").leads()
    job = deck.shell("echo ready; exec sleep 300")
    until(lambda: "ready" in deck.log(job), "it runs")
    first.kill()
    deck.serve("--slots", "2").leads()
    told = receiver.next().json
    assert told["type"] == "recovery.acted"
    assert told["data"]["jobs"] == [{"job": job, "did": f"its run was lost; job {deck.tail(job).id} runs it again"}]
    gated = int(deck.jobdeck("submit", "--approval", "ship it?", "--", "true").stdout)
    wanted = receiver.next().json
    assert (wanted["type"], wanted["data"]["job"]) == ("approval.wanted", gated)
    token = wanted["data"]["token"]
    denied = deck.jobdeck("deny", str(gated), "--reason", "not now", "--token", token)
    assert denied.returncode == 0, denied.stderr
    assert receiver.next().json["data"]["job"] == gated


def test_a_program_that_is_told_ends_with_an_engine_that_is_in_a_hurry(make_deck: MakeDeck, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    script = json.dumps(["/bin/sh", "-c", f"cat > {ready}.part; mv {ready}.part {ready}; exec sleep 300"])
    deck = make_deck(f'[notify.page]\ncommand = {script}\ntimeout = "5m"\n')
    engine = deck.serve("--slots", "1").leads()
    deck.shell("exit 64")
    until(ready.exists, "the program was told")
    engine.process.terminate()
    engine.tells("ending: ")
    engine.process.terminate()
    assert engine.ends(10) == 0
    until(lambda: not deck.mark.bearers(), "nothing is left behind")


def test_a_failure_to_tell_is_told_by_the_engine(make_deck: MakeDeck, receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(410)
    deck = make_deck(listening(receiver))
    engine = deck.serve("--slots", "1").leads()
    deck.shell("exit 64")
    engine.tells("ops could not be told job.failed of job 1: it answered 410 Gone; it is switched off now")
    until(lambda: states(deck) == ["failed"], "it is given up")


def test_a_running_engine_tells_whom_its_config_names_now(make_deck: MakeDeck, receiver: Receiver) -> None:
    deck = make_deck("")
    engine = deck.serve("--slots", "1").leads()
    deck.ends(deck.shell("exit 64"))
    deck.places.config.write_text(listening(receiver))
    engine.tells("the config was read again: targets ops")
    until(lambda: _listeners(deck) == ["ops"], "ops is listened to")
    first = deck.shell("exit 64")
    assert receiver.next().json["data"]["job"] == first
    with Receiver() as other:
        deck.places.config.write_text(listening(other) + listening(other).replace("ops", "more"))
        engine.tells("the config was read again: targets more, ops")
        until(lambda: _listeners(deck) == ["more", "ops"], "both are listened to")
        second = deck.shell("exit 64")
        assert [other.next().json["data"]["job"] for _ in range(2)] == [second, second]
        until(lambda: states(deck) == ["delivered"] * 3, "all is recorded")
    deck.places.config.write_text("")
    until(lambda: _listeners(deck) == [], "nobody is listened to")
    deck.ends(deck.shell("exit 64"))
    engine.process.terminate()
    assert engine.ends() == 0
    assert states(deck) == ["delivered"] * 3
    assert receiver.requests.empty()


def _listeners(deck: Deck) -> list[str]:
    with deck.store.read() as views:
        return [one.name for one in views.listeners()]


def test_what_the_config_hides_is_told_to_nobody(make_deck: MakeDeck, receiver: Receiver) -> None:
    deck = make_deck(listening(receiver) + '[secrets]\npatterns = ["ghp_[a-z]+"]\n')
    deck.serve("--slots", "1").leads()
    deck.submit("sh", "-c", "exit 64", job_key="for ghp_abc", job_type="etl ghp_abc")
    failed = receiver.next()
    assert failed.json["data"]["job_key"] == "for •••"
    assert "job 1 (etl ••• for •••) FAILED: " in failed.json["data"]["message"]
    deck.jobdeck("submit", "--approval", "use ghp_abc?", "--", "true")
    wanted = receiver.next()
    assert wanted.json["data"]["question"] == "use •••?"
    assert b"ghp_" not in failed.content + wanted.content
    answered = deck.jobdeck("approve", "2", "--token", wanted.json["data"]["token"])
    assert answered.returncode == 0, answered.stderr
