"""Submitting a job from the console."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from console.app.deck import Deck
from console.app.dialogs.base import Confirm
from console.app.screens.deck import DeckScreen
from console.app.widgets.field import Field
from core.config import Config
from core.job_types import JobType
from core.jobs import Command, Gate, Job, NewJob
from core.status import Status
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import (
    HOSTILE,
    assert_only_text,
    assert_only_text_from_end_to_end,
    opened,
    paste,
    put,
    reach,
    seen,
)
from tests.conftest import START

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
FIELDS = ["template", "type", "command", "shell", "key", "priority", "at", "tags", "params", "timeout", "max_retries",
          "backoff", "hold", "draft", "approval"]  # fmt: skip
TYPED = [key for key in FIELDS if key not in ("template", "shell", "hold", "draft")]

WRONG = [
    ("template", "nigthly", 'there is no template "nigthly"'),
    ("type", "x" * 101, "the job type is 101 characters long; the limit is 100"),
    ("command", "", "type what is to be run, such as: echo hello"),
    ("command", "echo 'a", "the command is not complete: a quote is opened and never closed"),
    ("command", "echo \\", "the command is not complete: it ends with a backslash"),
    ("command", "''", "the command is empty"),
    ("command", "echo \x00", "NUL"),
    ("key", "a\x1bb", "the job key has a control character (U+001B)"),
    ("priority", "high", 'the priority is "high", which is not a whole number'),
    ("priority", "1000001", "use a whole number from -1000000 to 1000000"),
    ("at", "at noon", '"at noon" is not a time; try 18:00'),
    ("tags", "env", 'tag "env" has no =; write it as name=value'),
    ("tags", '{"n": 1}', 'tag "n" must be text'),
    ("params", "a=1\na=2", 'param "a" is given twice'),
    ("params", '{"a": }', "is not valid JSON"),
    ("timeout", "soon", '"soon" is not a duration; try 90s'),
    ("timeout", "0s", "the timeout must be longer than 0s"),
    ("max_retries", "101", "max retries is 101; use 0 to 100"),
    ("max_retries", "-1", "max retries is -1; use 0 to 100"),
    ("backoff", "sometimes", "backoff"),
    ("approval", "x" * 4001, "the approval message is 4,001 characters long; the limit is 4,000"),
]


@pytest.fixture
def config() -> Config:
    etl = JobType("etl", command=("./load.sh", "{date}"), timeout=timedelta(hours=2), params={"region": "eu"})
    return Config(types={"etl": etl})


def jobs(store: Store) -> list[Job]:
    with store.read() as views:
        return [views.job(row.id) for row in views.queue_window(0, 100).rows]


def note(at: Console, key: str) -> str:
    return at.screen.query_one(f"#field-{key}", Field).note


def add_template(store: Store, name: str, new: NewJob) -> None:
    with store.write("ann") as work:
        work.add_template(name, new)


@SIZES
async def test_a_command_line_is_queued_as_a_shell_would_split_it(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    async with console(size) as at:
        await opened(at, "n")
        await at.press(*"echo 'a b' $X")
        await at.until(lambda: note(at, "command").startswith('runs ["echo", "a b", "$X"] in /'), "its meaning")
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
    [job] = jobs(store)
    assert job.command.argv == ("echo", "a b", "$X")
    assert not job.command.shell
    assert (job.status, job.created_by) == (Status.QUEUED, "ann")


async def test_enter_goes_from_line_to_line_and_sends_in_the_last(console: OpenConsole, store: Store) -> None:
    async with console(SMALL) as at:
        form = await opened(at, "n")
        await at.press(*"true", "enter", "space", "tab", *"nightly", "enter", *"7", "enter")
        await at.until(lambda: form.focused is form.field("at").entry, "enter goes on")
        await paste(at, "approval", "Sure?")
        await at.press("enter")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert (job.job_key, job.priority, job.command.argv, job.command.shell) == ("nightly", 7, ("true",), True)
    assert job.approval == Gate("Sure?")


async def test_each_field_becomes_what_it_says(console: OpenConsole, store: Store) -> None:
    texts = {
        "type": "report",
        "command": "make all",
        "key": "weekly",
        "priority": "-3",
        "at": "tomorrow 6:00",
        "tags": "env=prod\nteam=data",
        "params": 'n=3\nname=x\nlist=[1, "a"]\n{"a=b": null}',
        "timeout": "1h30m",
        "max_retries": "5",
        "backoff": "exponential:1s:5m",
        "approval": "Ship it?",
    }
    async with console() as at:
        await opened(at, "n")
        for key, text in texts.items():
            await put(at, key, text)
        assert note(at, "at") == "not before 2026-03-03 06:00:00 UTC (in 21h)"
        assert note(at, "type") == "not declared in the config; it runs plain commands"
        assert note(at, "params") == '{"n": 3, "name": "x", "list": [1, "a"], "a=b": null}'
        assert note(at, "max_retries") == "up to 6 attempts in all"
        assert note(at, "backoff") == "waits 1s, 2s, 4s, 8s, 16s, … up to 5m; each wait is drawn from zero to that"
        for key in ("hold", "draft"):
            at.screen.query_one(f"#field-{key}", Field).entry.focus()
            await at.press("space")
        await at.press("ctrl+s")
        await at.told("job 1 is a draft")
    with store.read() as views:
        job = views.job(1)
    assert (job.job_type, job.command.argv, job.job_key, job.priority) == ("report", ("make", "all"), "weekly", -3)
    assert job.scheduled_run_time == datetime.fromisoformat("2026-03-03T06:00:00Z")
    assert job.tags == {"env": "prod", "team": "data"}
    assert job.params == {"n": 3, "name": "x", "list": [1, "a"], "a=b": None}
    assert (job.timeout, job.max_retries, job.backoff) == (timedelta(minutes=90), 5, "exponential:1s:5m")
    assert (job.approval, job.held, job.status) == (Gate("Ship it?"), True, Status.CREATED)


async def test_what_is_wrong_is_said_while_one_types_and_nothing_is_stored(console: OpenConsole, store: Store) -> None:
    async with console(SMALL) as at:
        form = await opened(at, "n")
        await put(at, "command", "echo hello")
        for key, text, sentence in WRONG:
            before = form.text(key)
            field = await put(at, key, text)
            assert sentence in field.note
            assert field.wrong is bool(text)
            form.field("hold").entry.focus()
            await at.press("ctrl+s")
            await at.until(lambda field=field: field.wrong and form.focused is field.entry, f"{key} is pointed at")  # type: ignore[misc]
            assert sentence in field.note
            await put(at, key, before)
            assert not field.wrong
        assert at.screen is form
        assert at.said == []
    assert jobs(store) == []


async def test_a_template_fills_the_fields_but_not_over_what_was_typed(console: OpenConsole, store: Store) -> None:
    command = Command(("./night.sh", "a b"), "/srv", {"LANG": "C"})
    gate = Gate("Sure?", four_eyes=True, expires_after=timedelta(hours=1))
    night = NewJob("report", command=command, params={"n": 3}, tags={"env": "prod"}, priority=4, max_retries=9,
                   timeout=timedelta(minutes=5), approval=gate, concurrency_key="db")  # fmt: skip
    add_template(store, "night", night)
    add_template(store, "other", NewJob(command=Command(("other",))))
    async with console() as at:
        form = await opened(at, "n")
        assert form.focused is form.field("template").entry
        await put(at, "priority", "6")
        form.field("template").entry.focus()
        await at.press(*"nig", "down")
        await at.until(lambda: form.text("command") == "./night.sh 'a b'", "it is filled in")
        texts = {key: form.text(key) for key in ("type", "params", "tags", "priority", "timeout", "max_retries")}
        assert texts == {"type": "report", "params": "n=3", "tags": "env=prod", "priority": "6", "timeout": "5m",
                         "max_retries": "9"}  # fmt: skip
        await put(at, "params", "n=4")
        await put(at, "timeout", "")
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
        form = await opened(at, "n")
        await put(at, "template", "night")
        await at.until(lambda: form.text("type") == "report", "it is filled in")
        await put(at, "template", "other")
        await at.until(lambda: form.text("command") == "other", "the other one is filled in")
        assert (form.text("params"), form.text("approval")) == ("", "")
        await put(at, "template", "")
        await at.until(lambda: form.text("command") == "", "what it filled in is gone")
    [job] = jobs(store)
    assert job.command == command
    assert (job.params, job.tags, job.timeout) == ({"n": 4}, {"env": "prod"}, None)
    assert (job.priority, job.approval, job.concurrency_key) == (6, gate, "db")
    assert job.template_id is not None


async def test_a_template_s_command_that_was_changed_runs_here(console: OpenConsole, store: Store, deck: Deck) -> None:
    add_template(store, "night", NewJob(command=Command(("./night.sh",), "/srv", {"LANG": "C"})))
    async with console() as at:
        form = await opened(at, "n")
        await put(at, "template", "night")
        await at.until(lambda: form.text("command") == "./night.sh", "it is filled in")
        await put(at, "command", "./night.sh --all")
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert job.command == Command(("./night.sh", "--all"), deck.here().cwd, {"LANG": "C"})


async def test_a_declared_type_brings_its_own_command_and_says_what_it_needs(
    console: OpenConsole, store: Store
) -> None:
    async with console(SMALL) as at:
        form = await opened(at, "n")
        form.field("type").entry.focus()
        await at.press("e", "down")
        await at.until(lambda: form.text("type") == "etl", "the type is chosen")
        brings = 'runs ./load.sh {date}; params {"region": "eu"}; timeout 2h'
        await at.until(lambda: note(at, "type") == brings, "what it brings is said")
        assert note(at, "params") == 'type etl needs the param "date"'
        await at.press("ctrl+s")
        await at.until(lambda: form.field("params").wrong, "the param is asked for")
        await put(at, "params", "date=today")
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert (job.command.argv, job.params, job.timeout) == ((), {"region": "eu", "date": "today"}, timedelta(hours=2))


async def test_a_key_that_is_taken_is_said_and_the_form_stays(console: OpenConsole, store: Store) -> None:
    with store.write("bob") as work:
        work.submit(NewJob("command", "one", Command(("true",))))
    async with console(SMALL) as at:
        await opened(at, "n")
        await put(at, "command", "true")
        await put(at, "key", "one")
        await at.press("ctrl+s")
        await at.until(lambda: "job 1 of that type and key is QUEUED already" in seen(at), "it is said")
        await put(at, "key", "two")
        await at.press("ctrl+s")
        await at.told("job 2 is in the queue")
    assert [job.job_key for job in jobs(store)] == ["one", "two"]


@SIZES
async def test_escape_leaves_and_asks_only_about_what_was_typed(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    async with console(size) as at:
        await opened(at, "n")
        await at.press("escape")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "an untouched form is left at once")
        form = await opened(at, "n")
        await at.press(*"echo", "escape")
        await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
        await at.press("enter")
        await at.until(lambda: at.screen is form, "just pressing enter stays")
        assert form.text("command") == "echo"
        await at.press("ctrl+c")
        await at.until(lambda: isinstance(at.screen, Confirm), "it asks")
        await at.press("y")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "it is left")
    assert jobs(store) == []


@SIZES
async def test_every_field_can_be_reached_with_tab_alone(console: OpenConsole, size: tuple[int, int]) -> None:
    async with console(size) as at:
        await opened(at, "n")
        await reach(at, [*FIELDS, "leave", "send"])


@SIZES
async def test_the_mouse_works_too(console: OpenConsole, store: Store, size: tuple[int, int]) -> None:
    add_template(store, "night", NewJob(command=Command(("./night.sh",))))
    async with console(size) as at:
        form = await opened(at, "n")
        await at.until(lambda: "night ./night.sh" in seen(at), "the template is offered")
        await at.pilot.click("#field-template Offers", offset=(3, 0))
        await at.until(lambda: form.text("command") == "./night.sh", "a click on an offer chooses it")
        await at.pilot.click("#field-shell Checkbox")
        await at.until(lambda: form.text("shell") == "yes", "a click ticks a box")
        await at.pilot.click("#field-key Input")
        await at.press("k")
        await at.pilot.click("#send")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert (job.job_key, job.command.argv, job.command.shell) == ("k", ("./night.sh",), True)


async def test_hostile_text_stays_text(console: OpenConsole, store: Store) -> None:
    for number, text in enumerate(HOSTILE):
        stored = text.replace("\x00", "").replace("\ud800", "")
        command = Command(("echo", stored))
        add_template(store, f"t{number}", NewJob(command=command, params={"k": stored, stored: [stored]}))
        if stored.isprintable():
            add_template(store, stored[:80], NewJob(tags={"t": stored[:80]}, command=command))
    async with console(SMALL) as at:
        form = await opened(at, "n")
        assert_only_text(at)
        for number, text in enumerate(HOSTILE):
            await put(at, "template", f"t{number}")
            await at.until(lambda: form.text("command").startswith("echo "), "it is filled in")
            await assert_only_text_from_end_to_end(at)
            for key in TYPED:
                form.field(key).text = text
            await put(at, "priority", "never sent")
            await at.press("ctrl+s")
            await assert_only_text_from_end_to_end(at)
            for key in ("key", "params"):
                await paste(at, key, text)
                assert form.text(key).startswith(text.splitlines()[0][:1])
                await assert_only_text_from_end_to_end(at)
            for key in TYPED:
                form.field(key).text = ""
            await put(at, "template", "")
        assert at.screen is form
    assert jobs(store) == []


async def test_params_of_a_template_come_through_the_form_unharmed(console: OpenConsole, store: Store) -> None:
    params = {"text": "3", "true": True, "deep": {"a": [1, None, "\x1b"]}, "a=b": "x\ny", " lead": " trail ", "e": ""}
    add_template(
        store, "t", NewJob(command=Command(("x", "a'b", "", "\n")), params=params, tags={"a=b": "", "c": "d e"})
    )
    async with console() as at:
        form = await opened(at, "n")
        await put(at, "template", "t")
        await at.until(lambda: form.text("params") != "", "it is filled in")
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert job.params == params
    assert (job.tags, job.command.argv) == ({"a=b": "", "c": "d e"}, ("x", "a'b", "", "\n"))


async def test_a_time_counts_from_when_it_is_sent(
    console: OpenConsole, store: Store, clock: Callable[[], datetime]
) -> None:
    async with console(SMALL) as at:
        await opened(at, "n")
        await put(at, "command", "true")
        await put(at, "at", "in 10m")
        clock.forward(hours=1)  # type: ignore[attr-defined]
        await at.press("ctrl+s")
        await at.told("job 1 is in the queue")
    [job] = jobs(store)
    assert job.scheduled_run_time == START + timedelta(hours=1, minutes=10)
