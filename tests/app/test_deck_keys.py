"""The deck's keys: what each did to the store, what was said, and how it is taken back."""

from collections.abc import Callable

import pytest

from console.app.deck import Deck
from console.app.dialogs.ask import Ask
from console.app.dialogs.gate_dialog import GateDialog
from console.app.dialogs.job_editor import JobEditor
from console.app.dialogs.job_form import JobForm
from console.app.dialogs.jobs_dialog import JobsDialog
from console.app.dialogs.schedule_form import ScheduleForm
from console.app.screens.deck import DeckScreen
from console.app.screens.help import HelpScreen
from console.app.screens.job import JobScreen
from console.app.snapshot import PaneNumber
from core.filters import Filter
from core.jobs import Command, Gate, Job, NewJob, NewSchedule
from core.limits import Limits
from core.status import Status
from store.store import Store
from tests.app.conftest import Console, OpenConsole
from tests.app.played_jobs import BROKE, HOPELESS, Playing
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER


def queue(store: Store) -> list[int]:
    """The numbers of the queued jobs, in their order."""
    with store.read() as views:
        return [row.id for row in views.queue_window(0, 100).rows]


def job(store: Store, number: int) -> Job:
    with store.read() as views:
        return views.job(number)


def submit(store: Store, *news: NewJob) -> list[int]:
    with store.write("bob") as work:
        return [work.submit(new).id for new in news]


def named(*keys: str, **more: int) -> list[NewJob]:
    return [NewJob(job_key=key, command=Command(("make", key)), priority=more.get("priority", 0)) for key in keys]


async def on_top(at: Console, kind: type) -> None:
    await at.until(lambda: isinstance(at.screen, kind), f"{kind.__name__} is on top")


async def cursor_on(at: Console, number: int, pane: PaneNumber = PaneNumber.QUEUE) -> None:
    """Put the cursor on a job, as soon as it is there."""
    shown = at.app._deck_screen.panes[pane]
    await at.press(str(pane.value))

    def in_it() -> bool:
        targets = [shown.target_of(row) for row in shown.at_hand()]
        return any(target is not None and target.id == number for target in targets)

    def there() -> bool:
        target = shown.target()
        return target is not None and target.id == number

    await at.until(in_it, f"job {number} is shown")
    await at.press("home")
    for _ in range(shown.count):
        if there():
            return
        await at.press("down")
    await at.until(there, f"the cursor is on job {number}")


@pytest.mark.parametrize(
    ("key", "order", "said"),
    [
        ("u", [2, 1, 3, 4], "job 2 moved up; place 1 now"),
        ("d", [1, 3, 2, 4], "job 2 moved down; place 3 now"),
        ("t", [2, 1, 3, 4], "job 2 moved to the top; place 1 now"),
        ("b", [1, 3, 4, 2], "job 2 moved to the bottom; place 4 now"),
    ],
)
async def test_a_job_is_moved_and_moved_back(
    console: OpenConsole, store: Store, key: str, order: list[int], said: str
) -> None:
    submit(store, *named("a", "b", "c", "d"))
    async with console() as at:
        await cursor_on(at, 2)
        await at.press(key)
        await at.told(said)
        assert queue(store) == order
        target = at.app._deck_screen.active.target()
        assert target is not None
        assert target.id == 2, "the cursor follows its job"
        await at.press("z")
        await at.told("undone: job 2 is back in place")
        assert queue(store) == [1, 2, 3, 4]
        await at.press("z")
        await at.told("there is nothing to undo")


