"""A job's screen: what each key does there, and what it shows at either size."""

from pathlib import Path

import pytest

from console.app.screens.deck import DeckScreen
from console.app.screens.job import JobScreen
from core.jobs import Command, NewJob
from core.limits import Limits
from store.store import Store
from tests.app.conftest import LARGE, SMALL, OpenConsole
from tests.app.job_reading import on, opened, shows
from tests.app.played_jobs import Playing
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
TABS = ["facts", "timeline", "attempts", "log", "data"]


@pytest.fixture
def playing(store: Store, clock: Clock, tmp_path: Path) -> Playing:
    return Playing(store, clock, tmp_path)


@SIZES
async def test_enter_opens_the_job_under_the_cursor_and_escape_leaves_it(
    console: OpenConsole, playing: Playing, size: tuple[int, int]
) -> None:
    playing.submit(NewJob(job_key="nightly", command=Command(("pg_dump", "main"))))
    async with console(size) as at:
        await at.press("enter")
        await shows(at, "· QUEUED  1 nightly", "pg_dump main", "no engine runs; start one with: jobdeck serve")
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")
        await at.press("l")
        await on(at, "log")
        await shows(at, "job 1 is QUEUED and has not run, so it has printed nothing")


@SIZES
async def test_every_way_from_tab_to_tab(console: OpenConsole, playing: Playing, size: tuple[int, int]) -> None:
    playing.failed_twice()
    async with console(size) as at:
        await opened(at, 1)
        for number, tab in enumerate(TABS, start=1):
            await at.press(str(number))
            await on(at, tab)
        await at.press("tab")
        await on(at, "facts")
        await at.press("shift+tab")
        await on(at, "data")
        await at.press("right")
        await on(at, "facts")
        await at.press("right", "right")
        await on(at, "attempts")
        await at.press("left")
        await on(at, "timeline")
        await at.press("l")
        await on(at, "log")
        column = at.lines[1].index("5 Data")
        await at.pilot.click("TabLine", offset=(column, 0))
        await on(at, "data")
        await at.pilot.click("KeyBar", offset=(2, 0))
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")


@SIZES
async def test_the_facts_and_the_way_through_the_states(
    console: OpenConsole, playing: Playing, size: tuple[int, int]
) -> None:
    playing.failed_twice()
    async with console(size) as at:
        await opened(at, 1)
        await shows(at, "✗ FAILED  1 orders", "it broke [/badly] (retryable)", "1 of 1 used, fixed:1s")
        if size == SMALL:
            await at.press("G")
        await shows(at, "1, 4 · 09:00:17", "2, 5 · 09:00:17", "3 · 09:00:15", "6 · 09:00:37 · now")
        assert "✗ FAILED ←━━" in at.text


async def test_a_queued_job_says_when_it_will_start(console: OpenConsole, playing: Playing, store: Store) -> None:
    from core.leading import Leader

    playing.submit()
    with store.write("engine") as work:
        leader = Leader("me", "host", 1, "1:1", work.now, work.now + 10 * LEASE, 1, Limits(slots=1))
        work.take_lead(leader, None)
    async with console() as at:
        await opened(at, 1)
        await shows(at, "its turn comes next", "probably next", "1 in the queue")


@SIZES
async def test_the_timeline_says_who_did_what_and_why_to_scale(
    console: OpenConsole, playing: Playing, store: Store, size: tuple[int, int]
) -> None:
    playing.failed_twice()
    with store.write("cy") as work:
        work.retry(1, "the disk was full")
    async with console(size) as at:
        await opened(at, 2, "timeline")
        await shows(at, "WHEN", "cy", "the disk was full")
        await at.press("escape")
        await opened(at, 1, "timeline")
        await shows(at, "├─", "37s", "attempt 1", "attempt 2", "ann")
        bars = {line.split()[1]: line.count("█") for line in at.lines if "█" in line and "09:00" in line}
        assert bars["·"] >= 1
        running = [line.count("█") for line in at.lines if "▶ running" in line]
        assert running[1] > 2 * running[0]
        await at.press("end")
        await shows(at, "failed 2026-03-02 09:00:37 UTC")


async def test_enter_on_a_link_opens_that_job_and_escape_goes_back_one_by_one(
    console: OpenConsole, playing: Playing
) -> None:
    first = playing.failed_twice()
    second = playing.retry(first)
    async with console() as at:
        await opened(at, first, "attempts")
        await shows(at, "attempt 2", f"└ · {second} orders")
        await at.press("end", "enter")
        await shows(at, f"· QUEUED  {second} orders")
        await at.press("3")
        await on(at, "attempts")
        await at.press("home", "enter")
        await shows(at, f"✗ FAILED  {first} orders")
        assert isinstance(at.screen, JobScreen)
        for job in (second, first):
            await at.press("escape")
            await at.until(lambda job=job: at.screen.job == job, "back by one")  # type: ignore[misc]
        await at.pilot.double_click("ChainList", offset=(3, 4))
        await shows(at, f"· QUEUED  {second} orders")
        await at.press("escape", "escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")


