"""Several jobs at once: what is marked, what is asked, what was done to how many, and the way back."""

import pytest

from console.app import course, doing, underway
from console.app.dialogs.jobs_dialog import JobsDialog
from console.app.screens.deck import DeckScreen
from console.app.snapshot import PaneNumber
from core.jobs import Command, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store
from tests.app.conftest import SMALL, Console, OpenConsole
from tests.app.played_jobs import HOPELESS, Playing
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER


def submit(store: Store, count: int, **more: object) -> None:
    with store.write("bob") as work:
        for number in range(count):
            work.submit(NewJob(job_key=f"key-{number + 1}", command=Command(("true",)), **more))  # type: ignore[arg-type]


def states(store: Store) -> dict[int, Status]:
    with store.read() as views:
        return views.states_of(range(1, 1 + sum(views.counts().values())))


def held(store: Store) -> list[int]:
    with store.read() as views:
        return [row.id for row in views.queue_window(0, 10_000).rows if row.held]


async def queue_is_seen(at: Console, count: int) -> None:
    await at.until(lambda: at.app._deck_screen.queue.count == count, f"{count} jobs are seen")


async def mark_all(at: Console, count: int) -> None:
    """Mark all that match, and wait until so many are."""
    await at.press("asterisk")
    await at.until(lambda: f"{count:,} marked" in at.text, f"{count:,} are marked")


async def ask(at: Console, key: str, question: str) -> None:
    """Press a key that asks, and wait for its question."""
    await at.press(key)
    await at.until(lambda: isinstance(at.screen, JobsDialog) and question in at.text, question)


async def test_what_is_marked_is_done_together_and_taken_back_together(console: OpenConsole, store: Store) -> None:
    submit(store, 5)
    async with console() as at:
        await queue_is_seen(at, 5)
        await at.press("space", "down", "space", "space")
        await at.until(lambda: "3 marked" in at.text, "the frame counts them")
        await at.press("h")
        await at.told("3 jobs are held")
        assert held(store) == [1, 3, 4]
        await at.until(lambda: "marked" not in at.text, "the marks have served")
        await at.press("z")
        await at.told("undone: 3 jobs are no longer held")
        assert held(store) == []


async def test_a_question_about_several_names_them_and_counts_the_rest(console: OpenConsole, store: Store) -> None:
    submit(store, 12)
    async with console() as at:
        await queue_is_seen(at, 12)
        await mark_all(at, 12)
        await ask(at, "c", "Cancel 12 jobs?")
        assert "job 8 (key-8)" in at.text
        assert "… and 4 more" in at.text
        await at.press("y")
        await at.told("12 jobs are cancelled")
    assert set(states(store).values()) == {Status.CANCELLED}


async def test_all_that_match_are_marked_however_far_the_screen_reaches(console: OpenConsole, store: Store) -> None:
    submit(store, 700)
    async with console(SMALL) as at:
        await queue_is_seen(at, 700)
        await mark_all(at, 700)
        await ask(at, "c", "Cancel 700 jobs?")
        await at.press("y")
        await at.told("700 jobs are cancelled")
    assert list(states(store).values()) == [Status.CANCELLED] * 700


async def test_with_a_filter_only_what_matches_is_marked(console: OpenConsole, store: Store) -> None:
    submit(store, 60)
    async with console() as at:
        await queue_is_seen(at, 60)
        await at.press("slash", *"key:key-1*", "enter")
        await queue_is_seen(at, 11)
        await mark_all(at, 11)
        await at.press("h")
        await at.told("11 jobs are held")
    assert held(store) == [1, *range(10, 20)]


async def test_a_filter_that_lets_many_through_still_marks_them_all(console: OpenConsole, store: Store) -> None:
    submit(store, 1_200)
    async with console(SMALL) as at:
        await queue_is_seen(at, 1_200)
        await at.press("slash", *"key:key-*", "enter")
        await at.until(lambda: "500+ match" in at.text, "not all are read")
        await mark_all(at, 1_200)


async def test_marks_go_with_the_jobs_that_leave(console: OpenConsole, store: Store) -> None:
    submit(store, 3)
    async with console() as at:
        await queue_is_seen(at, 3)
        await mark_all(at, 3)
        with store.write("engine") as work:
            work.claim(WORKER, LEASE, Limits(slots=1))
        await at.until(lambda: "2 marked" in at.text, "the one that runs now is not marked any more")
        await ask(at, "c", "Cancel 2 jobs?")
        await at.press("y")
        await at.told("2 jobs are cancelled")
    assert states(store)[1] is Status.RUNNING


