"""What actions do about the whole store or a schedule: one transaction each, and the way back where there is one."""

from dataclasses import replace
from typing import TYPE_CHECKING

from console.app.done import Done
from core.jobs import Schedule
from core.refusals import BadInput, Refused

if TYPE_CHECKING:
    from store.work import Work


def triggered(work: "Work", seen: Schedule) -> Done:
    """Submit a schedule's job now."""
    check_same(work, seen)
    return Done(f"job {work.trigger_schedule(seen.name).id} is queued for schedule {seen.name}")


def switched(work: "Work", seen: Schedule) -> Done:
    """Stop a schedule that was seen firing, or let it fire again."""
    check_same(work, seen)
    return _turned(work, seen, on=not seen.enabled)


def _turned(work: "Work", seen: Schedule, *, on: bool, prefix: str = "") -> Done:
    work.enable_schedule(seen.name, on)

    def undo(work: "Work") -> Done:
        check_same(work, seen)
        return replace(_turned(work, seen, on=not on, prefix="undone: "), undo=None)

    return Done(f"{prefix}schedule {seen.name} is {'on' if on else 'off'}", undo)


def removed(work: "Work", seen: Schedule) -> Done:
    """Take a schedule away."""
    check_same(work, seen)
    work.remove_schedule(seen.name)
    return Done(f"schedule {seen.name} is removed")


def check_same(work: "Work", seen: Schedule) -> None:
    """Refuse what was meant for a schedule whose name has gone to another one."""
    if work.schedule(seen.name).schedule_id != seen.schedule_id:
        raise Refused(f"schedule {seen.name} was removed and made anew meanwhile; nothing was changed")


def paused(work: "Work") -> Done:
    """Let nothing new start."""
    fresh = work.pause("from the console")
    return Done("paused: nothing new starts; what runs goes on" if fresh else "it was paused already")


def resumed(work: "Work") -> Done:
    """Let jobs start again."""
    return Done("jobs start again" if work.resume() else "it was not paused any more")


def told_again(work: "Work", number: int | None) -> Done:
    """Tell again what could not be told: one notification, or all."""
    again = work.tell_all_again() if number is None else [number]
    if number is not None:
        work.tell_again(number)
    if not again:
        return Done("nothing has failed, so nothing is told again")
    return Done("1 notification is told again" if len(again) == 1 else f"{len(again):,} notifications are told again")


def slots(work: "Work", number: int) -> Done:
    """Change how many jobs run at once."""
    work.choose_slots(number)
    return Done(f"{number:,} {'slot' if number == 1 else 'slots'} from now on")


def whole(text: str, most: int) -> int:
    """A whole number as people type it."""
    stripped = text.strip()
    digits = stripped.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 10):
        raise BadInput("type a whole number")
    number = -int(digits) if stripped.startswith("-") else int(digits)
    if abs(number) > most:
        raise BadInput(f"use a number up to {most:,}")
    return number
