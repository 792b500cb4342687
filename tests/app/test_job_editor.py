"""Changing a job before its first run, from the console."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from console.app.screens.deck import DeckScreen
from console.app.widgets.field import Field
from core.config import Config
from core.edits import UNSET_PARAM, Edit
from core.job_types import JobType
from core.jobs import Command, Gate, Job, NewJob
from core.limits import Limits
from core.status import Status
from store.store import Store
from store.work import Work
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import HOSTILE, assert_only_text_from_end_to_end, opened, paste, put, reach, seen
from tests.store.running_jobs import BROKE, LEASE, WORKER, claim, rng

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
FIELDS = ["params", "tags", "at", "deadline", "timeout", "max_retries", "backoff", "approval", "concurrency_key",
          "command"]  # fmt: skip
GATE = Gate("Sure?", four_eyes=True, expires_after=timedelta(hours=1))
NEW = NewJob(
    job_key="nightly",
    command=Command(("./night.sh", "a b"), "/srv", {"LANG": "C"}),
    params={"n": 3, "gone": "x", "deep": {"a": [1, None]}},
    tags={"env": "prod"},
    timeout=timedelta(hours=2),
    approval=GATE,
)
WRONG = [
    ("params", "n", 'param "n" has no =; write it as name=value'),
    ("tags", "a=1\na=2", 'tag "a" is given twice'),
    ("at", "whenever", '"whenever" is not a time'),
    ("deadline", "2026-03-01", "has passed already, so the job could never start"),
    ("timeout", "0s", "the timeout must be longer than 0s"),
    ("max_retries", "", "this can't be empty; it was 3"),
    ("max_retries", "many", 'the number of retries is "many", which is not a whole number'),
    ("backoff", "", "this can't be empty; it was fixed:1s"),
    ("backoff", "fixed:", "is not a duration"),
    ("approval", "x" * 4001, "the approval message is 4,001 characters long"),
    ("concurrency_key", "k" * 201, "the concurrency key is 201 characters long"),
    ("command", "'", "a quote is opened and never closed"),
    ("command", "", "type what is to be run"),
]


@pytest.fixture
def config() -> Config:
    return Config(types={"etl": JobType("etl", command=("./load.sh", "{date}"))})


def submit(store: Store, new: NewJob = NEW) -> int:
    with store.write("ann") as work:
        return work.submit(new).id


def job(store: Store, number: int = 1) -> Job:
    with store.read() as views:
        return views.job(number)


def note(at: Console, key: str) -> str:
    return at.screen.query_one(f"#field-{key}", Field).note


async def edit_first(at: Console) -> Any:
    """Open the editor of the job under the cursor."""
    await at.until(lambda: at.app._deck_screen.active.selected_row() is not None, "the job is there")
    return await opened(at, "e")


@SIZES
async def test_only_what_was_changed_becomes_the_edit_and_z_takes_it_back(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    submit(store)
    before = job(store)
    async with console(size) as at:
        form = await edit_first(at)
        assert form.focused is form.field("params").entry
        assert form.text("params") == 'n=3\ngone=x\ndeep={"a": [1, null]}'
        await put(at, "params", 'n=true\ndeep={"a": [1, null]}\nnew=5')
        await put(at, "timeout", "90m")
        assert note(at, "timeout") == "a run is stopped after 90m\nwas 2h"
        await put(at, "at", "tomorrow 6:00")
        assert note(at, "at") == "not before 2026-03-03 06:00:00 UTC (in 21h)\nwas empty"
        await put(at, "approval", "Really?")
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
        changed = job(store)
        assert changed.params == {"n": True, "deep": {"a": [1, None]}, "new": 5}
        assert changed.params["n"] is True
        assert (changed.timeout, changed.tags, changed.command) == (timedelta(minutes=90), before.tags, before.command)
        assert changed.scheduled_run_time == datetime.fromisoformat("2026-03-03T06:00:00Z")
        assert changed.approval == Gate("Really?", four_eyes=True, expires_after=timedelta(hours=1))
        await at.press("z")
        await at.told("undone: job 1 is as before")
    after = job(store)
    names = ("params", "tags", "timeout", "scheduled_run_time", "approval", "command", "backoff", "max_retries")
    assert [getattr(after, name) for name in names] == [getattr(before, name) for name in names]


async def test_every_value_can_be_changed_and_the_optional_ones_taken_away(console: OpenConsole, store: Store) -> None:
    soon = datetime.fromisoformat("2026-03-02T18:00:00Z")
    late = soon + timedelta(days=1)
    submit(store, NewJob(command=Command(("true",)), scheduled_run_time=soon, deadline_at=late, concurrency_key="db",
                         timeout=timedelta(seconds=5), approval=GATE, tags={"a": "b"}, params={"a": 1}))  # fmt: skip
    submit(store)
    async with console(SMALL) as at:
        form = await edit_first(at)
        assert (form.text("at"), form.text("deadline")) == ("2026-03-02 18:00:00", "2026-03-03 18:00:00")
        for key in ("params", "tags", "at", "deadline", "timeout", "approval", "concurrency_key"):
            form.field(key).text = ""
        await at.settle()
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
        await at.press("down")
        await opened(at, "e")
        texts = {
            "max_retries": "0",
            "backoff": "exponential:2s:1m",
            "concurrency_key": "disk",
            "command": "./other.sh 'x y'",
            "deadline": "tomorrow 7:00",
            "tags": "team=data",
        }
        for key, text in texts.items():
            await put(at, key, text)
        assert note(at, "command") == 'runs ["./other.sh", "x y"] in /srv\nwas ./night.sh \'a b\''
        await at.press("ctrl+s")
        await at.told("job 2 is changed")
    bare, other = job(store, 1), job(store, 2)
    assert (bare.params, bare.tags, bare.scheduled_run_time, bare.deadline_at) == ({}, {}, None, None)
    assert (bare.timeout, bare.approval, bare.concurrency_key) == (None, None, "")
    assert (other.max_retries, other.backoff, other.concurrency_key) == (0, "exponential:2s:1m", "disk")
    assert other.command == Command(("./other.sh", "x y"), "/srv", {"LANG": "C"})
    assert (other.tags, other.deadline_at) == ({"team": "data"}, datetime.fromisoformat("2026-03-03T07:00:00Z"))


async def test_what_is_wrong_is_said_while_one_types_and_nothing_is_stored(console: OpenConsole, store: Store) -> None:
    submit(store)
    before = job(store)
    async with console(SMALL) as at:
        form = await edit_first(at)
        await at.press("ctrl+s")
        await at.until(lambda: "nothing is changed yet" in seen(at), "there is nothing to save")
        for key, text, sentence in WRONG:
            old = form.text(key)
            field = await put(at, key, text)
            assert sentence in field.note
            assert field.wrong
            await at.press("ctrl+s")
            await at.until(lambda field=field: form.focused is field.entry, f"{key} is pointed at")  # type: ignore[misc]
            await put(at, key, old)
            assert not field.wrong
        await put(at, "at", "in 3h")
        await put(at, "deadline", "in 2h")
        assert "the deadline comes before the scheduled time" in note(at, "deadline")
        await at.press("ctrl+s")
        await at.settle()
        assert at.screen is form
        assert at.said == []
    assert job(store) == before


async def test_a_type_s_command_keeps_the_params_it_needs(console: OpenConsole, store: Store) -> None:
    submit(store, NewJob("etl", params={"date": "today"}))
    async with console(SMALL) as at:
        form = await edit_first(at)
        await put(at, "params", "day=today")
        assert (note(at, "params"), form.field("params").wrong) == ('type etl needs the param "date"', True)
        await at.press("ctrl+s")
        await at.settle()
        await put(at, "params", "date=tomorrow")
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
    assert job(store).params == {"date": "tomorrow"}


async def test_what_has_run_keeps_its_params_and_its_command(console: OpenConsole, store: Store) -> None:
    submit(store, NewJob(command=Command(("true",)), params={"a": 1}))
    [run] = claim(store)
    with store.write("engine") as work:
        work.start(run.exec_id, WORKER)
        work.fail(run.exec_id, WORKER, BROKE, rng())
        work.retry(1)
    async with console(SMALL) as at:
        form = await edit_first(at)
        assert form.focused is form.field("tags").entry
        assert note(at, "params") == note(at, "command") == "it has run already, so this stays as it is"
        await put(at, "tags", "a=b")
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
    assert (job(store).tags, job(store).params) == ({"a": "b"}, {"a": 1})


def started(work: Work) -> None:
    work.claim(WORKER, LEASE, Limits(slots=1))


def cancelled(work: Work) -> None:
    work.cancel(1)


@pytest.mark.parametrize(("happens", "status"), [(started, Status.RUNNING), (cancelled, Status.CANCELLED)])
async def test_a_job_that_starts_or_ends_meanwhile_is_not_changed(
    console: OpenConsole, store: Store, happens: Callable[[Work], None], status: Status
) -> None:
    submit(store, NewJob(command=Command(("true",))))
    async with console(SMALL) as at:
        form = await edit_first(at)
        await put(at, "timeout", "5m")
        with store.write("bob") as work:
            happens(work)
        words = f"job 1 is {status} now, so nothing of it can be changed any more"
        await at.until(lambda: words in seen(at), "it says so")
        await at.press("ctrl+s")
        await at.settle()
        assert at.screen is form
        assert at.said == []
    assert (job(store).status, job(store).timeout) == (status, None)


async def test_someone_else_s_change_is_shown_and_only_knowingly_overwritten(
    console: OpenConsole, store: Store
) -> None:
    submit(store)
    async with console(SMALL) as at:
        form = await edit_first(at)
        await put(at, "timeout", "5m")
        with store.write("bob") as work:
            work.edit(1, Edit(timeout=timedelta(minutes=9), tags={"env": "test"}, params={"gone": UNSET_PARAM}))
        await at.until(lambda: "job 1 was changed by bob meanwhile" in seen(at), "it says so")
        await at.until(lambda: form.text("tags") == "env=test", "what was not touched shows what is there now")
        assert "gone" not in form.text("params")
        assert form.text("timeout") == "5m"
        await at.until(lambda: note(at, "timeout") == "a run is stopped after 5m\nwas 9m", "what it was now")
        await at.press("ctrl+s")
        await at.until(lambda: "save again to have it so" in seen(at), "it does not save yet")
        assert job(store).timeout == timedelta(minutes=9)
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
    assert (job(store).timeout, job(store).tags) == (timedelta(minutes=5), {"env": "test"})


async def test_a_change_that_comes_at_the_last_moment_is_not_overwritten(
    console: OpenConsole, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(store)
    async with console(SMALL) as at:
        form = await edit_first(at)
        # The lookout looks away, so that only the transaction itself can notice.
        monkeypatch.setattr(at.app, "ask", lambda *_: None)
        await put(at, "timeout", "5m")
        with store.write("bob") as work:
            work.edit(1, Edit(timeout=timedelta(minutes=9)))
        await at.press("ctrl+s")
        words = "job 1 was changed by bob meanwhile; nothing was overwritten"
        await at.until(lambda: words in seen(at), "it is refused")
        assert at.screen is form
    assert job(store).timeout == timedelta(minutes=9)


async def test_a_move_or_a_hold_meanwhile_is_no_obstacle(console: OpenConsole, store: Store) -> None:
    submit(store)
    async with console(SMALL) as at:
        await edit_first(at)
        await put(at, "timeout", "5m")
        with store.write("bob") as work:
            work.hold(1)
            work.set_priority(1, 4)
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
    assert (job(store).timeout, job(store).held, job(store).priority) == (timedelta(minutes=5), True, 4)


async def test_an_undo_does_not_overwrite_what_came_after(console: OpenConsole, store: Store) -> None:
    submit(store)
    async with console(SMALL) as at:
        await edit_first(at)
        await put(at, "timeout", "5m")
        await at.press("ctrl+s")
        await at.told("job 1 is changed")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
        with store.write("bob") as work:
            work.edit(1, Edit(timeout=timedelta(minutes=9)))
        await at.press("z")
        await at.told("job 1 was changed since; it stays as it is")
    assert job(store).timeout == timedelta(minutes=9)


@SIZES
async def test_every_field_can_be_reached_with_tab_alone(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    submit(store)
    async with console(size) as at:
        await edit_first(at)
        await reach(at, [*FIELDS, "leave", "send"])


async def test_the_mouse_works_too(console: OpenConsole, store: Store) -> None:
    submit(store)
    async with console(SMALL) as at:
        await edit_first(at)
        await at.pilot.click("#field-tags TextArea")
        await at.press("end", *"uction")
        await at.pilot.click("#send")
        await at.told("job 1 is changed")
    assert job(store).tags == {"env": "production"}


async def test_hostile_text_stays_text(console: OpenConsole, store: Store) -> None:
    for text in HOSTILE:
        stored = text.replace("\x00", "").replace("\ud800", "")
        printable = stored if stored.isprintable() else "x"
        submit(store, NewJob(command=Command(("echo", stored)), params={stored: stored}, tags={"t": printable[:80]},
                             approval=Gate(printable), concurrency_key=printable[:80]))  # fmt: skip
    before = [job(store, number) for number in range(1, len(HOSTILE) + 1)]
    async with console(SMALL) as at:
        for text in HOSTILE:
            form = await edit_first(at)
            await assert_only_text_from_end_to_end(at)
            for key in FIELDS:
                form.field(key).text = text
            await at.press("ctrl+s")
            await assert_only_text_from_end_to_end(at)
            await paste(at, "approval", text)
            await assert_only_text_from_end_to_end(at)
            await at.press("escape", "y", "down")
            await at.until(lambda: isinstance(at.screen, DeckScreen), "it is left")
    assert [job(store, number) for number in range(1, len(HOSTILE) + 1)] == before
