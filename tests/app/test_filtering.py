"""Filters in the console: tried out while they are typed, completed, and never moved past unseen."""

import pytest

from console.app.dialogs.base import Confirm
from console.app.screens.deck import DeckScreen
from console.app.snapshot import PaneNumber
from console.app.widgets.prompt import Prompt
from core.jobs import Command, NewJob
from core.limits import Limits
from store.store import Store
from tests.app.conftest import Console, OpenConsole
from tests.app.played_jobs import BROKE, Playing
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER


def submit(store: Store, *keys: str, priority: int = 0) -> None:
    with store.write("bob") as work:
        for key in keys:
            work.submit(NewJob(job_key=key, command=Command(("true",)), priority=priority))


def queue(store: Store) -> list[str]:
    with store.read() as views:
        return [row.job_key for row in views.queue_window(0, 100).rows]


def prompt(at: Console) -> Prompt:
    return at.app._deck_screen.query_one(Prompt)


async def shown(at: Console, count: int) -> None:
    await at.until(lambda: at.app._deck_screen.queue.count == count, f"{count} jobs are shown")


async def test_what_matches_is_shown_while_it_is_typed(console: OpenConsole, store: Store) -> None:
    submit(store, "red", "green", "blue")
    async with console() as at:
        await shown(at, 3)
        await at.press("slash", *"re")
        await shown(at, 2)
        assert prompt(at).has_focus_within, "and one can type on"
        await at.press("d")
        await shown(at, 1)
        await at.press("enter")
        await at.until(lambda: "1 match red" in at.text, "the frame tells the filter")
        assert at.app._deck_screen.queue.has_focus
        await at.press("escape")
        await shown(at, 3)


async def test_escape_brings_the_filter_before_back(console: OpenConsole, store: Store) -> None:
    submit(store, "red", "green", "blue")
    async with console() as at:
        await at.press("slash", *"blue", "enter")
        await shown(at, 1)
        await at.press("slash", *["backspace"] * 5, *"e")
        await shown(at, 3)
        await at.press("escape")
        await shown(at, 1)
        assert "1 match blue" in at.text


async def test_a_filter_that_makes_no_sense_is_told_beside_it_and_changes_nothing(
    console: OpenConsole, store: Store
) -> None:
    submit(store, "red", "green")
    async with console() as at:
        await at.press("slash", *"green", "enter")
        await shown(at, 1)
        await at.press("slash", *"age<soon", "enter")
        await at.until(lambda: '"soon" is not a duration' in at.text, "what is wrong is said")
        assert prompt(at).has_focus_within, "it can be put right"
        await at.press(*["backspace"] * 4, *"1h", "enter")
        await at.until(lambda: at.app._deck_screen.queue.has_focus, "it is taken")
        assert "age<1h" in at.text


async def test_tab_completes_what_is_offered(console: OpenConsole, store: Store) -> None:
    submit(store, "red")
    async with console() as at:
        await at.press("slash", *"held:y")
        await at.until(lambda: "held:yes" in at.text, "the completion is shown")
        await at.press("tab")
        await at.until(lambda: prompt(at)._line.value == "held:yes", "tab takes it")
        await at.press("enter")
        await shown(at, 0)
        assert "nothing in the queue matches; esc shows all" in at.text


async def test_a_pane_without_a_filter_leaves_it_to_the_queue(console: OpenConsole, store: Store) -> None:
    submit(store, "red", "green")
    async with console((80, 24)) as at:
        await at.press("4", "colon", *"filter red", "enter")
        await at.press("1")
        await shown(at, 1)
        await at.press("6", "slash", *"x", "enter")
        await at.until(lambda: at.app._deck_screen.history.filter.terms, "the history has its own")
        assert str(at.app._deck_screen.queue.filter) == "red"


async def test_what_waits_for_a_retry_is_listed_when_it_is_asked_for(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    playing.submit(NewJob(job_key="flaky", command=Command(("true",)), backoff="fixed:1h"))
    playing.fail(playing.start(), BROKE)
    submit(store, "red")
    async with console() as at:
        await shown(at, 1)
        await at.press("slash", *"status:retrying", "enter")
        await at.until(lambda: "another attempt" in at.text, "it says when it goes on")
        await at.press("r")
        await at.told("job 1 is back in the queue")


async def test_within_a_filter_a_job_moves_past_the_next_one_shown(console: OpenConsole, store: Store) -> None:
    submit(store, "a1", "a2", "a3", "b1")
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 3)
        await at.press("down", "down", "u")
        await at.told("job 3 moved before job 2; place 2 now")
        await at.press("u")
        await at.told("job 3 moved before job 1; place 1 now")
        assert queue(store) == ["a3", "a1", "a2", "b1"]
        await at.press("u")
        await at.told("nothing that is shown stands before it in priority 0")
        await at.press("z", "z")
        await at.until(lambda: queue(store) == ["a1", "a2", "a3", "b1"], "both are taken back")


