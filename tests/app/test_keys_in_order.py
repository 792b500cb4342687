"""Keys that arrive all at once do what they would do one by one."""

import pytest
from textual import events

from console.app.dialogs.ask import Ask
from console.app.dialogs.job_editor import JobEditor
from console.app.screens.deck import DeckScreen
from console.app.widgets.field import Field
from console.app.widgets.prompt import Prompt
from core.jobs import Command, Job, NewJob
from core.status import Status
from store.store import Store
from tests.app.conftest import Console, OpenConsole


def submit(store: Store, *keys: str) -> None:
    with store.write("bob") as work:
        for key in keys:
            work.submit(NewJob(job_key=key, command=Command(("true",))))


def job(store: Store, number: int) -> Job:
    with store.read() as views:
        return views.job(number)


async def at_once(at: Console, *keys: str) -> None:
    """All of these arrive in one piece, as over a slow line."""
    for key in keys:
        at.app.post_message(events.Key(key, key if len(key) == 1 else None))
    await at.settle()


async def test_what_is_typed_behind_a_slash_is_a_filter_and_no_deed(console: OpenConsole, store: Store) -> None:
    submit(store, "ham", "spam")
    async with console() as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 2, "the queue is there")
        await at_once(at, "slash", *"ham", "enter")
        await at.until(lambda: at.app._deck_screen.queue.count == 1, "the filter is taken")
        assert at.said == []
        assert not job(store, 1).held
        assert str(at.app._deck_screen.queue.filter) == "ham"


async def test_a_question_is_answered_by_the_key_behind_it(console: OpenConsole, store: Store) -> None:
    submit(store, "a", "b")
    async with console() as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 2, "the queue is there")
        await at_once(at, "down", "c", "y")
        await at.told("job 2 is cancelled")
        assert job(store, 1).status is Status.QUEUED
        assert at.app.clipboard == "", "y was the answer, and copied nothing"


async def test_a_value_is_typed_into_the_line_that_was_asked_for(console: OpenConsole, store: Store) -> None:
    submit(store, "a")
    async with console() as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 1, "the queue is there")
        await at_once(at, "equals_sign", *"12", "enter")
        await at.told("job 1 has priority 12")
        assert isinstance(at.screen, DeckScreen)


async def test_a_form_that_has_to_be_read_first_gets_what_was_typed_for_it(console: OpenConsole, store: Store) -> None:
    submit(store, "a")
    async with console() as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 1, "the queue is there")
        await at_once(at, "e", *"n=1")
        await at.until(lambda: isinstance(at.screen, JobEditor), "the form is open")
        await at.until(lambda: at.screen.query_one("#field-params", Field).text == "n=1", "it has what was typed")
        assert job(store, 1).status is Status.QUEUED


async def test_no_key_is_lost_and_none_overtakes_another(console: OpenConsole) -> None:
    text = "the quick brown fox"
    async with console() as at:
        await at_once(at, "colon", *(("space" if letter == " " else letter) for letter in text))
        prompt = at.app._deck_screen.query_one(Prompt)
        await at.until(lambda: len(prompt._line.value) == len(text.replace(" ", "")), "every letter is there")
        assert prompt._line.value == text.replace(" ", "")


async def test_a_key_whose_target_is_gone_keeps_nobody_waiting(
    console: OpenConsole, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.app.keys_in_order.PATIENCE", 0.05)
    async with console() as at:
        monkeypatch.setattr(type(at.app), "on_followed", lambda _: None)
        await at_once(at, "s", *"3", "enter")
        await at.told("3 slots from now on")
        assert not isinstance(at.screen, Ask)
