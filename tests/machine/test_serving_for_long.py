"""`jobdeck serve` as it is lived with: what it prunes, rereads, tells a monitor, looks up and hands to its jobs."""

import http.client
import os
import re
from pathlib import Path

from core.status import Status
from tests.machine.deck import MakeDeck, running
from tests.machine.waiting import until


def test_an_engine_prunes_by_itself_what_its_config_lets_go(make_deck: MakeDeck) -> None:
    deck = make_deck("")
    jobs = [deck.shell("echo hello") for _ in range(3)]
    assert deck.serve("--until-idle").ends() == 0
    logs = deck.places.logs
    assert len(list(logs.rglob("*.log"))) == 3
    deck.places.config.write_text("[retention]\nkeep = 1\n")
    engine = deck.serve().leads().tells("2 finished jobs were old enough to go, with 2 logs")
    assert len(list(logs.rglob("*.log"))) == 1
    assert deck.ends(deck.shell("true")).id == jobs[-1] + 1
    engine.process.terminate()
    assert engine.ends() == 0


def test_a_running_engine_takes_over_a_changed_config_and_keeps_its_own_when_that_is_broken(
    make_deck: MakeDeck,
) -> None:
    deck = make_deck("slots = 1\n")
    engine = deck.serve().leads()
    first = running(deck, "echo ready; read line < gate 2> /dev/null; exec sleep 300")
    second = deck.shell("echo ready; exec sleep 300")
    deck.places.config.write_text("slots = two\n")
    engine.tells("the config was changed, but can't be used, so the one before holds: ")
    assert deck.job(second).status is Status.QUEUED
    deck.places.config.write_text("slots = 2\n")
    engine.tells("the config was read again: slots")
    until(lambda: "ready" in deck.log(second), "the second job has a slot")
    assert deck.job(first).status is Status.RUNNING
    with deck.store.read() as views:
        leader = views.leader()
    assert leader is not None
    assert leader.limits.slots == 2
    engine.process.terminate()
    engine.process.terminate()
    engine.ends()


def test_an_engine_that_was_told_its_slots_keeps_them_whatever_the_config_says(make_deck: MakeDeck) -> None:
    deck = make_deck("slots = 1\n")
    engine = deck.serve("--slots", "3").leads()
    deck.places.config.write_text("slots = 2\n[types.etl]\nconcurrency = 7\n")
    engine.tells("the config was read again: slots; types etl")

    def per_type() -> bool:
        with deck.store.read() as views:
            leader = views.leader()
        return leader is not None and dict(leader.limits.per_type) == {"etl": 7} and leader.limits.slots == 3

    until(per_type, "the limit of the type holds")
    engine.process.terminate()
    assert engine.ends() == 0


def test_a_search_path_that_a_job_brings_is_the_one_it_gets(make_deck: MakeDeck) -> None:
    deck = make_deck("[types.typed]\nenv = { PATH = '/bin:/of/the/type' }\n")
    own = deck.jobdeck("submit", "--env", "PATH=/bin:/mine", "--shell", "--", "echo $PATH").stdout.strip()
    typed = deck.jobdeck("submit", "--type", "typed", "--shell", "--", "echo $PATH").stdout.strip()
    engine = deck.serve("--until-idle")
    assert engine.ends() == 0
    assert [deck.log(int(one)) for one in (own, typed)] == ["/bin:/mine\n", "/bin:/of/the/type\n"]


def test_a_monitor_sees_an_engine_at_work(make_deck: MakeDeck) -> None:
    deck = make_deck("")
    engine = deck.serve("--metrics", "0").leads().tells("metrics are at http://127.0.0.1:")
    found = re.search(r"http://127\.0\.0\.1:([0-9]+)/metrics", engine.told())
    assert found is not None

    def asked(path: str) -> str:
        connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
        try:
            connection.request("GET", path)
            return connection.getresponse().read().decode()
        finally:
            connection.close()

    assert asked("/healthz") == "ok\n"
    assert "jobdeck_engine_up 1\n" in asked("/metrics")
    deck.ends(deck.shell("true"))
    until(lambda: 'jobdeck_jobs_ended_total{type="command",status="SUCCEEDED"} 1\n' in asked("/metrics"), "it counts")
    engine.process.terminate()
    assert engine.ends() == 0


def test_a_secret_is_looked_up_when_its_job_starts_and_never_stored(make_deck: MakeDeck, tmp_path: Path) -> None:
    deck = make_deck("[types.typed]\nenv = { TOKEN = '@env:HOME' }\n")
    secret = tmp_path / "token"
    script = ("--shell", "--", "echo got $TOKEN")
    file = int(deck.jobdeck("submit", "--env", f"TOKEN=@file:{secret}", *script).stdout)
    gone = int(deck.jobdeck("submit", "--env", f"TOKEN=@file:{tmp_path}/gone", *script).stdout)
    typed = int(deck.jobdeck("submit", "--type", "typed", *script).stdout)
    secret.write_text("hunter2\n")
    assert deck.serve("--until-idle").ends() == 0
    assert deck.log(file) == "got hunter2\n"
    assert deck.log(typed) == f"got {os.environ['HOME']}\n"
    failed = deck.job(gone)
    assert (failed.status, failed.error_type) == (Status.FAILED, "TERMINAL")
    assert failed.error_message == (
        f"the variable TOKEN comes from {tmp_path}/gone, which can't be read: no such file or directory"
    )
    assert b"hunter2" not in b"".join(part.read_bytes() for part in deck.places.home.glob("jobdeck.db*"))
