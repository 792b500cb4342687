"""Hostile text in every column of every table and in every log: it stays text, on every pane, screen and dialog."""

from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from console.app.deck import Deck
from console.app.screens.deck import DeckScreen
from console.app.snapshot import PaneNumber
from core.config import Config
from core.jobs import Command, NewJob
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import ESCAPE, HOSTILE, MARKUP, assert_only_text
from tests.app.hostile import assert_harmless_bytes, make_hostile, poison_logs
from tests.app.recording import Recorder
from tests.app.scene import NOW, play_at

TABS = ("1", "2", "3", "4", "5")


async def look(at: Console) -> None:
    """Let it settle, and see that there is only text."""
    await at.app.settled(at.pilot.pause)
    await at.settle()
    assert_only_text(at)


async def back(at: Console) -> None:
    """Leave whatever is open, down to the deck."""
    for _ in range(6):
        if isinstance(at.screen, DeckScreen):
            return
        await at.press("y" if "Leave without saving?" in at.text else "escape")
        await at.app.settled(at.pilot.pause)
    raise AssertionError(f"there is no way back from {at.screen}")


def written(at: Console) -> list[str]:
    driver = at.app._driver
    assert isinstance(driver, Recorder)
    return driver.written


@pytest.fixture
def hostile(tmp_path: Path) -> Deck:
    # Played anew: the logs of the other mornings are shared.
    home = tmp_path / "hostile"
    home.mkdir(mode=0o700)
    morning = play_at(home)
    poison_logs(morning.logs)
    assert make_hostile(morning.places.db) > 20
    config = Config(keys={MARKUP: "w", "hold": MARKUP})
    return Deck(morning.places, config, ESCAPE + MARKUP, ZoneInfo("UTC"), lambda: NOW, engine=False)


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
async def test_every_pane_screen_and_dialog_shows_it_as_text(
    console: OpenConsole, hostile: Deck, size: tuple[int, int]
) -> None:
    async with console(size, hostile, record=True) as at:
        await look(at)
        for pane in PaneNumber:
            await at.press(str(pane.value))
            await look(at)
            await at.press("f")
            await look(at)
            await at.press("f")
            for keys in (["c"], ["K"], ["r"], ["X"], ["equals_sign"], ["e"], ["a"], ["x"], ["D"], ["n"], ["y"], ["h"]):
                await at.press(*keys)
                await look(at)
                await at.press("n") if keys == ["c"] else None
                await back(at)
            await at.press("enter")
            await look(at)
            for tab in TABS:
                if isinstance(at.screen, DeckScreen):
                    break
                await at.press(tab)
                await look(at)
            await back(at)
        for keys in (["ctrl+p"], ["question_mark"], ["space", "space", "c"]):
            await at.press("1", *keys)
            await look(at)
            await back(at)
        assert_harmless_bytes(written(at))


@pytest.mark.parametrize("text", HOSTILE)
async def test_what_is_typed_or_pasted_is_only_text(console: OpenConsole, store: Store, deck: Deck, text: str) -> None:
    with store.write("ann") as work:
        work.submit(NewJob(command=Command(("true",))))
    plain = text.replace("\ud800", "")
    async with console(SMALL, deck, record=True) as at:
        for keys in (["slash"], ["colon"], ["equals_sign"], ["s"], ["ctrl+p"]):
            await at.press(*keys)
            await look(at)
            await at.paste(plain)
            await look(at)
            await at.press("enter")
            await look(at)
            await back(at)
            await at.press("escape")
        assert_harmless_bytes(written(at))


@pytest.mark.parametrize("text", HOSTILE)
async def test_what_is_told_is_only_text(console: OpenConsole, deck: Deck, text: str) -> None:
    async with console(SMALL, deck, record=True) as at:
        for severity in ("information", "warning", "error"):
            at.app.tell(text, severity=severity)
        at.app._unreadable(text)
        at.app.engine._ask_what_next(text)
        await look(at)
        assert_harmless_bytes(written(at))


async def test_hostile_config_keys_are_complained_about_as_text(console: OpenConsole, hostile: Deck) -> None:
    async with console(LARGE, hostile, record=True) as at:
        await at.until(lambda: "there is no action" in at.app_notices, "it is told")
        await look(at)
        assert_harmless_bytes(written(at))