async def asked(at: Console, *words: str) -> None:
    await at.until(lambda: isinstance(at.screen, Confirm) and all(one in at.text for one in words), str(words))


async def test_a_move_past_hidden_jobs_says_so_first(console: OpenConsole, store: Store) -> None:
    submit(store, "a1", "b1", "b2", "a2")
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 2)
        await at.press("down", "u")
        await asked(at, "Move job 4 (a2) before job 1?", "It goes past 2 jobs that the filter hides.")
        await at.press("n")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the question is gone")
        assert queue(store) == ["a1", "b1", "b2", "a2"]
        await at.press("u")
        await asked(at, "Move job 4 (a2) before job 1?")
        await at.press("y")
        await at.told("job 4 moved before job 1; place 1 now")
        assert queue(store) == ["a2", "a1", "b1", "b2"]
        await at.press("z")
        await at.until(lambda: queue(store) == ["a1", "b1", "b2", "a2"], "it is taken back")


@pytest.mark.parametrize(
    ("key", "question", "order"),
    [
        ("t", "Move job 3 (a2) to the top of priority 0?", ["a2", "b1", "a1", "b2", "a3"]),
        ("b", "Move job 3 (a2) to the bottom of priority 0?", ["b1", "a1", "b2", "a3", "a2"]),
    ],
)
async def test_all_the_way_past_hidden_jobs_says_so_too(
    console: OpenConsole, store: Store, key: str, question: str, order: list[str]
) -> None:
    submit(store, "b1", "a1", "a2", "b2", "a3")
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 3)
        await at.press("down", key)
        await asked(at, question, "It goes past 1 job that the filter hides.")
        await at.press("y")
        await at.until(lambda: queue(store) == order, "it is moved")


async def test_a_marked_block_moves_within_a_filter(console: OpenConsole, store: Store) -> None:
    submit(store, "a1", "a2", "b1", "a3", "a4")
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 4)
        await at.press("down", "down", "space", "space", "u")
        await asked(at, "Move 2 jobs before job 2?", "1 job that the filter hides")
        await at.press("y")
        await at.until(lambda: queue(store) == ["a1", "a3", "a4", "a2", "b1"], "both are moved")


async def test_jobs_of_different_priorities_do_not_move_together_through_a_filter(
    console: OpenConsole, store: Store
) -> None:
    submit(store, "a1", "a2")
    submit(store, "a3", priority=5)
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 3)
        await at.press("space", "space", "d")
        await at.told("the marked jobs have different priorities")


async def test_a_move_of_jobs_that_have_just_started_is_refused(console: OpenConsole, store: Store) -> None:
    submit(store, "a1", "a2", "a3")
    async with console() as at:
        await at.press("slash", *"key:a*", "enter")
        await shown(at, 3)
        at.app._lookout.end()
        at.app._lookout.join()
        with store.write("engine") as work:
            work.claim(WORKER, LEASE, Limits(slots=9))
        await at.press("d")
        await at.told("none of these jobs is in the queue any more")


async def test_commands_are_remembered_and_jobs_opened_by_number(console: OpenConsole, store: Store) -> None:
    submit(store, "red")
    async with console() as at:
        await at.press("colon", *"hold", "enter")
        await at.told("job 1 is held")
        await at.press("colon", *"hodl", "enter")
        await at.told("did you mean hold?")
        await at.press("colon", "up", "up")
        assert prompt(at)._line.value == "hold"
        await at.press("down", "down")
        assert prompt(at)._line.value == ""
        await at.press("escape", "colon", *"1", "enter")
        await at.until(lambda: at.screen is not at.app._deck_screen, "the job is open")
        await at.press("escape")
        await at.press("ctrl+p")
        await at.until(lambda: "an action by its words" in at.text, "the palette is open")
        await at.press(*"#1")
        await at.until(lambda: "job 1" in at.text, "it finds the job")
        await at.press("enter")
        await at.until(lambda: "1 Facts" in at.text, "and opens it")
        assert at.app.memory.commands == ["hold", "hodl", "1"]


async def test_the_palette_does_what_it_finds(console: OpenConsole, store: Store) -> None:
    submit(store, "red")
    async with console() as at:
        await shown(at, 1)
        await at.press("ctrl+p")
        await at.until(lambda: "an action by its words" in at.text, "the palette is open")
        await at.press(*"keep it from")
        await at.until(lambda: "hold (h)" in at.text, "it is found by its words")
        await at.press("enter")
        await at.told("job 1 is held")
        assert at.app._deck_screen.active.NUMBER is PaneNumber.QUEUE
