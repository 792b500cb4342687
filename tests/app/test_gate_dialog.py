"""Answering gates from the console: with evidence, by choice, and never another gate than the one that was shown."""

from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from textual.widgets import Button, Static

from console.app.dialogs.base import Confirm, Dialog
from console.app.dialogs.gate_dialog import GateDialog
from console.app.screens.deck import DeckScreen
from console.app.widgets.fact import Fact
from console.app.widgets.field import Line
from core.jobs import Approval, Command, Gate, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import HOSTILE, MARKUP, assert_only_text_from_end_to_end, reach, seen
from tests.app.strangers import Strangers
from tests.conftest import Clock
from tests.store.running_jobs import LEASE, WORKER

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
MANY = Limits(slots=1_000)


@pytest.fixture
def strangers(store: Store, clock: Clock, tmp_path: Path) -> Strangers:
    return Strangers(store, clock, tmp_path)


def gates(store: Store, job: int = 1) -> list[Approval]:
    with store.read() as views:
        return views.whole_job(job).approvals


def facts(at: Console) -> dict[str, str]:
    """What the dialog tells, by label."""
    return {fact._label: fact.value for fact in at.screen.query(Fact) if fact.value}


def says(at: Console) -> str:
    return str(at.screen.query_one(".says", Static).visual)


def is_open(at: Console) -> bool:
    return isinstance(at.screen, GateDialog) and at.screen.focused is not None


async def opened(at: Console, key: str = "a") -> GateDialog:
    """The dialog of the gate under the cursor; where that one was answered a moment ago, of the next."""
    await at.press("5")
    for _ in range(10):
        await at.until(lambda: at.app._deck_screen.active.selected_row() is not None, "the gate is there")
        told = len(at.said)
        await at.press(key)
        await at.until(lambda: is_open(at) or len(at.said) > told, "the dialog is open")  # noqa: B023
        if is_open(at):
            break
    assert isinstance(at.screen, GateDialog)
    return at.screen


async def choose(at: Console, button: str) -> None:
    """Go to a button with tab, and press it; one that was pressed just now takes no second press for a moment."""
    wanted = at.screen.query_one(f"#{button}", Button)
    await at.until(lambda: not wanted.disabled and not wanted.has_class("-active"), f"{button} is possible")
    for _ in range(8):
        focused = at.screen.focused
        if focused is not None and focused.id == button:
            break
        await at.press("tab")
    await at.press("enter")


@SIZES
async def test_approving_takes_an_explicit_choice(
    console: OpenConsole, store: Store, strangers: Strangers, size: tuple[int, int]
) -> None:
    strangers.ask("Deploy to production?")
    async with console(size) as at:
        dialog = await opened(at)
        assert dialog.focused is dialog.query_one("#leave", Button)
        await at.press("enter")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "just pressing enter leaves it")
        await opened(at)
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "escape leaves it")
        assert (gates(store)[0].decision, at.said) == (None, [])
        dialog = await opened(at)
        dialog.query_one(Line).entry.focus()
        await at.press(*"checked", "enter")
        await at.until(lambda: dialog.focused is dialog.query_one("#leave", Button), "enter in the comment goes on")
        assert gates(store)[0].decision is None
        await choose(at, "approve")
        await at.told('job 1 may pass gate "deploy"')
    [gate] = gates(store)
    assert (gate.decision, gate.decided_by, gate.comment) == ("APPROVED", "ann", "checked")


@SIZES
async def test_a_denial_needs_a_reason(
    console: OpenConsole, store: Store, strangers: Strangers, size: tuple[int, int]
) -> None:
    strangers.ask("Deploy to production?")
    async with console(size) as at:
        dialog = await opened(at, "x")
        assert dialog.focused is dialog.query_one("#leave", Button)
        await choose(at, "deny")
        await at.until(lambda: says(at) == "say why; the reason becomes the job's error", "it asks why")
        await at.until(lambda: dialog.query_one(Line).entry.has_focus, "the reason can be typed")
        assert gates(store)[0].decision is None
        await at.press(*"no")
        await choose(at, "deny")
        await at.told('gate "deploy" of job 1 is denied, and the job failed')
    [gate] = gates(store)
    assert (gate.decision, gate.decided_by, gate.comment) == ("DENIED", "ann", "no")
    with store.read() as views:
        assert views.job(1).status is Status.FAILED


