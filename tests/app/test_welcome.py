"""The card that is shown the first time, and an empty store that teaches."""

import pytest

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.app.samples import SAMPLES
from console.app.screens.deck import DeckScreen
from console.app.screens.help import HelpScreen
from console.app.screens.welcome import CARD, WelcomeScreen
from console.app.themes import LIGHT
from store.store import Store
from tests.app.conftest import SMALL, Console, OpenConsole
from tests.app.test_deck_keys import queue


async def first(deck: Deck, *keys: str) -> tuple[bool, type]:
    """Open a console; whether the card was there, and what is on top after these keys."""
    app = JobdeckApp(deck)
    app.animation_level = "none"
    async with app.run_test(size=SMALL) as pilot:
        at = Console(app, pilot)
        await at.until(lambda: len(app.screen_stack) > 1, "a screen is there")
        await at.settle()
        card = isinstance(at.screen, WelcomeScreen)
        if card:
            assert all(words in at.text for _, words in CARD)
        await at.press(*keys)
        await at.settle()
        return card, type(at.screen)


@pytest.mark.parametrize("key", ["enter", "escape", "space", "x", "K", "down"])
async def test_any_key_puts_the_card_away_and_does_nothing_else(deck: Deck, store: Store, key: str) -> None:
    assert await first(deck, key) == (True, DeckScreen)
    with store.read() as views:
        assert sum(views.counts().values()) == 0


async def test_it_is_shown_once(deck: Deck) -> None:
    assert await first(deck, "enter") == (True, DeckScreen)
    assert await first(deck) == (False, DeckScreen)


async def test_the_key_for_all_keys_works_on_the_card(deck: Deck) -> None:
    assert await first(deck, "question_mark") == (True, HelpScreen)


async def test_a_home_that_can_not_be_written_is_no_reason_not_to_open(deck: Deck) -> None:
    (deck.places.home / "console.json").mkdir()
    assert await first(deck, "enter") == (True, DeckScreen)


async def test_an_empty_store_teaches_and_queues_samples_with_one_key(console: OpenConsole, store: Store) -> None:
    async with console(SMALL) as at:
        assert "jobdeck submit" in at.text
        await at.press("S")
        await at.until(lambda: queue(store), "samples are queued")
        await at.until(lambda: "jobdeck submit" not in at.text, "the lesson makes room for them")
        await at.press("S")
        await at.told("the sample jobs are there already")
        assert len(queue(store)) == len(SAMPLES)


async def test_the_colours_chosen_are_remembered(deck: Deck) -> None:
    assert (await first(deck, "enter", "T"))[1] is DeckScreen
    again = JobdeckApp(deck)
    async with again.run_test(size=SMALL) as pilot:
        await pilot.pause(0)
        assert again.theme == LIGHT.name
