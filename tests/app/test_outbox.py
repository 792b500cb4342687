"""The outbox in the console: what could not be told is seen, understood and told again; terminals are rung."""

from datetime import timedelta
from random import Random

import pytest

from console.app.deck import Deck
from console.app.hearing import Hearing
from console.app.screens.deck import DeckScreen
from console.app.screens.job import JobScreen
from console.app.screens.outbox import OutboxScreen
from core.config import Config
from core.jobs import NewJob
from core.notifications import Signal, Target, Terminal, Told, Webhook
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import BIDI, ESCAPE, MARKUP, assert_only_text
from tests.app.recording import Recorder
from tests.conftest import Clock
from tests.store.running_jobs import HOPELESS, TRUE, WORKER, running

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
OPS = Webhook("ops", url="https://hooks.example.com/secret", secrets=(b"k" * 32,))


def listen(store: Store, *targets: Target) -> None:
    with store.write("engine") as work:
        work.know_targets(targets)


def fails(store: Store, **wanted: object) -> int:
    claimed = running(store, NewJob(**{"command": TRUE, **wanted}))  # type: ignore[arg-type]
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, HOPELESS, Random(1))
    return claimed.job.id


def untold(store: Store, clock: Clock) -> None:
    """The first was given up, the second is tried again, the third waits."""
    listen(store, OPS)
    for _ in range(3):
        fails(store)
    with store.write("engine") as work:
        work.note_failure(1, "it answered 404 Not Found", None)
        work.note_failure(2, "connection refused", clock.now + timedelta(minutes=5))


def states(store: Store) -> list[str]:
    with store.read() as views:
        return [views.notification(number).state for number in (1, 2, 3)]


async def opened(at: Console) -> OutboxScreen:
    await at.press("O")
    await at.until(lambda: isinstance(at.screen, OutboxScreen) and at.screen.sight is not None, "the outbox is open")
    screen = at.screen
    assert isinstance(screen, OutboxScreen)
    await at.settle()
    return screen


async def test_with_nobody_to_tell_it_says_how_to_name_one(console: OpenConsole) -> None:
    async with console(SMALL) as at:
        await opened(at)
        assert "nobody is told anything" in at.text
        assert "[notify.NAME]" in at.text
        assert "untold" not in at.text
        await at.press("r")
        await at.told("there is nothing here to tell again")
        await at.press("enter")
        await at.told("there is no job here to open")
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")


async def test_when_all_was_told_it_says_so(console: OpenConsole, store: Store) -> None:
    listen(store, OPS)
    async with console(SMALL) as at:
        await opened(at)
        assert "everything was told" in at.text
        assert "Who listens: ops" in at.text


@SIZES
async def test_what_could_not_be_told_is_seen_with_its_reason(
    console: OpenConsole, store: Store, clock: Clock, size: tuple[int, int]
) -> None:
    untold(store, clock)
    async with console(size) as at:
        await at.until(lambda: "✉ 2 untold" in at.text, "the line on top tells of it")
        await opened(at)
        assert "Outbox · 1 failed · 2 waiting" in at.text
        assert "404 Not Found" in at.text
        assert "job 1 (command) FAILED: it can't work" in at.text
        await at.press("end")
        assert "to ops, since 2026-03-02 09:00:00 UTC (now); connection refused" in at.text
        assert "secret" not in at.text
        await at.press("enter")
        await at.until(lambda: isinstance(at.screen, JobScreen), "its job is open")


async def test_one_is_told_again_with_a_key(console: OpenConsole, store: Store, clock: Clock) -> None:
    untold(store, clock)
    async with console() as at:
        await opened(at)
        await at.press("r")
        await at.told("1 notification is told again")
        assert states(store) == ["pending", "retrying", "pending"]
        await at.until(lambda: "Outbox · 3 waiting" in at.text, "the screen follows")


@pytest.mark.parametrize("how", ["deck", "outbox", "command"])
async def test_all_are_told_again(console: OpenConsole, store: Store, clock: Clock, how: str) -> None:
    untold(store, clock)
    async with console() as at:
        if how == "outbox":
            await opened(at)
        await at.press(*(("colon", *"tell-again", "enter") if how == "command" else ("A",)))
        await at.told("2 notifications are told again")
        assert states(store) == ["pending"] * 3
        await at.press("escape")


async def test_a_command_takes_a_number(console: OpenConsole, store: Store, clock: Clock) -> None:
    untold(store, clock)
    async with console() as at:
        await at.press("colon", *"tell-again 2", "enter")
        await at.told("1 notification is told again")
        assert states(store) == ["failed", "pending", "pending"]
        await at.press("colon", *"tell-again x", "enter")
        await at.told("a notification has a number: type a whole number")
        await at.press("colon", *"tell-again 99", "enter")
        await at.told("there is no notification 99")