async def test_the_evidence_is_all_there(
    console: OpenConsole, strangers: Strangers, clock: Clock, store: Store
) -> None:
    log = "".join(f"line {number}\n" for number in range(40)).encode() + b"\x1b[32mready\x1b[0m to lock\n"
    strangers.ask("First?", log=log)
    strangers.answer(1, grant=True, comment="go on")
    strangers.ask_again(1, "Lock the table?", expires=timedelta(minutes=10), checkpoint={"rows": 14})
    clock.forward(minutes=2)
    async with console(LARGE) as at:
        dialog = await opened(at)
        told = facts(at)
        assert told["job"] == "1 (nightly), type command, attempt 1"
        assert told["asked"] == 'by carl at gate "again", 2026-03-02 09:00:00 UTC (2m ago)'
        assert told["expires"] == "in 8m, 2026-03-02 09:10:00"
        assert "four eyes" not in told
        assert (told["params"], told["checkpoint"]) == ('{"n": 3}', '{"rows": 14}')
        assert told["before"] == 'job 1, gate "deploy": approved by bob 2m ago: "go on"'
        lines = told["log"].split("\n")
        assert (len(lines), lines[0], lines[-1]) == (15, "line 26", "ready to lock")
        assert "Lock the table?" in seen(at)
        clock.forward(minutes=7, seconds=59)
        await at.until(lambda: facts(at)["expires"].startswith("in 1s"), "it counts down")
        clock.forward(seconds=1)
        await at.until(lambda: says(at) == "it has expired, so nobody can answer it any more", "it says so")
        assert dialog.query_one("#approve", Button).disabled
    assert gates(store)[1].decision is None


async def test_an_earlier_link_s_decisions_are_told(console: OpenConsole, strangers: Strangers, store: Store) -> None:
    strangers.ask("First?")
    strangers.answer(1, grant=False, comment="too early")
    with store.write("bob") as work:
        work.retry(1)
    strangers.park("Now?", name="deploy")
    async with console(LARGE) as at:
        await opened(at)
        assert facts(at)["before"] == 'job 1, gate "deploy": denied by bob now: "too early"'
        assert facts(at)["job"].startswith("2 (nightly)")


async def test_a_log_that_is_gone_is_told_and_no_obstacle(
    console: OpenConsole, strangers: Strangers, store: Store
) -> None:
    strangers.ask("Sure?", log=b"x\n")
    strangers.lose_logs()
    async with console(SMALL) as at:
        await opened(at)
        assert facts(at)["log"] == "its log can't be read: no such file or directory"
        await choose(at, "approve")
        await at.told("job 1 may pass")
    assert gates(store)[0].decision == "APPROVED"


async def test_four_eyes_are_explained_and_kept(console: OpenConsole, store: Store, clock: Clock) -> None:
    for who in ("ann", "carl"):
        with store.write(who) as work:
            work.submit(NewJob(command=Command(("true",)), approval=Gate("Sure?", four_eyes=True)))
        clock.forward(seconds=1)
    with store.write("engine") as work:
        work.claim(WORKER, LEASE, MANY)
    async with console(SMALL) as at:
        await opened(at)
        assert facts(at)["four eyes"] == "you have submitted this job, so someone else must approve it"
        await choose(at, "approve")
        await at.until(lambda: "wants four eyes: ann submitted the job" in says(at), "it is refused")
        assert gates(store)[0].decision is None
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "it is left")
        await at.press("down")
        await opened(at)
        assert facts(at)["four eyes"] == "asked for; carl has submitted it, and you are someone else"
        await choose(at, "approve")
        await at.told("job 2 may pass")


@pytest.mark.parametrize("blind", [False, True], ids=["seen", "unseen"])
@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ("approved", 'gate "deploy" of job 1 was approved by bob meanwhile; nothing was answered here'),
        ("denied", 'gate "deploy" of job 1 was denied by bob meanwhile; nothing was answered here'),
        ("cancelled", 'gate "deploy" of job 1 was withdrawn'),
        ("expired", 'gate "deploy" of job 1 was expired'),
        ("asked_again", 'gate "deploy" of job 1 was approved by bob meanwhile; nothing was answered here'),
    ],
)
async def test_a_gate_that_is_over_is_not_answered(
    console: OpenConsole,
    store: Store,
    strangers: Strangers,
    monkeypatch: pytest.MonkeyPatch,
    happens: str,
    words: str,
    blind: bool,
) -> None:
    strangers.ask("Deploy?", expires=timedelta(hours=1))
    async with console(SMALL) as at:
        dialog = await opened(at)
        if blind:
            # Nobody tells the dialog, so that only the transaction itself can notice.
            monkeypatch.setattr(dialog, "store_changed", lambda _: None)
            monkeypatch.setattr(dialog, "_tick", lambda: None)
        strangers.happen(happens, 1)
        before = gates(store)
        if blind:
            await choose(at, "approve")
        await at.until(lambda: words in seen(at) or "it has expired" in seen(at), "it says so")
        assert at.screen is dialog
        await at.until(lambda: dialog.query_one("#approve", Button).disabled, "it can't be answered any more")
        for _ in range(3):
            await at.press("tab", "enter")
        assert at.said == []
    assert gates(store) == before


