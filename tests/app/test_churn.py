"""The queue churns under the operator's hands: the cursor stays with its job, and no key ever hits another one."""

from collections.abc import Callable
from random import Random

import pytest

from console.app.dialogs.jobs_dialog import JobsDialog
from console.app.screens.deck import DeckScreen
from console.app.snapshot import PaneNumber
from console.app.widgets import list_pane
from core.jobs import Command, NewJob
from core.positions import Move
from store.store import Store
from store.views import QueueRow
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.strangers import Strangers
from tests.conftest import Clock

SEEDS = range(8)


@pytest.fixture
def strangers(make_store: Callable[[], Store], clock: Clock, tmp_path_factory: pytest.TempPathFactory) -> Strangers:
    return Strangers(make_store(), clock, tmp_path_factory.mktemp("logs"))


def fill(store: Store, count: int) -> None:
    with store.write("carl") as work:
        for number in range(count):
            work.submit(NewJob(job_key=f"key-{number}", command=Command(("true",))))


def selected(at: Console) -> object:
    return at.app._deck_screen.queue.selected


def highlighted(at: Console) -> str:
    """The line that the cursor is painted on, found by where it stands, not by what it should hold."""
    pane = at.app._deck_screen.queue
    return at.lines[pane.content_region.y + 1 + pane.cursor - pane.top]


@pytest.mark.parametrize("seed", SEEDS)
async def test_the_cursor_stays_with_its_job(console: OpenConsole, store: Store, seed: int) -> None:
    luck = Random(seed)
    fill(store, 200)
    async with console(luck.choice([SMALL, LARGE])) as at:
        await at.until(lambda: at.app._deck_screen.queue.count == 200, "the queue is there")
        await at.press(*luck.choice([["down"] * 5, ["end"], ["pagedown", "pagedown", "up"]]))
        await at.app.settled(at.pilot.pause)
        job = selected(at)
        assert isinstance(job, int)
        for _ in range(12):
            others = [row.id for row in _queued(store) if row.id != job]
            with store.write("bob") as work:
                what = luck.choice(["submit", "move", "cancel", "priority", "past"])
                other = luck.choice(others)
                if what == "submit":
                    work.submit(NewJob(command=Command(("true",)), priority=luck.choice([0, 5])))
                elif what == "move":
                    work.move(other, luck.choice([Move.TOP, Move.BOTTOM, Move.UP]))
                elif what == "cancel":
                    work.cancel(other)
                elif what == "priority":
                    work.set_priority(other, luck.choice([-1, 0, 1]))
                else:
                    work.move(job, luck.choice([Move.TOP, Move.BOTTOM, Move.UP, Move.DOWN]))
            at.app.look_again()
            await at.app.settled(at.pilot.pause)
            assert selected(at) == job
            await at.until(lambda: f" {job} " in highlighted(at), "the cursor is painted on it")


def _queued(store: Store) -> list[QueueRow]:
    with store.read() as views:
        return list(views.queue_window(0, 1_000).rows)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("key", ["c", "K"])
@pytest.mark.usefixtures("steady")
async def test_whatever_others_do_while_one_is_asked_no_other_job_is_hit(
    console: OpenConsole, store: Store, strangers: Strangers, seed: int, key: str
) -> None:
    luck = Random(seed)
    fill(store, 6)
    pane = PaneNumber.QUEUE if key == "c" else PaneNumber.RUNNING
    async with console(SMALL) as at:
        for _ in range(4):
            if key == "K":
                strangers.start_some()
            await at.press(str(pane.value))
            await at.app.settled(at.pilot.pause)
            await at.press(*["down"] * luck.randrange(4))
            target = at.app._deck_screen.active.target()
            if target is None:
                continue
            strangers.forget()
            await at.press(key)
            await at.until(lambda: isinstance(at.screen, JobsDialog), "it asks")
            for _ in range(luck.randrange(1, 6)):
                strangers.anything(luck)
            await at.until(lambda name=target.name: name in " ".join(at.text.replace("│", " ").split()), target.name)  # type: ignore[misc]
            said = len(at.said)
            await at.press("y")
            await at.until(lambda said=said: len(at.said) > said, "something is said about it")  # type: ignore[misc]
            assert strangers.touched_by("ann") <= {target.id}
            await at.until(lambda: isinstance(at.screen, DeckScreen), "the deck is back")


@pytest.mark.parametrize("seed", SEEDS)
async def test_keys_that_do_not_ask_hit_what_was_under_the_cursor(
    console: OpenConsole, store: Store, strangers: Strangers, seed: int
) -> None:
    luck = Random(seed)
    fill(store, 8)
    async with console(SMALL) as at:
        await at.app.settled(at.pilot.pause)
        for _ in range(8):
            await at.press(*["down"] * luck.randrange(3), *["up"] * luck.randrange(3))
            for _ in range(luck.randrange(3)):
                # The screen may not know of this yet when the key is pressed: that is the point.
                strangers.anything(luck)
            target = at.app._deck_screen.active.target()
            if target is None:
                break
            strangers.forget()
            said = len(at.said)
            await at.press(luck.choice(["h", "u", "d", "t", "b", "plus", "minus"]))
            await at.until(lambda said=said: len(at.said) > said, "something is said about it")  # type: ignore[misc]
            assert strangers.touched_by("ann") <= {target.id}


async def test_a_key_for_a_job_that_has_just_left_does_not_hit_the_next_one(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_pane, "SLIP", 1e6)
    fill(store, 3)
    async with console(SMALL) as at:
        await at.until(lambda: selected(at) == 1, "the first is under the cursor")
        with store.write("bob") as work:
            work.cancel(1)
        await at.until(lambda: selected(at) == 2, "the next one takes its place")
        await at.press("h")
        await at.told("what was under the cursor has just left")
        await at.press("c")
        await at.until(lambda: len(at.said) == 2, "nor is it asked about")
        assert isinstance(at.screen, DeckScreen)
        await at.press("down", "h")
        await at.told("job 3 is held")
    assert _held(store) == [3]


@pytest.mark.usefixtures("steady")
async def test_a_moment_later_it_does(console: OpenConsole, store: Store) -> None:
    fill(store, 3)
    async with console(SMALL) as at:
        await at.until(lambda: selected(at) == 1, "the first is under the cursor")
        with store.write("bob") as work:
            work.cancel(1)
        await at.until(lambda: selected(at) == 2, "the next one takes its place")
        await at.press("h")
        await at.told("job 2 is held")


def _held(store: Store) -> list[int]:
    return [row.id for row in _queued(store) if row.held]
