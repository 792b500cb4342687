"""Every pane, screen and dialog as a picture, small and large, of a morning that is always the same.

A picture that has changed on purpose is taken again with `.venv/bin/python -m pytest tests/app/test_pictures.py
--snapshot-update`, and looked at before it is committed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

import pytest
from pytest_textual_snapshot import SVGImageExtension
from syrupy.assertion import SnapshotAssertion

from console.app.deck import Deck
from core.config import Config
from tests.app.conftest import LARGE, SMALL, OpenConsole
from tests.app.scene import NOW, Morning
from tests.app.untold import play_outbox

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "160x48"])


@dataclass(frozen=True)
class Picture:
    """How one comes to what is to be seen."""

    keys: Sequence[str] = ()
    theme: str = "dark"
    read_only: bool = False
    empty: bool = False
    untold: bool = False
    """Whether something could not be told."""
    keys_config: dict[str, str] = field(default_factory=dict)


PICTURES = {
    "queue": Picture(("1",)),
    "running": Picture(("2",)),
    "chains": Picture(("3",)),
    "schedules": Picture(("4",)),
    "approvals": Picture(("5",)),
    "history": Picture(("6",)),
    "queue-zoomed": Picture(("1", "f")),
    "running-zoomed": Picture(("2", "f")),
    "filter": Picture(("slash", *"orders", "enter")),
    "filter-being-typed": Picture(("slash", *"status:fa")),
    "filter-wrong": Picture(("slash", *"age<soon", "enter")),
    "nothing-matches": Picture(("slash", *"zebra", "enter")),
    "marked": Picture(("space", "space", "space")),
    "command": Picture(("colon", *"prio")),
    "cancel": Picture(("c",)),
    "cancel-several": Picture(("space", "space", "space", "c")),
    "priority": Picture(("equals_sign", *"many")),
    "slots": Picture(("s",)),
    "submit": Picture(("n",)),
    "edit": Picture(("e",)),
    "schedule-form": Picture(("4", "n")),
    "schedule-edit": Picture(("4", "down", "e")),
    "schedule-remove": Picture(("4", "down", "D")),
    "direct": Picture(("D",)),
    "approve": Picture(("5", "down", "a")),
    "deny": Picture(("5", "x")),
    "palette": Picture(("ctrl+p", *"retry")),
    "help": Picture(("question_mark",)),
    "facts": Picture(("2", "down", "enter")),
    "timeline": Picture(("3", "down", "down", "enter", "2")),
    "attempts": Picture(("3", "down", "down", "enter", "3")),
    "log": Picture(("5", "down", "enter", "4")),
    "data": Picture(("5", "down", "enter", "5")),
    "untold": Picture(("1",), untold=True),
    "outbox": Picture(("O", "down", "down"), untold=True),
    "outbox-empty": Picture(("O",)),
    "light": Picture(theme="light"),
    "colour-blind": Picture(theme="colour-blind"),
    "monochrome": Picture(theme="monochrome"),
    "read-only": Picture(read_only=True),
    "empty": Picture(empty=True),
    "empty-history": Picture(("6",), empty=True),
}


@SIZES
@pytest.mark.parametrize("name", PICTURES)
async def test_it_looks_as_it_did(
    name: str,
    size: tuple[int, int],
    console: OpenConsole,
    morning: Morning,
    deck: Deck,
    snapshot: SnapshotAssertion,
) -> None:
    picture = PICTURES[name]
    places = deck.places if picture.empty else morning.places
    if picture.untold:
        play_outbox(places.db)
    config = Config(theme=picture.theme, keys=picture.keys_config)
    shown = Deck(places, config, "ann", ZoneInfo("UTC"), lambda: NOW, read_only=picture.read_only, engine=False)
    async with console(size, shown) as at:
        await at.app.settled(at.pilot.pause)
        for key in picture.keys:
            await at.press(key)
            await at.app.settled(at.pilot.pause)
        assert await at.picture() == snapshot.use_extension(SVGImageExtension)