@SIZES
async def test_everything_can_be_reached_with_tab_alone(
    console: OpenConsole, strangers: Strangers, size: tuple[int, int]
) -> None:
    strangers.ask("Deploy?\n" * 40, log=b"line\n" * 40)
    async with console(size) as at:
        await opened(at)
        await reach(at, ["comment", "leave", "approve", "deny"])
        body = at.screen.query_one(".body")
        body.focus()
        await at.press("end")
        await at.until(lambda: body.scroll_y == body.max_scroll_y > 0, "the evidence scrolls")


async def test_the_mouse_works_too(console: OpenConsole, store: Store, strangers: Strangers) -> None:
    strangers.ask("Deploy?")
    async with console(SMALL) as at:
        await opened(at)
        await at.pilot.click("#approve")
        await at.told("job 1 may pass")
    assert gates(store)[0].decided_by == "ann"


async def test_hostile_text_stays_text(console: OpenConsole, store: Store, strangers: Strangers) -> None:
    for text in HOSTILE:
        stored = text.replace("\x00", "").replace("\ud800", "")
        message = stored if stored.isprintable() else f"{MARKUP}\u202ex"
        log = f"{text}\n[/oops] [@click=app.quit]x\n".encode(errors="replace") + b"\x9b31m\xff\xfe\x00\n"
        new = NewJob(command=Command(("echo", stored)), params={stored: stored})
        job = strangers.ask(message, log=log, new=new, name="g" + message[:40])
        strangers.answer(job, grant=True, comment=message)
        strangers.ask_again(job, message, checkpoint={stored: [stored]})
    async with console(SMALL) as at:
        for text in HOSTILE:
            dialog = await opened(at)
            await assert_only_text_from_end_to_end(at)
            dialog.query_one(Line).text = text
            if "\x1b" in text or "\x00" in text:
                await choose(at, "deny")
                await at.until(lambda: says(at), "such a reason is refused")
            await assert_only_text_from_end_to_end(at)
            await at.press("escape", "down")
            await at.until(lambda: isinstance(at.screen, DeckScreen), "it is left")
    assert all(gate.decided_by != "ann" for job in range(1, len(HOSTILE) + 1) for gate in gates(store, job))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.usefixtures("steady")
async def test_whatever_others_do_meanwhile_no_other_gate_is_answered(
    console: OpenConsole, strangers: Strangers, clock: Clock, seed: int
) -> None:
    luck = Random(seed)
    for number in range(4):
        strangers.ask(f"Question {number}?", expires=timedelta(hours=1))
    async with console(SMALL) as at:
        for _ in range(5):
            strangers.ask("One more?", expires=timedelta(hours=1))
            await at.press("5", *["down"] * luck.randrange(4))
            dialog = await opened(at, luck.choice("ax"))
            pinned = dialog._evidence.gate
            for _ in range(luck.randrange(1, 6)):
                strangers.anything(luck)
            # What others have done up to now; whatever is added by ann must be about the pinned gate.
            before = strangers.decisions()
            answer = luck.choice(["approve", "deny"])
            dialog.query_one(Line).text = "because"
            button = dialog.query_one(f"#{answer}", Button)
            if not button.disabled:
                button.press()
            await at.settle()
            said = len(at.said)
            await at.until(lambda said=said: not isinstance(at.screen, GateDialog) or says(at) or len(at.said) > said)  # type: ignore[misc]
            after = strangers.decisions()
            changed = {gate for gate in after if after[gate] != before.get(gate)}
            assert changed <= {pinned.approval_id}
            if changed:
                assert before[pinned.approval_id] is None
                assert after[pinned.approval_id] == ({"approve": "APPROVED", "deny": "DENIED"}[answer], "ann")
            while isinstance(at.screen, Dialog):
                await at.press("escape")
            clock.forward(seconds=1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.usefixtures("steady")
async def test_whatever_others_do_meanwhile_no_other_job_is_cancelled(
    console: OpenConsole, strangers: Strangers, seed: int
) -> None:
    luck = Random(seed)
    for _ in range(6):
        strangers.submit()
    async with console(SMALL) as at:
        for _ in range(4):
            strangers.submit()
            await at.press("1", *["down"] * luck.randrange(4))
            await at.until(lambda: at.app._deck_screen.active.target() is not None, "a job is there")
            target = at.app._deck_screen.active.target()
            assert target is not None
            await at.press("c")
            await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
            await at.until(lambda name=target.name: f"Cancel {name}?" in seen(at), "it names the job")  # type: ignore[misc]
            for _ in range(luck.randrange(1, 6)):
                strangers.anything(luck)
            told = len(at.said)
            await at.press("y")
            await at.until(lambda told=told: len(at.said) > told, "it is done, or refused")  # type: ignore[misc]
            assert strangers.touched_by("ann") <= {target.id}
            strangers.forget()
