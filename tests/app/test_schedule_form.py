"""Making and changing schedules from the console."""

from datetime import datetime

import pytest

from console.app.screens.deck import DeckScreen
from console.app.widgets.field import Field
from core.edits import ScheduleEdit
from core.jobs import Command, NewJob, NewSchedule, Schedule
from store.store import Store
from tests.app.conftest import LARGE, SMALL, Console, OpenConsole
from tests.app.forms import HOSTILE, MARKUP, assert_only_text_from_end_to_end, opened, paste, put, reach, seen
from tests.conftest import Clock

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])
FIELDS = ["template", "cron", "timezone", "params", "enabled", "pause", "catch_up", "overlap"]
WRONG = [
    ("name", "", "give it a name"),
    ("name", "x" * 101, "the name is 101 characters long; the limit is 100"),
    ("name", "a\x1bb", "the name has a control character (U+001B)"),
    ("template", "", "choose what it submits"),
    ("template", "a\x9bb", "the name has a control character (U+009B)"),
    ("template", "other", "there is no such template yet"),
    ("cron", "", "five fields, such as: 30 2 * * *"),
    ("cron", "30 2 * *", "30 2 * *"),
    ("cron", "61 2 * * *", "61"),
    ("cron", "0 0 30 2 *", "can never fire"),
    ("timezone", "", "give it a time zone"),
    ("timezone", "Europe/Pari", 'not a time zone; did you mean Europe/Paris?'),
    ("params", "a", 'param "a" has no =; write it as name=value'),
    ("catch_up", "some", "use one, all, none"),
    ("catch_up", "", "use one, all, none"),
    ("overlap", "maybe", "use skip, queue, allow, replace"),
]  # fmt: skip


def schedules(store: Store) -> list[Schedule]:
    with store.read() as views:
        return views.schedules()


def note(at: Console, key: str) -> str:
    return at.screen.query_one(f"#field-{key}", Field).note


@pytest.fixture
def night(store: Store) -> None:
    with store.write("ann") as work:
        work.add_template("night", NewJob(command=Command(("./night.sh", "--all"))))


@SIZES
@pytest.mark.usefixtures("night")
async def test_a_schedule_is_made_with_keys_alone(console: OpenConsole, store: Store, size: tuple[int, int]) -> None:
    async with console(size) as at:
        form = await opened(at, "4", "n")
        await at.press(*"late", "tab", "down", "tab", *"30 2 * * *", "enter")
        await at.until(lambda: form.focused is form.field("timezone").entry, "enter goes on")
        assert form.text("template") == "night"
        await paste(at, "timezone", "Europe/Paris")
        await at.until(lambda: note(at, "cron").startswith("every day at 02:30 (Europe/Paris)"), "its words")
        await at.press("ctrl+s")
        await at.told("schedule late is made; it fires in 16h30m")
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
    [made] = schedules(store)
    assert (made.name, made.template_name, made.cron_expression) == ("late", "night", "30 2 * * *")
    assert (made.timezone, made.catch_up, made.overlap, made.enabled) == ("Europe/Paris", "one", "skip", True)
    assert made.next_trigger_at == datetime.fromisoformat("2026-03-03T01:30:00Z")
    assert made.created_by == "ann"


@pytest.mark.usefixtures("night")
async def test_the_next_five_firings_are_shown_with_what_the_clocks_do(console: OpenConsole, clock: Clock) -> None:
    clock.now = datetime.fromisoformat("2026-03-27T12:00:00Z")
    async with console(SMALL) as at:
        await opened(at, "4", "n")
        await put(at, "timezone", "Europe/Paris")
        await put(at, "cron", "30 2 * * *")
        assert note(at, "cron").split("\n") == [
            "every day at 02:30 (Europe/Paris)",
            "Sat 2026-03-28 02:30 CET  in 13h30m",
            "Sun 2026-03-29 03:00 CEST  in 1d13h  "
            "clocks go forward that day: 02:30 does not exist that day; runs at 03:00",
            "Mon 2026-03-30 02:30 CEST  in 2d12h",
            "Tue 2026-03-31 02:30 CEST  in 3d12h",
            "Wed 2026-04-01 02:30 CEST  in 4d12h",
        ]
        await put(at, "timezone", "Europe/Par")
        assert note(at, "cron") == "every day at 02:30"


