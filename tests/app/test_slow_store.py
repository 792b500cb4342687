"""A store that takes its time never holds up the screen: keys are answered, what was decided is done once it can be."""

from console.app.app import JobdeckApp
from console.app.deck import Deck
from console.app.dialogs.jobs_dialog import JobsDialog
from console.app.screens.deck import DeckScreen
from console.app.screens.help import HelpScreen
from console.app.screens.job import JobScreen
from console.app.screens.welcome import WelcomeScreen
from core.jobs import Command, NewJob
from store.store import Store
from tests.app.conftest import SMALL, OpenConsole, Turnstile


def submit(store: Store, *keys: str) -> None:
    with store.write("bob") as work:
        for key in keys:
            work.submit(NewJob(job_key=key, command=Command(("make", key))))


async def test_keys_are_answered_while_the_store_stands_still(
    console: OpenConsole, store: Store, turnstile: Turnstile
) -> None:
    submit(store, "a", "b", "c", "d")
    async with console(SMALL) as at:
        turnstile.open.clear()
        await at.until(lambda: turnstile.waiting, "the store stands still")
        queue = at.app._deck_screen.active
        await at.press("down", "down")
        target = queue.target()
        assert target is not None
        assert target.id == 3, "the cursor moves"
        await at.press("4")
        await at.until(lambda: "4 Schedules" in at.text, "panes are turned")
        await at.press("question_mark")
        await at.until(lambda: isinstance(at.screen, HelpScreen), "help opens")
        await at.press("escape", "1", "slash", "k", "e", "y")
        await at.until(lambda: "key" in at.lines[-1] or "key" in at.lines[-2], "a filter is typed")
        await at.press("escape", "escape")
        await at.press("space", "space")
        await at.until(lambda: "2 marked" in at.text, "jobs are marked")
        await at.press("c")
        await at.until(lambda: isinstance(at.screen, JobsDialog), "and questions asked")
        await at.press("escape", "escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "and left")
        await at.pilot.resize_terminal(120, 40)
        await at.until(lambda: len(at.lines) == 40 and "Running" in at.text, "the terminal is resized")
        assert turnstile.waiting, "all of it while the store stood still"


async def test_what_was_decided_meanwhile_is_done_once(
    console: OpenConsole, store: Store, turnstile: Turnstile
) -> None:
    submit(store, "a", "b")
    async with console(SMALL) as at:
        turnstile.open.clear()
        await at.press("h", "down", "h")
        await at.until(lambda: turnstile.waiting == 2, "both who read and who write wait")
        await at.settle()
        assert not at.said, "nothing is claimed to be done before it is"
        with store.read() as views:
            assert not views.job(1).held
        turnstile.open.set()
        await at.told("job 1 is held")
        await at.told("job 2 is held")
        with store.read() as views:
            assert [views.job(number).held for number in (1, 2)] == [True, True]
        assert len(at.said) == 2


async def test_a_job_opens_when_its_facts_come(console: OpenConsole, store: Store, turnstile: Turnstile) -> None:
    submit(store, "a")
    async with console(SMALL) as at:
        turnstile.open.clear()
        await at.press("enter")
        await at.until(lambda: isinstance(at.screen, JobScreen), "its screen is there at once")
        await at.press("4", "1", "escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "and can be left before anything was read")
        await at.press("enter")
        turnstile.open.set()
        await at.until(lambda: "make a" in at.text, "and filled in when it was")


async def test_the_first_paint_waits_for_nothing(deck: Deck, turnstile: Turnstile) -> None:
    turnstile.open.clear()
    app = JobdeckApp(deck)
    async with app.run_test(size=SMALL) as pilot:
        await pilot.pause(0)
        assert isinstance(app.screen, WelcomeScreen)
        await pilot.press("enter")
        await pilot.pause(0)
        assert isinstance(app.screen, DeckScreen)
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert "1 Queue" in text
        turnstile.open.set()
    for thread in (app._lookout, app._hand):
        thread.join()
