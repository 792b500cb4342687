"""What the panes show, where they go on a screen of any size, and what they teach when they are empty."""

from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from console.app.actions import ACTIONS
from console.app.deck import Deck
from console.app.panes.queue import SHIFT_SHOWN
from console.app.snapshot import PaneNumber
from console.app.widgets.header import sparkline
from console.plain import width
from core.config import Config
from core.jobs import Command, NewJob, NewSchedule
from core.leading import Leader
from core.limits import Limits
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.played_jobs import BROKE, Playing
from tests.app.scene import NOW, Morning
from tests.conftest import Clock
from tests.store.running_jobs import WORKER

TAKEN = {PaneNumber.QUEUE, PaneNumber.RUNNING, PaneNumber.CHAINS, PaneNumber.SCHEDULES, PaneNumber.APPROVALS}


def visible(at: Console) -> set[PaneNumber]:
    return {number for number, pane in at.app._deck_screen.panes.items() if pane.display}


def morning_deck(morning: Morning, **more: bool) -> Deck:
    return Deck(morning.places, Config(), "ann", ZoneInfo("UTC"), lambda: NOW, engine=False, **more)


def lead(store: Store, clock: Clock, slots: int = 1) -> None:
    """An engine leads the store."""
    leader = Leader(WORKER, "host", 7, "1:1", clock(), clock() + timedelta(hours=1), 1, Limits(slots=slots))
    with store.write("engine") as work:
        work.take_lead(leader, None)


async def test_all_panes_at_once_where_there_is_room_one_at_a_time_where_there_is_not(
    console: OpenConsole, morning: Morning
) -> None:
    async with console(LARGE, morning_deck(morning)) as at:
        assert visible(at) == TAKEN
        for size in ((119, 48), (160, 29), SMALL, (40, 10), (20, 5)):
            await at.pilot.resize_terminal(*size)
            await at.until(lambda: visible(at) == {PaneNumber.QUEUE}, f"one pane at {size}")
            await at.until(lambda size=size: [width(line) for line in at.lines] == [size[0]] * size[1], "it fills it")  # type: ignore[misc]
        for number in PaneNumber:
            await at.press(str(number.value))
            await at.until(lambda number=number: visible(at) == {number}, f"its number goes to {number}")  # type: ignore[misc]
        await at.pilot.resize_terminal(*LARGE)
        await at.until(lambda: visible(at) == {PaneNumber.HISTORY}, "the history has the screen for itself")
        await at.press("1")
        await at.until(lambda: visible(at) == TAKEN, "and all are back")
        await at.press("3", "f")
        await at.until(lambda: visible(at) == {PaneNumber.CHAINS}, "one pane is zoomed")
        await at.press("escape")
        await at.until(lambda: visible(at) == TAKEN, "escape leaves the zoom")


async def test_tab_goes_round_the_panes(console: OpenConsole, morning: Morning) -> None:
    async with console(SMALL, morning_deck(morning)) as at:
        seen = []
        for _ in PaneNumber:
            seen.append(at.app._deck_screen.active.NUMBER)
            await at.press("tab")
        assert seen == list(PaneNumber)
        await at.press("shift+tab")
        assert at.app._deck_screen.active.NUMBER is PaneNumber.HISTORY


async def test_the_tabs_are_clicked(console: OpenConsole, morning: Morning) -> None:
    async with console(SMALL, morning_deck(morning)) as at:
        await at.until(lambda: "Schedules" in at.lines[1], "the tabs are there")
        await at.pilot.click("PaneTabs", offset=(at.lines[1].index("Schedules"), 0))
        await at.until(lambda: visible(at) == {PaneNumber.SCHEDULES}, "a click goes there")


async def test_the_queue_tells_order_priority_age_reason_and_start(console: OpenConsole, morning: Morning) -> None:
    async with console(LARGE, morning_deck(morning)) as at:
        await at.press("f")
        await at.until(lambda: visible(at) == {PaneNumber.QUEUE} and "cleanup" in at.text, "it has the whole screen")
        rows = [line.split() for line in at.lines if "etl" in line or "cleanup" in line]
        first = next(row for row in rows if "invoices-2031-05-01" in row)
        assert first[2:5] == ["5", "etl", "invoices-2031-05-01"]
        assert first[5] == "9m"
        assert " ".join(first[6:11]) == "all 3 slots are busy"
        assert first[11].startswith("~")
        assert any("it is held" in line for line in at.lines)
        assert any("its time comes in" in line for line in at.lines)


