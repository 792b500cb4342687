"""The engine in the console's own process: it runs jobs, is seen out when one leaves, and its failing is told."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from console.app.deck import Deck
from console.app.dialogs.engine_dialog import EngineDialog
from console.app.dialogs.quit_dialog import Draining, QuitDialog
from console.app.screens.deck import DeckScreen
from console.home import Places
from core.config import Config
from core.engine.engine import Engine
from core.jobs import Command, Job, NewJob
from core.machine.loop import Loop
from core.refusals import Trouble
from core.status import Status
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.machine.deck import Deck as MachineDeck
from tests.machine.marks import Mark

pytestmark = pytest.mark.usefixtures("mark")


@pytest.fixture
def own(store_path: Path) -> Deck:
    """A console that leads, at the real time."""
    places = Places(store_path.parent, store_path)
    return Deck(places, Config(slots=2, grace=timedelta(seconds=20)), "ann", ZoneInfo("UTC"))


@pytest.fixture
def real(store_path: Path) -> Callable[[], Store]:
    return lambda: Store(store_path)


def submit(make: Callable[[], Store], *argv: str, **more: object) -> int:
    with make() as store, store.write("bob") as work:
        return work.submit(NewJob(command=Command(argv), **more)).id  # type: ignore[arg-type]


def job(make: Callable[[], Store], number: int) -> Job:
    with make() as store, store.read() as views:
        return views.job(number)


def patient(ready: Path) -> tuple[str, str, str]:
    """A job that says when it runs, and ends well when it is asked to."""
    return "/bin/sh", "-c", f"trap 'exit 0' TERM; touch {ready}; while :; do sleep 0.05; done"


def stubborn(ready: Path) -> tuple[str, str, str]:
    """A job that does not end when it is asked to."""
    return "/bin/sh", "-c", f"trap '' TERM; touch {ready}; while :; do sleep 0.05; done"


async def runs(at: Console, ready: Path) -> None:
    await at.until(
        lambda: ready.exists() and at.app.engine.thread is not None and at.app.engine.thread.running, "it runs"
    )


async def leads(at: Console) -> None:
    await at.until(lambda: "jobdeck leading" in at.lines[0], "it leads")


async def gone(at: Console) -> None:
    """The console has left by itself."""
    await at.until(lambda: at.app._exit, "the console leaves")


async def test_jobs_run_in_it_and_are_seen(console: OpenConsole, own: Deck, real: Callable[[], Store]) -> None:
    async with console(LARGE, own) as at:
        await leads(at)
        number = submit(real, "/bin/sh", "-c", "echo hello; exit 0", job_key="first")
        await at.until(lambda: job(real, number).status is Status.SUCCEEDED, "it is run")
        await at.until(lambda: "✓ 1 ok" in at.lines[0], "and counted")
        await at.press("6")
        await at.until(lambda: "✓ succeeded" in at.text, "and in the history")


async def test_leaving_with_nothing_running_asks_nothing(console: OpenConsole, own: Deck) -> None:
    async with console(SMALL, own) as at:
        await leads(at)
        await at.press("q")
        await gone(at)
        assert at.app.engine.thread is not None
        assert not at.app.engine.thread.is_alive()


async def test_leaving_while_jobs_run_asks_and_one_can_stay(
    console: OpenConsole, own: Deck, real: Callable[[], Store], tmp_path: Path
) -> None:
    number = submit(real, *patient(tmp_path / "ready"))
    async with console(SMALL, own) as at:
        await runs(at, tmp_path / "ready")
        await at.press("q")
        await at.until(lambda: isinstance(at.screen, QuitDialog), "it asks")
        await at.until(lambda: "1 job runs in this console. Leave?" in at.text, "with the number")
        await at.press("enter")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "staying takes no effort")
        await at.press("ctrl+c")
        await at.until(lambda: isinstance(at.screen, QuitDialog), "ctrl+c asks too")
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "escape stays")
        assert job(real, number).status is Status.RUNNING


async def test_leaving_can_wait_for_the_jobs(
    console: OpenConsole, own: Deck, real: Callable[[], Store], tmp_path: Path
) -> None:
    ready, go = tmp_path / "ready", tmp_path / "go"
    number = submit(real, "/bin/sh", "-c", f"touch {ready}; until [ -e {go} ]; do sleep 0.05; done")
    later = submit(real, "true", held=True)
    async with console(SMALL, own) as at:
        await runs(at, ready)
        await at.press("q")
        await at.until(lambda: isinstance(at.screen, QuitDialog), "it asks")
        await at.press("w")
        await at.until(lambda: isinstance(at.screen, Draining) and "Waiting for 1 job" in at.text, "it waits")
        with real() as store, store.write("bob") as work:
            work.unhold(later)
        go.touch()
        await gone(at)
    assert job(real, number).status is Status.SUCCEEDED
    assert job(real, later).status is Status.QUEUED, "nothing new was started"


async def test_leaving_can_stop_the_jobs(
    console: OpenConsole, own: Deck, real: Callable[[], Store], tmp_path: Path
) -> None:
    number = submit(real, *patient(tmp_path / "ready"))
    async with console(SMALL, own) as at:
        await runs(at, tmp_path / "ready")
        await at.press("q")
        await at.until(lambda: isinstance(at.screen, QuitDialog), "it asks")
        await at.press("s")
        await gone(at)
    assert job(real, number).status is Status.RETRYING, "it was stopped, and goes on the next time"


async def test_a_job_that_does_not_stop_is_killed_on_demand(
    console: OpenConsole, own: Deck, real: Callable[[], Store], tmp_path: Path
) -> None:
    number = submit(real, *stubborn(tmp_path / "ready"))
    async with console(SMALL, own) as at:
        await runs(at, tmp_path / "ready")
        await at.press("q")
        await at.until(lambda: isinstance(at.screen, QuitDialog), "it asks")
        await at.press("s")
        await at.until(lambda: "Stopping 1 job" in at.text and "Kill them (s)" in at.text, "it does not end")
        await at.press("s")
        await gone(at)
    assert job(real, number).status is Status.RETRYING


async def test_a_terminal_that_is_lost_leaves_the_engine_to_drain(
    console: OpenConsole, own: Deck, real: Callable[[], Store], tmp_path: Path
) -> None:
    own = replace(own, config=replace(own.config, grace=timedelta(seconds=1)))
    number = submit(real, *patient(tmp_path / "ready"))
    told: list[str] = []
    async with console(SMALL, own) as at:
        await runs(at, tmp_path / "ready")
        at.app.lost_terminal()
        await gone(at)
        at.app.engine.see_out(told.append)
        assert at.app.engine.thread is not None
        assert not at.app.engine.thread.is_alive()
    assert told == ["waiting up to 1s for running jobs; Ctrl-C stops them now"]
    assert job(real, number).status is Status.RETRYING, "it goes on with the next engine"


async def test_an_engine_that_breaks_says_what_is_safe_and_starts_again(
    console: OpenConsole, own: Deck, real: Callable[[], Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = True
    step = Loop._step_until_it_ends

    def breaking(loop: Loop, engine: Engine) -> None:
        if broken:
            raise Trouble("the floor is gone [/oops]")
        step(loop, engine)

    monkeypatch.setattr(Loop, "_step_until_it_ends", breaking)
    number = submit(real, "true")
    async with console(SMALL, own) as at:
        await at.until(lambda: isinstance(at.screen, EngineDialog), "it is told")
        await at.until(lambda: "the floor is gone [/oops]" in at.text, "with what happened")
        assert "Everything that was acknowledged is in the store" in " ".join(at.text.replace("│", " ").split())
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "one can go on without it")
        await at.press("h")
        await at.told("job 1 is held")
        await at.until(lambda: "no engine" in at.lines[0], "the header says so")
        await at.until(lambda: "it is held" in at.text, "the queue shows it")
        await at.press("h")
        await at.told("job 1 may start")
        at.app.engine.start()
        await at.until(lambda: isinstance(at.screen, EngineDialog), "it breaks again")
        broken = False
        await at.press("s")
        await at.until(lambda: job(real, number).status is Status.SUCCEEDED, "it was started again, and works")


async def test_a_console_beside_an_engine_attaches_and_takes_over_when_that_dies(
    console: OpenConsole, tmp_path: Path, blank_store: Path, mark: Mark
) -> None:
    other = MachineDeck(tmp_path / "other", blank_store, "slots = 1\n")
    try:
        engine = other.serve()
        engine.leads()
        beside = Deck(other.places, Config(slots=1), "ann", ZoneInfo("UTC"))
        async with console(LARGE, beside) as at:
            await at.until(lambda: f"attached to pid {engine.pid}" in at.lines[0], "it attaches")
            number = other.submit("true")
            await at.until(lambda: "✓ 1 ok" in at.lines[0], "it sees what the other one runs")
            engine.kill()
            await at.until(lambda: "jobdeck leading" in at.lines[0], "it takes over")
            later = other.submit("true")
            await at.until(lambda: other.job(later).status is Status.SUCCEEDED, "and runs what comes")
            assert other.job(number).status is Status.SUCCEEDED
        assert mark.value != other.mark.value
    finally:
        other.close()


async def test_what_recovery_did_is_told_in_one_sentence(
    console: OpenConsole, own: Deck, real: Callable[[], Store]
) -> None:
    for _ in range(3):
        submit(real, "true", max_retries=0)
    with real() as store, store.write("engine") as work:
        for claim in work.claim("engine@elsewhere:1:1:boot:x", timedelta(seconds=30), own.config.limits(9)):
            work.start(claim.exec_id, "engine@elsewhere:1:1:boot:x")
    async with console(LARGE, own) as at:
        await at.told("and 2 more, see: jobdeck status")
        assert len([one for one in at.said if one.startswith("recovered:")]) == 1


async def test_a_store_that_can_not_be_read_is_told_and_keys_still_work(
    console: OpenConsole, deck: Deck, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with console(SMALL, deck) as at:

        def fail(*_: object) -> None:
            raise Trouble("the disk is on fire")

        monkeypatch.setattr(Store, "read", fail)
        at.app.look_again()
        await at.told("the disk is on fire")
        await at.press("4")
        await at.until(lambda: "4 Schedules" in at.text, "keys still work")
