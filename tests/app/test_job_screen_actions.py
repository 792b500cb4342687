"""A job's screen: what can be done to the job there, and what nothing can do to the screen."""

from dataclasses import replace
from pathlib import Path

import pytest

from console.app.deck import Deck
from console.app.dialogs.base import Confirm
from console.app.screens.deck import DeckScreen
from console.app.screens.job import JobScreen
from core.jobs import Command, Gate, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store
from tests.app.conftest import LARGE, SMALL, OpenConsole
from tests.app.forms import BIDI, ESCAPE, MARKUP, assert_only_text
from tests.app.job_reading import on, opened, shows
from tests.app.played_jobs import HOPELESS, Playing
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
TABS = ["facts", "timeline", "attempts", "log", "data"]


@pytest.fixture
def playing(store: Store, clock: Clock, tmp_path: Path) -> Playing:
    return Playing(store, clock, tmp_path)


async def test_actions_are_done_to_this_job_with_their_usual_keys(console: OpenConsole, playing: Playing) -> None:
    playing.submit(NewJob(priority=9))
    job = playing.submit(NewJob(job_key="mine"))
    async with console() as at:
        await opened(at, job)
        await at.press("h")
        await at.told(f"job {job} is held")
        await shows(at, "QUEUED, held")
        await at.press("plus")
        await at.told(f"job {job} has priority 1")
        await at.press("z")
        await at.told("has the old priority")
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")
        await at.press("z")
        await at.told("no longer held")
        await opened(at, job)
        await at.press("c")
        await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
        assert f"Cancel job {job} (mine)?" in at.text
        await at.press("n")
        await at.until(lambda: isinstance(at.screen, JobScreen), "nothing was done")
        assert playing.job(job).status is Status.QUEUED
        await at.press("c")
        await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
        await at.press("y")
        await at.told(f"job {job} is cancelled")
        await shows(at, f"⊘ CANCELLED  {job} mine")
        await at.press("h")
        await at.told(f"job {job} is CANCELLED, which is final; retry it with the key r")
        await at.press("r")
        await at.told(f"job 3 retries job {job}")
    assert playing.job(1).status is Status.QUEUED


async def test_the_job_stays_the_one_that_was_asked_about(console: OpenConsole, playing: Playing) -> None:
    playing.submit()
    async with console() as at:
        await opened(at, 1)
        await at.press("c")
        await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
        playing.finish(playing.start(b""))
        await at.press("y")
        await at.told("job 1 is SUCCEEDED, which is final")


async def test_a_gate_is_answered_from_here(console: OpenConsole, playing: Playing, store: Store) -> None:
    playing.submit(NewJob(approval=Gate("sure [/x]?")))
    with store.write("engine") as work:
        work.claim(WORKER, LEASE, Limits(slots=1))
    async with console() as at:
        screen = await opened(at, 1)
        await shows(at, "⚑ WAITING_FOR_APPROVAL", "sure [/x]?")
        await at.press("a")
        await shows(at, "Approve job 1?")
        await at.press("escape")
        await at.until(lambda: at.screen is screen, "the job is back")
        await at.press("x")
        await shows(at, "Deny job 1?")


async def test_a_console_that_only_looks_on_changes_nothing(console: OpenConsole, playing: Playing, deck: Deck) -> None:
    playing.submit()
    before = playing.job(1)
    async with console(SMALL, replace(deck, read_only=True)) as at:
        await opened(at, 1)
        for key in ("h", "c", "plus", "e", "z"):
            at.said.clear()
            await at.press(key)
            await at.told("this console only looks on")
    assert playing.job(1) == before


@SIZES
async def test_a_job_that_does_not_exist_is_a_sentence(console: OpenConsole, size: tuple[int, int]) -> None:
    async with console(size) as at:
        at.app.open_job(99, "facts")
        await shows(at, "there is no job 99")
        for key in ("1", "2", "3", "4", "5", "h", "c", "y", "v", "enter", "space", "slash", "escape", "w", "n"):
            await at.press(key)
        await at.told("hold: there is no job here")
        await at.press("escape", "escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")


async def test_a_pager_needs_a_terminal(console: OpenConsole, playing: Playing) -> None:
    playing.failed_twice()
    async with console() as at:
        await opened(at, 1)
        for tab in "12345":
            at.said.clear()
            await at.press(tab, "v")
            await at.told("a pager needs a terminal")


async def test_every_tab_has_something_to_copy(console: OpenConsole, playing: Playing) -> None:
    playing.failed_twice()
    copied: dict[str, str] = {}
    async with console() as at:
        screen = await opened(at, 1)
        for number, tab in enumerate(TABS, start=1):
            await at.press(str(number))
            await on(at, tab)
            await at.until(screen.tabs[tab].copied, "there is something")
            await at.press("y")
            copied[tab] = at.app.clipboard
    assert copied["facts"].startswith("job             1")
    assert "queued 2026-03-02 09:00:00 UTC" in copied["timeline"]
    assert copied["attempts"].startswith("job 1, failed, orders")
    assert copied["log"] == "second"
    assert copied["data"] == "{}"


@SIZES
async def test_hostile_text_is_only_text_everywhere(
    console: OpenConsole, playing: Playing, store: Store, size: tuple[int, int]
) -> None:
    texts = {f"{MARKUP} {number}": f"{BIDI}{MARKUP}" for number in range(3)}
    job = playing.submit(
        NewJob(
            job_type="t" + BIDI,
            job_key=MARKUP + BIDI,
            command=Command(("sh", ESCAPE, MARKUP, "x" * 5_000), cwd="/" + BIDI + MARKUP, env={"A": ESCAPE}),
            params={**texts, "huge": "y" * 200_000, "deep": [[[[[[ESCAPE]]]]]], "many": list(range(5_000))},
            tags={"tag": MARKUP},
            max_retries=0,
        )
    )
    claim = playing.start(f"{MARKUP}\n{ESCAPE}\n{BIDI}\n".encode("utf-8", "replace") + bytes(range(256)) * 50)
    with store.write("engine" + BIDI) as work:
        work.progress(claim.exec_id, WORKER, 50.0, MARKUP)
        work.checkpoint(claim.exec_id, WORKER, {MARKUP: BIDI})
    playing.fail(claim, replace(HOPELESS, message=MARKUP + BIDI))
    with store.write("bob" + BIDI) as work:
        work.retry(job, MARKUP + BIDI)
    async with console(size) as at:
        for number in (job, job + 1):
            screen = await opened(at, number)
            for tab in "12345":
                for key in (tab, "end", "home", "down", "enter", "space", "y"):
                    await at.press(key)
                    assert_only_text(at)
                    while at.screen is not screen:
                        await at.press("escape")
            await at.press("escape")
        assert at.app.is_running
    assert playing.job(job).status is Status.FAILED
