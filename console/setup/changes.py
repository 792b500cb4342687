"""From what a store has to what a file says: the difference, and carrying it out in one transaction."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.setup.documents import SCHEDULE, TEMPLATE, Document, SetUp, set_up_of
from console.setup.reading import Wanted
from core.config import Config
from core.edits import ScheduleEdit, difference, same
from core.jobs import NewSchedule
from core.refusals import JobdeckError

if TYPE_CHECKING:
    from store.views import Views
    from store.work import Work

ADD, CHANGE, REMOVE = "add", "change", "remove"


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one template or schedule."""

    kind: str
    name: str
    does: str
    before: Document
    after: Document

    def fields(self) -> Iterator[tuple[str, Any, Any]]:
        """Each key that differs, with its values; None stands for one that is not there."""
        for key in dict.fromkeys([*self.before, *self.after]):
            old, new = self.before.get(key), self.after.get(key)
            if not same(old, new):
                yield key, old, new


def current(found: "Views | Work", config: Config) -> SetUp:
    """What the store has."""
    return set_up_of(found.templates(), found.schedules(), config)


def changes(before: SetUp, after: SetUp) -> list[Change]:
    """The difference, templates first; `remove` is what the file does not have."""
    found = []
    for kind, old, new in (
        (TEMPLATE, before.templates, after.templates),
        (SCHEDULE, before.schedules, after.schedules),
    ):
        found += list(_between(kind, old, new))
    return found


def carry_out(work: "Work", wanted: Wanted, config: Config, *, prune: bool) -> list[Change]:
    """Make the store what the file says; what it does not name stays, unless it is to be pruned."""
    before = current(work, config)
    todo = changes(before, wanted.documents)
    removed = [one for one in todo if one.does == REMOVE] if prune else []
    made = [one for one in todo if one.does != REMOVE]
    for one in removed:
        if one.kind == SCHEDULE:
            work.remove_schedule(one.name)
    for one in made:
        try:
            _make(work, one, wanted)
        except JobdeckError as error:
            raise type(error)(f"{one.kind}s.{one.name}: {error}; nothing was changed") from error
    for one in removed:
        if one.kind == TEMPLATE:
            work.remove_template(one.name)
    return [*made, *removed]


def _between(kind: str, old: Mapping[str, Document], new: Mapping[str, Document]) -> Iterator[Change]:
    for name in sorted(old.keys() | new.keys()):
        if name not in new:
            yield Change(kind, name, REMOVE, old[name], {})
        elif name not in old:
            yield Change(kind, name, ADD, {}, new[name])
        elif not same(old[name], new[name]):
            yield Change(kind, name, CHANGE, old[name], new[name])


def _make(work: "Work", one: Change, wanted: Wanted) -> None:
    if one.kind == TEMPLATE:
        change = work.add_template if one.does == ADD else work.replace_template
        change(one.name, wanted.templates[one.name])
    elif one.does == ADD:
        work.add_schedule(wanted.schedules[one.name])
    else:
        _edit(work, wanted.schedules[one.name])


def _edit(work: "Work", new: NewSchedule) -> None:
    overrides = work.schedule(new.name).param_overrides
    edit = ScheduleEdit(
        template=new.template,
        cron_expression=new.cron_expression,
        timezone=new.timezone,
        catch_up=new.catch_up,
        overlap=new.overlap,
        pause_on_failure=new.pause_on_failure,
        param_overrides=difference(overrides, new.param_overrides),
    )
    work.edit_schedule(new.name, edit)
    work.enable_schedule(new.name, new.enabled)