@SIZES
async def test_without_any_template_one_is_made_with_the_schedule(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    async with console(size) as at:
        await opened(at, "4", "n")
        assert "there are no templates yet: name a new one here and give its command below" in note(at, "template")
        await put(at, "name", "late")
        await put(at, "template", "night")
        await put(at, "cron", "0 6 * * 1")
        await at.press("ctrl+s")
        await at.until(lambda: at.screen.query_one("#field-command", Field).wrong, "the command is asked for")
        assert schedules(store) == []
        await put(at, "command", "./night.sh 'a b'")
        assert note(at, "command").startswith("runs ./night.sh a b in /")
        await at.press("ctrl+s")
        await at.told("schedule late is made, and template night; it fires in 6d21h")
    [made] = schedules(store)
    with store.read() as views:
        [template] = views.templates()
    assert (made.template_name, template.name, template.new_job.command.argv) == (
        "night",
        "night",
        ("./night.sh", "a b"),
    )


@pytest.mark.usefixtures("night")
async def test_what_is_wrong_is_said_while_one_types_and_nothing_is_stored(console: OpenConsole, store: Store) -> None:
    right = {"name": "late", "template": "night", "cron": "0 6 * * *", "timezone": "UTC"}
    async with console(SMALL) as at:
        form = await opened(at, "4", "n")
        for key, text in right.items():
            await put(at, key, text)
        for key, text, sentence in WRONG:
            before = form.text(key)
            field = await put(at, key, text)
            assert sentence in field.note, key
            await at.press("ctrl+s")
            await at.settle()
            assert at.screen is form
            assert sentence in field.note, key
            await put(at, key, before)
            assert not field.wrong
        assert at.said == []
    assert schedules(store) == []


@SIZES
@pytest.mark.usefixtures("night")
async def test_only_what_was_changed_is_changed_and_can_be_undone(
    console: OpenConsole, store: Store, size: tuple[int, int]
) -> None:
    with store.write("ann") as work:
        overrides = {"keep": 1, "gone": 2, "typed": 1}
        work.add_schedule(NewSchedule("late", "night", "0 6 * * *", "Europe/Paris", param_overrides=overrides))
        before = work.schedule("late")
    async with console(size) as at:
        await at.press("4")
        await at.until(lambda: at.app._deck_screen.active.selected_row() is not None, "the schedule is there")
        form = await opened(at, "e")
        assert form.focused is form.field("cron").entry
        await at.press("ctrl+s")
        await at.until(lambda: "nothing is changed yet" in seen(at), "there is nothing to save")
        await put(at, "overlap", "queue")
        await put(at, "params", "keep=1\ntyped=true\nnew=x")
        form.field("enabled").entry.focus()
        await at.press("space", "ctrl+s")
        await at.told("schedule late is changed")
        [changed] = schedules(store)
        assert (changed.overlap, changed.enabled, changed.cron_expression) == ("queue", False, "0 6 * * *")
        assert changed.param_overrides == {"keep": 1, "typed": True, "new": "x"}
        assert changed.param_overrides["typed"] is True
        await at.until(lambda: isinstance(at.screen, DeckScreen), "the form has closed")
        await at.press("z")
        await at.told("undone: schedule late is as before")
    [undone] = schedules(store)
    assert (undone.overlap, undone.enabled, undone.param_overrides) == ("skip", True, overrides)
    assert undone.next_trigger_at == before.next_trigger_at


@pytest.mark.usefixtures("night")
async def test_a_schedule_that_someone_else_changed_is_not_overwritten(console: OpenConsole, store: Store) -> None:
    with store.write("ann") as work:
        work.add_schedule(NewSchedule("late", "night", "0 6 * * *"))
    async with console(SMALL) as at:
        await at.press("4")
        await at.until(lambda: at.app._deck_screen.active.selected_row() is not None, "the schedule is there")
        form = await opened(at, "e")
        await put(at, "cron", "0 7 * * *")
        with store.write("bob") as work:
            work.edit_schedule("late", ScheduleEdit(overlap="allow"))
        await at.press("ctrl+s")
        await at.until(lambda: "schedule late was changed by someone else meanwhile" in seen(at), "it is refused")
        with store.write("bob") as work:
            work.remove_schedule("late")
            work.add_schedule(NewSchedule("late", "night", "0 9 * * *"))
        await at.press("ctrl+s")
        await at.until(lambda: "schedule late was removed and made anew meanwhile" in seen(at), "it is refused")
        assert at.screen is form
    [stays] = schedules(store)
    assert (stays.cron_expression, stays.overlap) == ("0 9 * * *", "skip")


@SIZES
@pytest.mark.usefixtures("night")
async def test_every_field_can_be_reached_with_tab_alone(console: OpenConsole, size: tuple[int, int]) -> None:
    async with console(size) as at:
        await opened(at, "4", "n")
        await reach(at, [*FIELDS, "name", "command", "leave", "send"])


@pytest.mark.usefixtures("night")
async def test_the_mouse_chooses_a_time_zone(console: OpenConsole, store: Store) -> None:
    async with console(SMALL) as at:
        form = await opened(at, "4", "n")
        for key, text in {"name": "late", "template": "night", "cron": "0 6 * * *", "timezone": ""}.items():
            await put(at, key, text)
        await at.pilot.click("#field-timezone Input")
        await at.press(*"paris")
        await at.until(lambda: "Europe/Paris" in seen(at), "it is offered")
        await at.pilot.click("#field-timezone Offers", offset=(4, 0))
        await at.until(lambda: form.text("timezone") == "Europe/Paris", "a click chooses it")
        await at.pilot.click("#send")
        await at.told("schedule late is made")
    assert schedules(store)[0].timezone == "Europe/Paris"


async def test_hostile_text_stays_text(console: OpenConsole, store: Store) -> None:
    with store.write("ann") as work:
        for number, text in enumerate(HOSTILE):
            stored = text.replace("\x00", "").replace("\ud800", "")
            name = stored[:80] if stored.isprintable() else f"t{number}"
            work.add_template(name, NewJob(command=Command(("echo", stored))))
            overrides = {stored: stored}
            work.add_schedule(NewSchedule(name, name, "0 6 * * *", param_overrides=overrides))
    async with console(SMALL) as at:
        await at.press("4")
        await at.until(lambda: at.app._deck_screen.active.count == len(HOSTILE), "the schedules are there")
        for _ in HOSTILE:
            await opened(at, "e")
            await assert_only_text_from_end_to_end(at)
            await at.press("escape", "down")
            await at.until(lambda: isinstance(at.screen, DeckScreen), "an untouched form is left at once")
        form = await opened(at, "n")
        for text in HOSTILE:
            for key in ("name", "template", "command", "cron", "timezone", "params", "catch_up", "overlap"):
                form.field(key).text = text
            await at.press("ctrl+s")
            await assert_only_text_from_end_to_end(at)
        await paste(at, "cron", MARKUP)
        await assert_only_text_from_end_to_end(at)
    assert len(schedules(store)) == len(HOSTILE)
