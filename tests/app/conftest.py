"""What tests of the console stand on: a deck on a store of its own, at a standing clock, without an engine."""

import asyncio
import inspect
import re
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, _GeneratorContextManager, asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from textual import events
from textual.pilot import Pilot
from textual.screen import Screen

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.app.widgets import list_pane
from console.home import Places
from core.config import Config
from core.machine.bell import ring
from store.store import Store
from store.views import Views
from store.work import Work
from tests.app.recording import Recorder
from tests.app.scene import Morning, play_at
from tests.conftest import Clock
from tests.machine.marks import VARIABLE, Mark

PATIENCE = 20.0
"""Seconds after which something that was waited for counts as never happening."""
SMALL, LARGE = (80, 24), (160, 48)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Tests that are coroutines run in a loop of their own."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in pyfuncitem._fixtureinfo.argnames}
    asyncio.run(pyfuncitem.obj(**arguments))
    return True


class Console:
    """A running console: keys go in, what it shows and says comes out."""

    def __init__(self, app: JobdeckApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot
        self.said: list[str] = []
        """What the operator was told, in order."""
        told = app.notify

        def recorded(message: str, **options: Any) -> None:
            self.said.append(message)
            told(message, **options)

        setattr(app, "notify", recorded)  # noqa: B010 - mypy refuses to see a method replaced

    @property
    def screen(self) -> Screen[Any]:
        """The screen on top."""
        return self.app.screen

    @property
    def lines(self) -> list[str]:
        """What is on the terminal, line by line."""
        return [strip.text for strip in self.screen._compositor.render_strips()]

    @property
    def text(self) -> str:
        """What is on the terminal."""
        return "\n".join(self.lines)

    @property
    def app_notices(self) -> str:
        """All that was told since the console opened, what was said before the first look included."""
        return "\n".join([*self.said, *(note.message for note in self.app._notifications)])

    async def press(self, *keys: str) -> None:
        """Press keys, one after the other, each once the one before has been dealt with."""
        for key in keys:
            await self.pilot.press(key)
            await self.pilot.pause(0)

    async def paste(self, text: str) -> None:
        """Paste text where the cursor is."""
        self.app.post_message(events.Paste(text))
        await self.settle()

    async def settle(self) -> None:
        """Let every message be dealt with, and those that it brings about."""
        await self.pilot._wait_for_screen()
        await self.pilot._wait_for_screen()
        await self.pilot.pause(0)

    async def picture(self) -> str:
        """What is on the terminal, as an SVG, once it has come to rest."""
        taken: list[str] = []
        while len(taken) < 3 or len(set(taken[-3:])) > 1:
            await self.app.settled(self.pilot.pause)
            await self.settle()
            taken.append(self.app.export_screenshot(title="jobdeck", simplify=True))
        return re.sub(r"terminal-\d+", "terminal", taken[-1])

    async def until(self, holds: Callable[[], object], what: str = "") -> None:
        """Wait until something holds."""
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"it never came to this: {what}\n{self.said}\n{self.text}"
            await self.pilot.pause(0.01)

    async def told(self, words: str) -> None:
        """Wait until the operator was told this."""
        await self.until(lambda: any(words in one for one in self.said), f'"{words}" was told')


OpenConsole = Callable[..., AbstractAsyncContextManager[Console]]


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mark]:
    """Every process that the test starts carries it, and is gone when the test is over."""
    made = Mark()
    monkeypatch.setenv(VARIABLE, made.value)
    yield made
    monkeypatch.undo()
    made.end_all()


@pytest.fixture
def config() -> Config:
    return Config()


@pytest.fixture
def deck(store_path: Path, clock: Clock, config: Config) -> Deck:
    return Deck(Places(store_path.parent, store_path), config, "ann", ZoneInfo("UTC"), clock, engine=False)


@pytest.fixture(scope="session")
def played_morning(tmp_path_factory: pytest.TempPathFactory) -> Morning:
    home = tmp_path_factory.mktemp("morning") / "home"
    home.mkdir(mode=0o700)
    return play_at(home)


@pytest.fixture
def morning(played_morning: Morning, tmp_path: Path) -> Morning:
    """A morning in the life of a store, at `scene.NOW`; each test has its own copy of the store."""
    home = tmp_path / "morning"
    home.mkdir(mode=0o700)
    for name in ("jobdeck.db", "jobdeck.key"):
        shutil.copy(played_morning.places.home / name, home / name)
        (home / name).chmod(0o600)
    return Morning(Places(home, home / "jobdeck.db"), played_morning.logs)


@dataclass
class Turnstile:
    """Where every look of the console at its store goes through: it sees who comes, and can be shut."""

    ui: int = field(default_factory=threading.get_ident)
    trespasses: list[str] = field(default_factory=list)
    """What the screen's thread has asked of the store, which it never should."""
    open: threading.Event = field(default_factory=threading.Event)
    waiting: int = 0
    """How many wait for it to open."""

    def __post_init__(self) -> None:
        self.open.set()

    def passed(self, what: str) -> None:
        """Someone goes through, as soon as it is open."""
        if threading.get_ident() == self.ui:
            self.trespasses.append(what)
            return
        self.waiting += 1
        assert self.open.wait(10 * PATIENCE), "the store was never opened again"
        self.waiting -= 1


@pytest.fixture
def turnstile(monkeypatch: pytest.MonkeyPatch) -> Iterator[Turnstile]:
    """In front of the stores that the console opens; the screen's thread must never go through."""
    turnstile = Turnstile()

    class Watched(Store):
        def read(self, now: datetime | None = None) -> _GeneratorContextManager[Views]:
            turnstile.passed("read")
            return super().read(now)

        def write(self, actor: str, now: datetime | None = None) -> _GeneratorContextManager[Work]:
            turnstile.passed("write")
            return super().write(actor, now)

        def changed(self) -> bool:
            turnstile.passed("changed")
            return super().changed()

    def open_store(deck: Deck) -> Store:
        turnstile.passed("open")
        return Watched(deck.places.db, now=deck.clock, ring=lambda: ring(deck.places.run))

    monkeypatch.setattr(Deck, "open_store", open_store)
    yield turnstile
    turnstile.open.set()
    assert not turnstile.trespasses, "the screen's thread has waited for the store"


@pytest.fixture
def console(deck: Deck, monkeypatch: pytest.MonkeyPatch, turnstile: Turnstile) -> OpenConsole:  # noqa: ARG001
    """Open the console in a terminal of that size; it is there once the store has been read."""

    async def at_once(*_: float) -> None:
        """Threads of ours keep the process from ever being idle, so nobody waits for that."""
        await asyncio.sleep(0)

    for place in ("textual.app", "textual.pilot"):
        monkeypatch.setattr(f"{place}.wait_for_idle", at_once)

    @asynccontextmanager
    async def opened(
        size: tuple[int, int] = LARGE, deck: Deck = deck, *, record: bool = False
    ) -> AsyncIterator[Console]:
        app = JobdeckApp(deck)
        if record:
            app.driver_class = Recorder
        app.memory.welcomed = True
        app.animation_level = "none"
        async with app.run_test(headless=not record, size=size) as pilot:
            at = Console(app, pilot)
            await at.until(lambda: app._deck_screen.snapshot is not None, "the store is read")
            yield at
        if app.engine.thread is not None:
            app.engine.thread.stop_now()
            app.engine.thread.join(PATIENCE)
        for thread in (app._lookout, app._hand):
            thread.join(PATIENCE)

    return opened


@pytest.fixture
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys are taken at once, even when the job under the cursor has just gone."""
    monkeypatch.setattr(list_pane, "SLIP", 0.0)