async def test_enter_on_an_attempt_opens_its_log(console: OpenConsole, playing: Playing) -> None:
    playing.failed_twice()
    async with console() as at:
        await opened(at, 1, "attempts")
        await at.press("home", "down")
        await shows(at, "attempt 1, failed, exit 3, started 2026-03-02 09:00:10 UTC")
        await at.press("enter")
        await on(at, "log")
        await shows(at, "first", "attempt 1 · log 1 of 2")


@SIZES
async def test_brackets_go_from_log_to_log(console: OpenConsole, playing: Playing, size: tuple[int, int]) -> None:
    playing.failed_twice()
    async with console(size) as at:
        await opened(at, 1, "log")
        await shows(at, "second", "attempt 2 · log 2 of 2")
        await at.press("left_square_bracket")
        await shows(at, "first", "attempt 1 · log 1 of 2")
        await at.press("left_square_bracket")
        await at.told("there is no earlier log")
        await at.press("right_square_bracket")
        await shows(at, "second")
        await at.press("right_square_bracket")
        await at.told("there is no later log")


async def test_who_is_at_the_end_of_a_log_goes_on_to_the_next_attempt_and_others_stay(
    console: OpenConsole, playing: Playing
) -> None:
    playing.submit(NewJob(max_retries=9))
    claim = playing.start(b"one\n")
    async with console() as at:
        await opened(at, 1, "log")
        await shows(at, "one")
        playing.fail(claim)
        playing.requeue()
        claim = playing.start(b"".join(b"two %d\n" % number for number in range(500)))
        await shows(at, "two 499")
        await at.press("up")
        await at.until(lambda: "two 499" not in at.text, "the reader has left the end")
        playing.fail(claim)
        playing.requeue()
        playing.start(b"three\n")
        await shows(at, "log 2 of 3")
        assert "two 498" in at.text
        assert "three" not in at.text


@SIZES
async def test_the_log_is_searched_and_escape_leaves_the_search_first(
    console: OpenConsole, playing: Playing, size: tuple[int, int]
) -> None:
    playing.submit()
    playing.start(b"".join(b"line %d\n" % number for number in range(1_000)))
    async with console(size) as at:
        await opened(at, 1)
        await at.press("slash", *"line 500", "enter")
        await on(at, "log")
        await shows(at, "▌line 500")
        await at.press("escape")
        await at.until(lambda: "▌line 500" not in at.text, "the search is left")
        assert isinstance(at.screen, JobScreen)
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the job is left")


@SIZES
async def test_data_folds_and_is_copied(console: OpenConsole, playing: Playing, size: tuple[int, int]) -> None:
    params = {"day": "2026-03-02", "deep": {"a": {"b": {"c": [1, 2, 3]}}}}
    playing.submit(NewJob(params=params, tags={"env": "prod"}, command=Command(("ls",), env={"A": "b"})))
    async with console(size) as at:
        await opened(at, 1, "data")
        await shows(at, "▾ params", '"2026-03-02"', "▸ b", "checkpoint", "null", "argv", '"prod"', '"b"')
        await at.press("down", "y")
        assert at.app.clipboard == "2026-03-02"
        await at.press("up", "enter")
        await shows(at, "▸ params")
        assert "2026-03-02" not in at.text.split("NAME")[1]
        await at.press("space")
        await shows(at, "▾ params")
        await at.press("down", "down", "down", "down", "enter")
        await shows(at, "▾ b", "[3 items]")
        await at.press("y")
        assert at.app.clipboard == '{\n  "c": [\n    1,\n    2,\n    3\n  ]\n}'


async def test_a_change_of_the_store_moves_nobody(console: OpenConsole, playing: Playing, store: Store) -> None:
    playing.submit(NewJob(params={"list": list(range(50)), "z": {"inner": 1}}))
    claim = playing.start(b"")
    async with console(SMALL) as at:
        screen = await opened(at, 1, "data")
        await at.press("down", "enter", "end")
        before = at.lines[2:-1]
        with store.write("engine") as work:
            work.progress(claim.exec_id, WORKER, 42.0, "half way [/there]")
        await shows(at, "half way [/there]", "42%")
        assert at.lines[2:-1] == before
        assert screen.tab == "data"
        with store.write("engine") as work:
            work.checkpoint(claim.exec_id, WORKER, {"step": 7})
        await at.press("home")
        await shows(at, "▾ list")
        await at.press("down", "enter")
        await shows(at, "▸ list", "checkpoint", "step")