async def test_running_jobs_tell_how_far_they_are_and_what_is_usual(console: OpenConsole, morning: Morning) -> None:
    async with console(LARGE, morning_deck(morning)) as at:
        await at.press("2", "f")
        await at.until(lambda: "db-replica" in at.text and "LEASE" in at.text, "they have the whole screen")
        heads = next(line for line in at.lines if "PROGRESS" in line)
        assert all(one in heads for one in ("FOR", "TRY", "CPU", "MEM", "PID", "LEASE", "LAST LINE"))
        row = next(line for line in at.lines if "db-replica" in line)
        assert "█" in row
        assert "41%" in row
        assert "4m/" in row, "elapsed against usual"
        assert "table 5 of 12" in row


async def test_chains_draw_links_and_attempts(console: OpenConsole, morning: Morning) -> None:
    async with console(LARGE, morning_deck(morning)) as at:
        await at.press("3", "f")
        await at.until(lambda: "connection reset by peer" in at.text, "they have the whole screen")
        lines = [line.strip(" │") for line in at.lines]
        begin = next(number for number, line in enumerate(lines) if line.startswith("✗"))
        chain = lines[begin : begin + 5]
        assert [line[:11].strip() for line in chain] == [
            "✗ 32 wareho",
            "├ attempt 1",
            "└ attempt 2",
            "└ ✓ 33 ware",
            "└ attempt 1",
        ]
        assert "connection reset by peer" in chain[1]
        assert any("retry 1 of 5 in" in line for line in lines), "the backoff counts down"


async def test_schedules_speak_words_and_show_how_it_went(console: OpenConsole, morning: Morning) -> None:
    async with console(LARGE, morning_deck(morning)) as at:
        await at.press("4", "f")
        await at.until(lambda: "every day at 02:30 (Europe/Paris)" in at.text, "they have the whole screen")
        assert "✓✓✓✓✓✗✓✓✓" in at.text
        off = next(line for line in at.lines if "month-report" in line)
        assert "○" in off
        assert "off" in off
        assert "never" in off


async def test_ages_go_on_without_the_store(console: OpenConsole, store: Store, clock: Clock) -> None:
    with store.write("bob") as work:
        work.submit(NewJob(command=Command(("true",))))
    async with console(SMALL) as at:
        clock.forward(minutes=7)
        await at.until(lambda: " 7m " in at.text, "a second later the age is right")