async def test_who_leaves_while_one_is_asked_is_left_alone_and_said(console: OpenConsole, store: Store) -> None:
    submit(store, 3)
    async with console() as at:
        await queue_is_seen(at, 3)
        await mark_all(at, 3)
        await ask(at, "c", "Cancel 3 jobs?")
        with store.write("engine") as work:
            work.claim(WORKER, LEASE, Limits(slots=1))
        await at.until(lambda: "1 is RUNNING" in at.text, "the question says so")
        await at.press("y")
        await at.told("2 jobs are cancelled; 1 left alone: job 1 is RUNNING now")
    assert states(store) == {1: Status.RUNNING, 2: Status.CANCELLED, 3: Status.CANCELLED}


async def test_what_becomes_of_the_one_job_is_said_in_its_question(console: OpenConsole, store: Store) -> None:
    submit(store, 1)
    async with console() as at:
        await queue_is_seen(at, 1)
        await ask(at, "c", "Cancel job 1 (key-1)?")
        with store.write("engine") as work:
            work.claim(WORKER, LEASE, Limits(slots=1))
        await at.until(lambda: "It was QUEUED when you chose it; it is RUNNING now." in at.text, "the question says so")
        await at.press("n")
    assert states(store) == {1: Status.RUNNING}


async def test_failed_jobs_are_all_run_again(
    console: OpenConsole, store: Store, clock: Clock, tmp_path_factory: pytest.TempPathFactory
) -> None:
    playing = Playing(store, clock, tmp_path_factory.mktemp("logs"))
    for number in range(6):
        playing.submit(NewJob(job_key=f"key-{number}", command=Command(("true",))))
        claim = playing.start()
        if number % 2:
            playing.fail(claim, HOPELESS)
        else:
            playing.finish(claim)
    async with console() as at:
        await at.press("6")
        await at.until(lambda: at.app._deck_screen.history.count == 6, "they are listed")
        await at.press("slash", *"status:failed", "enter")
        await at.until(lambda: at.app._deck_screen.history.count == 3, "only the failed ones")
        await mark_all(at, 3)
        await at.press("r")
        await at.told("3 jobs run again as new jobs")
    assert [number for number, status in states(store).items() if status is Status.QUEUED] == [7, 8, 9]


async def test_more_than_a_thousand_are_asked_about_whatever_it_is(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doing, "MANY", 10)
    submit(store, 11)
    async with console() as at:
        await queue_is_seen(at, 11)
        await mark_all(at, 11)
        await ask(at, "plus", "Raise 11 jobs?")
        await at.press("y")
        await at.told("11 jobs have priority 1")


async def test_a_long_course_shows_how_far_it_is_and_stops_between_two_jobs(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    # One job in each transaction, so that there is something to stop.
    monkeypatch.setattr(course, "TURN", -1.0)
    submit(store, 400)
    async with console() as at:
        await queue_is_seen(at, 400)
        await mark_all(at, 400)
        await at.press("h")
        await at.until(lambda: "of 400 jobs · esc stops it" in at.text, "its progress is shown")
        await at.press("q")
        await at.told("esc stops it, then it can be left")
        await at.press("escape")
        await at.told("stopped there")
        done = len(held(store))
        assert 0 < done < 400
        assert any(f"{400 - done:,} are as they were" in one for one in at.said), at.said
        await at.until(lambda: "esc stops it" not in at.lines[-2], "the line is gone")
        await at.press("z")
        await at.until(lambda: not held(store), "what was done is taken back")


async def test_others_get_their_turn_in_a_long_course(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "TURN", -1.0)
    submit(store, 300)
    async with console() as at:
        await queue_is_seen(at, 300)
        await mark_all(at, 300)
        await at.press("h", "p")
        await at.told("paused: nothing new starts")
        assert len(held(store)) < 300, "the pause did not wait for all of them"
        await at.told("300 jobs are held")


async def test_what_was_done_to_too_many_can_not_be_taken_back(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "MOST_UNDONE", 4)
    submit(store, 5)
    async with console() as at:
        await queue_is_seen(at, 5)
        await mark_all(at, 5)
        await at.press("h")
        await at.told("5 jobs are held; too many to take back")
        await at.press("z")
        await at.told("there is nothing to undo")


async def test_nothing_is_done_to_one_job_while_others_are_still_being_marked(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(store, 700)
    monkeypatch.setattr(underway.Gathering, "start", lambda _: None)
    async with console(SMALL) as at:
        await queue_is_seen(at, 700)
        await at.press("asterisk", "h")
        await at.told("jobs are still being marked; wait until all are, or stop it with esc")
        assert held(store) == []


async def test_too_large_a_block_is_not_moved(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.app.deeds.MOST_MOVED", 3)
    submit(store, 5)
    async with console() as at:
        await queue_is_seen(at, 5)
        await at.press("down", *["space"] * 4, "t")
        await at.told("at most 3 jobs are moved at once, and 4 are marked")


async def test_schedules_are_not_marked(console: OpenConsole) -> None:
    async with console() as at:
        await at.press("4", "space")
        await at.told("only jobs are marked, and there is none here")
        assert isinstance(at.screen, DeckScreen)
        assert not at.app._deck_screen.panes[PaneNumber.SCHEDULES].marks