async def test_a_job_that_can_go_no_further_says_where_it_is(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    async with console() as at:
        await cursor_on(at, 1)
        await at.press("u")
        await at.told("job 1 is there already, at place 1")
        await at.press("z")
        await at.told("there is nothing to undo")
        assert queue(store) == [1, 2]


async def test_a_marked_block_moves_together_and_again(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b", "c", "d", "e"))
    async with console() as at:
        await cursor_on(at, 4)
        await at.press("space", "space")
        await at.press("u")
        await at.told("2 jobs moved up")
        assert queue(store) == [1, 2, 4, 5, 3]
        await at.press("u")
        await at.until(lambda: queue(store) == [1, 4, 5, 2, 3], "the block is still marked and moves on")
        await at.press("z", "z")
        await at.until(lambda: queue(store) == [1, 2, 3, 4, 5], "both moves are taken back")


async def test_priority_is_raised_lowered_and_set(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    async with console() as at:
        await cursor_on(at, 2)
        await at.press("plus")
        await at.told("job 2 has priority 1")
        assert queue(store) == [2, 1]
        await at.press("minus")
        await at.told("job 2 has priority 0")
        await at.press("equals_sign")
        await on_top(at, Ask)
        await at.press(*"many")
        await at.until(lambda: "type a whole number" in at.text, "what is wrong is said while it is typed")
        await at.press("enter")
        assert isinstance(at.screen, Ask), "what is wrong is not taken"
        await at.press(*["backspace"] * 4, *"-7", "enter")
        await at.told("job 2 has priority -7")
        assert job(store, 2).priority == -7
        await at.press("z")
        await at.told("undone: job 2 has the old priority")
        assert job(store, 2).priority == 0


async def test_hold_goes_by_what_is_seen(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a"))
    async with console() as at:
        await cursor_on(at, 1)
        await at.press("h")
        await at.told("job 1 is held")
        assert job(store, 1).held
        await at.until(lambda: "it is held" in at.text, "it is seen")
        await at.press("h")
        await at.told("job 1 may start")
        assert not job(store, 1).held
        await at.press("z")
        await at.told("undone: job 1 is held again")
        assert job(store, 1).held


async def test_a_hold_that_crosses_another_one_does_not_let_the_job_go(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a"))
    async with console() as at:
        await cursor_on(at, 1)
        at.app._lookout.end()
        at.app._lookout.join()
        with store.write("bob") as work:
            work.hold(1)
        await at.press("h")
        await at.told("job 1 is held")
        assert job(store, 1).held


async def test_a_pause_that_crosses_another_one_resumes_nothing(console: OpenConsole, store: Store) -> None:
    async with console() as at:
        at.app._lookout.end()
        at.app._lookout.join()
        with store.write("bob") as work:
            work.pause()
        await at.press("p")
        await at.told("it was paused already")
        with store.read() as views:
            assert views.paused() is not None


async def test_the_queue_is_paused_and_resumed(console: OpenConsole, store: Store) -> None:
    async with console() as at:
        await at.press("p")
        await at.told("paused: nothing new starts; what runs goes on")
        await at.until(lambda: "PAUSED by ann" in at.text, "it is seen")
        await at.press("p")
        await at.told("jobs start again")
        with store.read() as views:
            assert views.paused() is None


async def test_cancel_asks_and_names_the_job(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    async with console() as at:
        await cursor_on(at, 2)
        await at.press("c")
        await on_top(at, JobsDialog)
        await at.until(lambda: "Cancel job 2 (b)?" in at.text, "it names the job")
        await at.press("enter")
        await on_top(at, DeckScreen)
        assert job(store, 2).status is Status.QUEUED, "just pressing enter is no"
        await at.press("c")
        await on_top(at, JobsDialog)
        await at.press("escape")
        await on_top(at, DeckScreen)
        assert job(store, 2).status is Status.QUEUED
        await at.press("c")
        await on_top(at, JobsDialog)
        await at.press("y")
        await at.told("job 2 is cancelled")
        assert job(store, 2).status is Status.CANCELLED
        await at.press("z")
        await at.told("there is nothing to undo")


async def test_a_running_job_is_asked_to_stop_or_killed(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    for key in ("a", "b"):
        playing.submit(NewJob(job_key=key, command=Command(("make", key))))
        playing.start()
    async with console() as at:
        await cursor_on(at, 1, PaneNumber.RUNNING)
        await at.press("c")
        await on_top(at, JobsDialog)
        await at.press("y")
        await at.told("job 1 is asked to stop")
        await cursor_on(at, 2, PaneNumber.RUNNING)
        await at.press("K")
        await on_top(at, JobsDialog)
        await at.press("y")
        await at.told("job 2 is being killed")
    with store.write("engine") as work:
        assert [request.at_once for request in work.stop_requests()] == [False, True]


async def test_drafts_are_found_and_released(console: OpenConsole, store: Store) -> None:
    submit(store, NewJob(job_key="later", command=Command(("make",)), draft=True), *named("a"))
    async with console() as at:
        await at.until(lambda: "1 draft (:drafts)" in at.text, "the frame names them")
        await at.press("colon", *"drafts", "enter")
        await at.until(lambda: "a draft; R" in at.text, "it is listed")
        await at.press("R")
        await at.told("job 1 is in the queue")
        assert job(store, 1).status is Status.QUEUED


async def test_retry_and_give_up(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    for key in ("a", "b", "c"):
        playing.submit(NewJob(job_key=key, command=Command(("make", key)), backoff="fixed:1h"))
        claim = playing.start()
        playing.fail(claim, HOPELESS if key == "c" else BROKE)
    async with console() as at:
        await cursor_on(at, 1, PaneNumber.CHAINS)
        await at.press("r")
        await at.told("job 1 is back in the queue")
        await cursor_on(at, 2, PaneNumber.CHAINS)
        await at.press("X")
        await on_top(at, JobsDialog)
        await at.press("y")
        await at.told("job 2 failed; no retries are left")
        await cursor_on(at, 3, PaneNumber.HISTORY)
        await at.press("r")
        await at.told("job 4 retries job 3")
    assert [job(store, number).status for number in (1, 2, 3, 4)] == [
        Status.QUEUED,
        Status.FAILED,
        Status.FAILED,
        Status.QUEUED,
    ]


async def test_gates_are_answered_from_their_pane(console: OpenConsole, store: Store) -> None:
    asking = Gate("ship it?")
    submit(store, *(NewJob(job_key=key, command=Command(("x",)), approval=asking) for key in ("a", "b")))
    with store.write("engine") as work:
        work.claim(WORKER, LEASE, Limits(slots=9))
    async with console() as at:
        await cursor_on(at, 1, PaneNumber.APPROVALS)
        await at.press("a")
        await on_top(at, GateDialog)
        await at.press("escape")
        await on_top(at, DeckScreen)
        await at.press("x")
        await on_top(at, GateDialog)


async def test_a_job_is_edited_and_one_that_has_started_says_why_not(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    with store.write("engine") as work:
        work.claim(WORKER, LEASE, Limits(slots=1))
    async with console() as at:
        await cursor_on(at, 2)
        await at.press("e")
        await on_top(at, JobEditor)
        await at.press("escape")
        await cursor_on(at, 1, PaneNumber.RUNNING)
        await at.press("e")
        await at.told("job 1 is RUNNING and can't be edited now; stop it with the key c")


async def test_slots_are_chosen(console: OpenConsole, store: Store) -> None:
    async with console() as at:
        await at.press("s")
        await on_top(at, Ask)
        await at.press(*"-1")
        await at.until(lambda: "✗" in at.text or "slots" in at.text, "nonsense is told")
        await at.press("backspace", "backspace", *"5", "enter")
        await at.told("5 slots from now on")
        await at.press("colon", *"slots 3", "enter")
        await at.told("3 slots from now on")
    with store.write("engine") as work:
        assert work.chosen_slots() == 3


async def test_schedules_are_triggered_switched_and_removed(console: OpenConsole, store: Store) -> None:
    with store.write("bob") as work:
        work.add_template("t", NewJob(job_key="t", command=Command(("make",))))
        work.add_schedule(NewSchedule("nightly", "t", "0 2 * * *"))
    async with console() as at:
        await at.press("4")
        await at.until(lambda: "every day at 0" in at.text, "it is listed in words")
        await at.press("t")
        await at.told("job 1 is queued for schedule nightly")
        await at.press("o")
        await at.told("schedule nightly is off")
        await at.until(lambda: "○" in at.text, "it is seen")
        await at.press("z")
        await at.told("undone: schedule nightly is on")
        await at.press("e")
        await on_top(at, ScheduleForm)
        await at.press("escape")
        await on_top(at, DeckScreen)
        await at.press("D")
        await at.until(lambda: "Remove schedule nightly?" in at.text, "it asks")
        await at.press("y")
        await at.told("schedule nightly is removed")
        await at.until(lambda: "no schedules yet" in at.text, "the pane is empty")
        await at.press("o")
        await at.told("no schedule is selected; n makes one")
    with store.read() as views:
        assert views.schedules() == []
    assert job(store, 1).job_key == "t" or job(store, 1).schedule_id is not None


async def test_a_schedule_made_anew_under_the_old_name_is_left_alone(console: OpenConsole, store: Store) -> None:
    def plan() -> None:
        with store.write("bob") as work:
            work.add_schedule(NewSchedule("nightly", "t", "0 2 * * *"))

    with store.write("bob") as work:
        work.add_template("t", NewJob(command=Command(("make",))))
    plan()
    async with console() as at:
        await at.press("4")
        await at.until(lambda: "nightly" in at.text, "it is listed")
        await at.press("D")
        await at.until(lambda: "Remove schedule nightly?" in at.text, "it asks")
        with store.write("bob") as work:
            work.remove_schedule("nightly")
        plan()
        await at.press("y")
        await at.told("schedule nightly was removed and made anew meanwhile; nothing was changed")
    with store.read() as views:
        assert [one.name for one in views.schedules()] == ["nightly"]


@pytest.mark.parametrize(
    ("key", "holds"),
    [
        ("enter", lambda at: isinstance(at.screen, JobScreen) and at.screen.tab == "facts"),
        ("l", lambda at: isinstance(at.screen, JobScreen) and at.screen.tab == "log"),
        ("n", lambda at: isinstance(at.screen, JobForm)),
        ("question_mark", lambda at: isinstance(at.screen, HelpScreen)),
        ("f", lambda at: at.app._deck_screen._zoomed),
        ("y", lambda at: at.app.clipboard == "job 1 (a)" and at.said == ["copied: job 1 (a)"]),
        ("T", lambda at: at.app.theme == "deck-light"),
    ],
)
async def test_keys_that_show_something(
    console: OpenConsole, store: Store, key: str, holds: Callable[[Console], bool]
) -> None:
    submit(store, *named("a"))
    async with console() as at:
        await cursor_on(at, 1)
        await at.press(key)
        await at.until(lambda: holds(at), f"{key} shows something")


async def test_sample_jobs_are_queued_once(console: OpenConsole, store: Store) -> None:
    async with console() as at:
        await at.until(lambda: "S queues a few harmless sample jobs" in at.text, "an empty store teaches")
        await at.press("S")
        await at.told("sample jobs are queued")
        first = queue(store)
        assert first
        await at.press("S")
        await at.told("the sample jobs are there already")
        assert queue(store) == first


KEYS = [
    "u",
    "d",
    "t",
    "b",
    "plus",
    "minus",
    "equals_sign",
    "h",
    "e",
    "R",
    "r",
    "X",
    "c",
    "K",
    "a",
    "x",
    "n",
    "D",
    "S",
    "p",
    "s",
]


@pytest.mark.parametrize("key", KEYS)
async def test_a_console_that_only_looks_on_changes_nothing(
    console: OpenConsole, store: Store, deck: Deck, key: str
) -> None:
    submit(store, *named("a", "b"))
    with store.read() as views:
        before = list(views.history(None, Filter(), 100))
    looking = Deck(deck.places, deck.config, "ann", deck.zone, deck.clock, read_only=True)
    async with console(deck=looking) as at:
        await cursor_on(at, 1)
        await at.press(key)
        await at.told("this console only looks on; it was opened with --read-only")
        assert at.app.engine.thread is None
        assert isinstance(at.screen, DeckScreen)
    with store.read() as views:
        assert list(views.history(None, Filter(), 100)) == before


async def test_the_key_bar_does_what_its_keys_do(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    async with console() as at:
        await cursor_on(at, 2)
        line = at.lines[-1]
        await at.pilot.click("KeyBar", offset=(line.index("hold"), 0))
        await at.told("job 2 is held")


async def test_the_mouse_goes_everywhere(console: OpenConsole, store: Store) -> None:
    submit(store, *named("a", "b"))
    async with console() as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 2, "the queue is there")
        await at.pilot.click("#pane-1", offset=(10, 3))
        await at.until(lambda: at.app._deck_screen.queue.selected == 2, "a click selects")
        await at.pilot.click("#pane-4", offset=(3, 3))
        await at.until(lambda: at.app._deck_screen.active.NUMBER is PaneNumber.SCHEDULES, "a click goes to a pane")
        await at.pilot.click("#pane-1", offset=(10, 2), times=2)
        await on_top(at, JobScreen)