async def test_a_new_order_shows_which_starts_it_changes(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    playing.submit(NewJob(job_key="first", command=Command(("true",))))
    playing.finish(playing.start(), after=20)
    for key in ("a", "b", "c"):
        playing.submit(NewJob(job_key=key, command=Command(("true",))))
    lead(store, clock)
    async with console(LARGE) as at:
        await at.until(lambda: "~20s" in at.text and "~40s" in at.text, "the starts are projected")
        await at.press("down", "down", "t")
        await at.told("job 4 moved to the top; place 1 now")
        await at.until(lambda: "▲next" in at.text and "▼~20s" in at.text, "what comes sooner, and what later")
        clock.forward(seconds=SHIFT_SHOWN.total_seconds() + 1)
        await at.until(lambda: "▲" not in at.text and "▼" not in at.text, "the arrows go after a while")


async def test_the_history_reads_on_as_one_goes_down(console: OpenConsole, store: Store) -> None:
    with store.write("bob") as work:
        for _ in range(450):
            work.cancel(work.submit(NewJob(command=Command(("true",)))).id)
    async with console(SMALL) as at:
        await at.press("6")
        await at.until(lambda: at.app._deck_screen.history.count == 200, "a page of it")
        await at.press("end")
        await at.until(lambda: at.app._deck_screen.history.count == 400, "one more")
        await at.press("end")
        await at.until(lambda: at.app._deck_screen.history.count == 450, "all of it")
        await at.press("home")
        await at.until(lambda: at.app._deck_screen.history.count == 200, "back at the top no more than a page")


EMPTY = {
    PaneNumber.QUEUE: ["jobdeck submit -- echo hello", "n opens a form,  S queues a few harmless sample jobs."],
    PaneNumber.RUNNING: ["there is no engine", "jobdeck serve"],
    PaneNumber.CHAINS: ["no job was retried yet", "r on a job that has ended runs it again"],
    PaneNumber.SCHEDULES: ["no schedules yet", "n makes one"],
    PaneNumber.APPROVALS: ["nobody waits for an answer", "jobdeck job gate NAME -m TEXT"],
    PaneNumber.HISTORY: ["nothing has ended yet"],
}


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("pane", list(PaneNumber), ids=lambda pane: pane.name.lower())
async def test_an_empty_pane_teaches_the_next_key(
    console: OpenConsole, pane: PaneNumber, size: tuple[int, int]
) -> None:
    async with console(size) as at:
        await at.press(str(pane.value), *(["f"] if size == LARGE else []))
        for words in EMPTY[pane]:
            await at.until(lambda words=words: words in at.text, words)  # type: ignore[misc]


async def test_the_header_tells_the_whole_state(console: OpenConsole, morning: Morning) -> None:
    async with console((200, 48), morning_deck(morning)) as at:
        await at.until(lambda: "attached to pid 4242" in at.lines[0], "the engine")
        head = at.lines[0]
        for words in ("3/3 slots", "▶ 3 running", "· 10 queued", "⚑ 2 waiting", "↻ 1 retrying", "✗ 3 failed", "/min"):
            assert words in head


async def test_a_narrow_header_keeps_what_matters(console: OpenConsole, morning: Morning) -> None:
    async with console((60, 20), morning_deck(morning)) as at:
        await at.until(lambda: "slots" in at.lines[0], "the header is there")
        assert "running" in at.lines[0]
        assert "fires" not in at.lines[0]


async def test_throughput_counts_what_ended_before_and_after_the_console_opened(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    for _ in range(3):
        playing.submit(NewJob(command=Command(("true",))))
        playing.finish(playing.start(), after=1)
    async with console(LARGE) as at:
        await at.until(lambda: at.app.snapshot is not None and sum(at.app.snapshot.ended) == 3, "what was before")
        playing.submit(NewJob(command=Command(("true",))))
        playing.finish(playing.start(), after=20)
        await at.until(lambda: at.app.snapshot is not None and sum(at.app.snapshot.ended) == 4, "what came since")
        clock.forward(minutes=10)
        playing.submit(NewJob(command=Command(("true",))))
        await at.until(lambda: at.app.snapshot is not None and sum(at.app.snapshot.ended) == 0, "and forgets")


@pytest.mark.parametrize(
    ("bars", "drawn"),
    [
        ([0, 0, 0, 0], ""),
        ([0, 1, 0, 3], " ▃ █ 4.0/min"),
        ([600, 600, 600, 600], "████ 40.0/s"),
    ],
)
def test_a_sparkline_tells_the_rate(bars: list[int], drawn: str) -> None:
    assert sparkline(bars) == drawn


async def test_keys_are_changed_in_the_config_and_clashes_told(deck: Deck, console: OpenConsole, store: Store) -> None:
    with store.write("bob") as work:
        work.submit(NewJob(job_key="a", command=Command(("true",))))
    keys = {"hold": "H", "cancel": "p", "fly": "w"}
    changed = Deck(deck.places, Config(keys=keys), "ann", deck.zone, deck.clock, engine=False)
    async with console(LARGE, changed) as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 1, "the job is there")
        await at.until(lambda: "H hold" in at.lines[-1], "the key bar knows")
        await at.press("H")
        await at.told("job 1 is held")
        await at.press("question_mark")
        await at.until(lambda: "H" in at.text and "keep it from starting" in at.text, "so does the help")
        assert any(":hold" in line and " H " in line for line in at.lines)
    assert set(ACTIONS) > {"hold", "cancel", "pause"}


async def test_complaints_about_keys_are_shown_at_the_start(deck: Deck, console: OpenConsole) -> None:
    keys = {"cancel": "p", "fly": "w"}
    changed = Deck(deck.places, Config(keys=keys), "ann", deck.zone, deck.clock, engine=False)
    async with console(LARGE, changed) as at:
        await at.until(lambda: 'there is no action "fly"' in at.app_notices, "nonsense is told")
        assert "cancel and pause would share p; cancel stays as it was" in at.app_notices


async def test_a_failing_attempt_is_not_mistaken_for_an_end(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    playing.submit(NewJob(job_key="flaky", command=Command(("true",)), backoff="fixed:1m"))
    playing.fail(playing.start(), BROKE)
    async with console(LARGE) as at:
        await at.until(lambda: "retry 1 of 3 in 1m" in at.text, "the countdown begins")
        clock.forward(seconds=30)
        await at.until(lambda: "retry 1 of 3 in 30s" in at.text, "and goes on")


async def test_a_schedule_without_an_end_is_listed_with_what_was_skipped(
    console: OpenConsole, store: Store, clock: Clock
) -> None:
    with store.write("bob") as work:
        work.add_template("t", NewJob(command=Command(("true",))))
        work.add_schedule(NewSchedule("often", "t", "* * * * *"))
    for _ in range(3):
        clock.forward(minutes=1)
        with store.write("engine") as work:
            work.fire_due()
    async with console(LARGE) as at:
        await at.press("4", "f")
        await at.until(lambda: "2 skipped" in at.text, "skips are counted")
