"""`make screenshots`: pictures of the console on a morning that is the same every time, and of the command line."""

import asyncio
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import ZoneInfo

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.app.memory import Memory, remember
from console.home import Places
from core.config import Config
from tests.app.scene import NOW, play_at
from tests.shell_pictures import shell_pictures

TARGET = Path(__file__).parent.parent / "screenshots"
WIDE, NARROW = (160, 48), (80, 24)


@dataclass(frozen=True)
class Picture:
    """One picture: which keys lead there, in which size and colours."""

    keys: Sequence[str]
    size: tuple[int, int] = WIDE
    theme: str = "dark"


PICTURES = {
    "deck": Picture(()),
    "deck-light": Picture((), theme="light"),
    "deck-80x24": Picture((), NARROW),
    "queue": Picture(("1", "f")),
    "running": Picture(("2", "f")),
    "chains": Picture(("3", "f")),
    "schedules": Picture(("4", "f")),
    "approvals": Picture(("5", "f")),
    "history": Picture(("6",)),
    "job": Picture(("2", "down", "enter")),
    "job-80x24": Picture(("2", "down", "enter"), NARROW),
    "approval": Picture(("5", "down", "a")),
    "palette": Picture(("ctrl+p",)),
    "help": Picture(("question_mark",)),
    "colour-blind": Picture((), theme="colour-blind"),
}


async def take(picture: Picture, home: Path) -> str:
    """The picture as SVG."""
    remember(home, Memory(theme=picture.theme, welcomed=True))
    deck = Deck(Places(home, home / "jobdeck.db"), Config(), "ann", ZoneInfo("UTC"), clock=lambda: NOW, engine=False)
    app = JobdeckApp(deck)
    async with app.run_test(size=picture.size, notifications=False) as pilot:
        await app.settled(pilot.pause)
        for key in picture.keys:
            await pilot.press(key)
            await app.settled(pilot.pause)
        return app.export_screenshot(title="jobdeck", simplify=True)


def main() -> None:
    """Take every picture."""
    TARGET.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        home = Path(directory) / "home"
        home.mkdir(mode=0o700)
        play_at(home)
        for name, picture in PICTURES.items():
            _write(name, asyncio.run(take(picture, home)))
        for name, svg in shell_pictures(Path(directory)):
            _write(name, svg)


def _write(name: str, svg: str) -> None:
    # Pictures must not fetch anything when they are looked at.
    svg = re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)
    (TARGET / f"{name}.svg").write_text(svg)
    print(f"screenshots/{name}.svg")


if __name__ == "__main__":
    main()