async def test_who_is_switched_off_is_named(console: OpenConsole, store: Store) -> None:
    listen(store, OPS)
    with store.write("engine") as work:
        work.switch_off("ops", "it answered 410 Gone")
    async with console() as at:
        await at.until(lambda: "✉ switched off" in at.text, "the line on top tells of it")
        await opened(at)
        assert "ops is switched off: it answered 410 Gone" in at.text


async def test_one_who_only_looks_on_tells_nothing_again(
    console: OpenConsole, deck: Deck, store: Store, clock: Clock
) -> None:
    untold(store, clock)
    looks_on = Deck(deck.places, deck.config, "ann", deck.zone, deck.clock, read_only=True, engine=False)
    async with console(LARGE, looks_on) as at:
        await opened(at)
        for key in ("r", "A"):
            await at.press(key)
            await at.told("it was opened with --read-only")
        assert states(store) == ["failed", "retrying", "pending"]


async def test_the_cursor_stays_on_its_thing_and_a_key_never_hits_another(
    console: OpenConsole, store: Store, clock: Clock
) -> None:
    untold(store, clock)
    async with console() as at:
        screen = await opened(at)
        await at.press("end")
        with store.write("engine") as work:
            work.tell_again(1)
            work.note_delivered(1)
        await at.until(lambda: screen.list.count == 2, "the first has gone")
        assert screen.list.selected == 2
        with store.write("engine") as work:
            work.note_delivered(2)
        await at.until(lambda: screen.list.count == 1, "the second has gone too")
        await at.press("r")
        await at.told("what was under the cursor has just left")


@SIZES
async def test_hostile_text_is_only_text(
    console: OpenConsole, store: Store, clock: Clock, size: tuple[int, int]
) -> None:
    bomb = f"{MARKUP}{BIDI}"
    listen(store, Terminal(bomb), OPS)
    fails(store, job_type=MARKUP)
    with store.write("engine") as work:
        work.note_failure(2, f"{ESCAPE}{bomb}", None)
        work.switch_off(bomb, f"{ESCAPE}{bomb}")
    async with console(size) as at:
        await opened(at)
        assert_only_text(at)
        await at.press("r")
        await at.told("is told again")
    del clock


@pytest.mark.parametrize("signal", Signal)
async def test_a_terminal_is_rung_once_for_each_that_is_new(
    console: OpenConsole, deck: Deck, store: Store, clock: Clock, signal: Signal
) -> None:
    here = Terminal("here", frozenset({Told.JOB_FAILED}), signal=signal)
    listen(store, here)
    fails(store)
    config = Config(targets={"here": here})
    ringing = Deck(deck.places, config, "ann", deck.zone, deck.clock, engine=False)
    async with console(LARGE, ringing, record=True) as at:
        driver = at.app._driver
        assert isinstance(driver, Recorder)

        def rings() -> list[str]:
            mark = "\x1b]9;" if signal is Signal.OSC9 else "\a"
            return [one for one in driver.written if one.startswith(mark)]

        await at.app.settled(at.pilot.pause)
        assert rings() == []
        clock.forward(seconds=1)
        job = fails(store, job_type=f"{MARKUP}{BIDI}")
        await at.until(rings, "it rings")
        await at.told(f"job {job} (")
        clock.forward(seconds=1)
        fails(store)
        await at.until(lambda: len(rings()) == 2, "it rings again")
        await at.app.settled(at.pilot.pause)
        assert len(rings()) == 2
        if signal is Signal.OSC9:
            assert all(one.endswith("\a") and one[4:-1].isprintable() for one in rings())
            assert f"jobdeck: job {job} (" in rings()[0]


async def test_what_comes_together_rings_once(console: OpenConsole, deck: Deck, store: Store, clock: Clock) -> None:
    here = Terminal("here", signal=Signal.OSC9)
    listen(store, here)
    ringing = Deck(deck.places, Config(targets={"here": here}), "ann", deck.zone, deck.clock, engine=False)
    async with console(LARGE, ringing, record=True) as at:
        driver = at.app._driver
        assert isinstance(driver, Recorder)
        await at.app.settled(at.pilot.pause)
        clock.forward(seconds=1)
        claims = [running(store) for _ in range(3)]
        with store.write("engine") as work:
            for claimed in claims:
                work.fail(claimed.exec_id, WORKER, HOPELESS, Random(1))
        await at.told("; and 2 more")
        assert len([one for one in driver.written if one.startswith("\x1b]9;")]) == 1


def test_a_terminal_that_a_changed_config_names_is_heard_from_then_on(store: Store, clock: Clock) -> None:
    names: set[str] = set()
    hearing = Hearing(lambda: names)

    def heard() -> list[int | None]:
        with store.read() as views:
            return [one.job for one in hearing.news(views)]

    listen(store, Terminal("here", frozenset({Told.JOB_FAILED})))
    fails(store)
    assert heard() == []
    names.add("here")
    assert heard() == []
    clock.forward(seconds=1)
    job = fails(store)
    assert heard() == [job]
    names.clear()
    clock.forward(seconds=1)
    fails(store)
    assert heard() == []
