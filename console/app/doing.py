"""From a key to a deed: who is meant, whether it is possible, whether to ask first, and what to say afterwards."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from console.app.actions import Action, On, why_not
from console.app.course import Course
from console.app.deeds import DEEDS, MOVES, Deed, priority_to
from console.app.dialogs.ask import Ask
from console.app.dialogs.base import Confirm
from console.app.dialogs.jobs_dialog import JobsDialog
from console.app.done import Done
from console.app.moving import Moving, look
from console.app.store_deeds import paused, removed, resumed, slots, switched, told_again, triggered, whole
from console.app.targets import Meant
from core.bounds import PRIORITY_LIMIT
from core.filters import Filter
from core.jobs import Schedule
from core.limits import Limits
from core.refusals import JobdeckError
from store.store import Store

if TYPE_CHECKING:
    from console.app.app import JobdeckApp
    from store.work import Work

MANY = 1_000
"""What is done to more jobs than these is asked about, whatever it is."""
MOST_BACK = 50
"""So many deeds can be taken back."""

WaysBack = list["Callable[[Work], Done] | Course"]
"""How to undo what was done, the latest last."""


class Seat(Protocol):
    """A screen that actions are done from."""

    @property
    def app(self) -> "JobdeckApp":
        """The console."""
        ...

    @property
    def hiding(self) -> Filter:
        """The filter that hides a part of the queue; without terms it hides nothing."""
        ...

    def meant(self, *, many: bool) -> Meant:
        """The jobs that are meant; only one of them unless many may be."""
        ...

    @property
    def slipped(self) -> bool:
        """Whether what was under the cursor has just gone, so that a key may still be meant for that."""
        ...

    def schedule(self) -> Schedule | None:
        """The schedule that is meant."""
        ...

    def acting(self, action: Action) -> None:
        """This is about to be done to what was meant."""
        ...


class Doing:
    """Carries out the actions that change something."""

    def __init__(self, seat: Seat, undo: WaysBack | None = None) -> None:
        self._seat = seat
        self.undo: WaysBack = [] if undo is None else undo

    def possible(self, actions: Iterable[Action]) -> list[tuple[Action, bool]]:
        """Each action with whether its key would do something now."""
        meant = {many: self._seat.meant(many=many) for many in (False, True)}
        return [
            (action, action.on is On.VIEW or self._why_not(action, meant[action.many]) is None) for action in actions
        ]

    def do(self, action: Action, value: str = "") -> None:
        """Do it, or say why not; a value that was typed with it saves asking for it."""
        meant = self._meant(action)
        reason = self._why_not(action, meant) or self._slipped(action, meant)
        if reason is not None:
            self._seat.app.tell(reason, severity="warning")
        elif action.on is On.JOB:
            self._to_jobs(action, meant.pinned(), value)
        elif action.on is On.SCHEDULE:
            self._to_schedule(action)
        else:
            self._to_store(action, value)

    def told(self, result: Done | JobdeckError) -> None:
        """Say how it went, and keep the way back."""
        if isinstance(result, JobdeckError):
            self._seat.app.tell(str(result), severity="error")
            return
        self._remember(result.undo)
        self._seat.app.tell(result.said)

    def _carry_out(self, operation: Callable[["Work"], Done]) -> None:
        self._seat.app.carry_out(operation, self.told)

    def _follow(self, course: Course) -> None:
        self._seat.app.underway.follow(course, self._followed)

    def _followed(self, course: Course, error: JobdeckError | None) -> None:
        """Say what a course came to."""
        self._remember(course.back())
        if error is None:
            self._seat.app.tell(course.said)
        else:
            before = f"; before that: {course.said}" if course.said else ""
            self._seat.app.tell(f"{error}{before}", severity="error")

    def _remember(self, back: Callable[["Work"], Done] | Course | None) -> None:
        if back is not None:
            self.undo.append(back)
            del self.undo[:-MOST_BACK]

    def _meant(self, action: Action) -> Meant:
        return self._seat.meant(many=action.many) if action.on is On.JOB else Meant()

    def _why_not(self, action: Action, meant: Meant) -> str | None:
        reason = why_not(action, meant, read_only=self._seat.app.deck.read_only)
        if reason is not None:
            return reason
        if action.on is On.JOB and self._seat.app.underway.marking:
            return "jobs are still being marked; wait until all are, or stop it with esc"
        if action.on is On.SCHEDULE and self._seat.schedule() is None:
            return "no schedule is selected; n makes one"
        if action.name == "undo" and not self.undo:
            return "there is nothing to undo"
        return None

    def _slipped(self, action: Action, meant: Meant) -> str | None:
        """A key that was meant for a job that has just left must not hit the one in its place."""
        if action.on not in (On.JOB, On.SCHEDULE) or meant.several or not self._seat.slipped:
            return None
        return "what was under the cursor has just left; look where it is now, and press again"

    def _to_jobs(self, action: Action, meant: Meant, value: str) -> None:
        if action.name == "priority":
            self._ask_priority(action, meant, value)
        elif action.name in ("approve", "deny"):
            self._seat.app.open_gate(next(iter(meant.jobs)), grant=action.name == "approve")
        elif action.name == "edit":
            self._seat.app.open_editor(next(iter(meant.jobs)))
        elif action.name in MOVES and self._seat.hiding.terms:
            self._move(action, meant)
        elif action.asks:
            self._confirm(action, meant, DEEDS[action.name])
        else:
            self._act(action, meant, DEEDS[action.name])

    def _confirm(self, action: Action, meant: Meant, deed: Deed) -> None:
        dialog = JobsDialog(action.short.capitalize(), meant, action.words)
        self._seat.app.push_screen(dialog, lambda yes: self._begin(action, meant, deed) if yes else None)

    def _act(self, action: Action, meant: Meant, deed: Deed) -> None:
        """Do it, unless it is to so many that it is asked about after all."""
        if len(meant.jobs) > MANY and action.name not in MOVES:
            self._confirm(action, meant, deed)
        else:
            self._begin(action, meant, deed)

    def _begin(self, action: Action, meant: Meant, deed: Deed) -> None:
        try:
            course = deed(meant)
        except JobdeckError as error:
            self._seat.app.tell(str(error), severity="warning")
            return
        self._seat.acting(action)
        self._follow(course)

    def _move(self, action: Action, meant: Meant) -> None:
        """Move among what the filter shows; one after the other, so that each sees what the one before did."""
        self._seat.acting(action)
        chosen, actor = self._seat.hiding, self._seat.app.deck.actor

        def errand(store: Store) -> Moving:
            moving = look(store, meant, action.name, chosen)
            if not moving.hidden:
                moving.course.stretch(store, actor)
            return moving

        self._seat.app.send(errand, self._moved)

    def _moved(self, result: Moving | JobdeckError) -> None:
        if isinstance(result, JobdeckError):
            self._seat.app.tell(str(result), severity="warning")
        elif not result.hidden:
            self._followed(result.course, None)
        else:
            dialog = Confirm(result.question, result.detail, yes="Move")
            self._seat.app.push_screen(dialog, lambda yes: self._follow(result.course) if yes else None)

    def _ask(self, dialog: Ask, value: str, answered: Callable[[str | None], None]) -> None:
        """Ask for a value, unless it was typed already."""
        if not value:
            self._seat.app.push_screen(dialog, answered)
        elif (wrong := dialog.wrong(value)) is not None:
            self._seat.app.tell(wrong, severity="warning")
        else:
            answered(value)

    def _ask_priority(self, action: Action, meant: Meant, value: str) -> None:
        def check(text: str) -> None:
            whole(text, PRIORITY_LIMIT)

        def answered(text: str | None) -> None:
            if text is not None:
                self._act(action, meant, priority_to(whole(text, PRIORITY_LIMIT)))

        self._ask(Ask(f"Priority of {meant.words}", "Higher runs first.", check=check), value, answered)

    def _to_schedule(self, action: Action) -> None:
        schedule = self._seat.schedule()
        if schedule is None:
            return
        if action.name == "trigger":
            self._carry_out(lambda work: triggered(work, schedule))
        elif action.name == "switch":
            self._carry_out(lambda work: switched(work, schedule))
        elif action.name == "edit-schedule":
            self._seat.app.open_schedule_form(schedule)
        elif action.name == "remove-schedule":
            dialog = Confirm(f"Remove schedule {schedule.name}?", "The jobs it has made stay.", yes="Remove")
            self._seat.app.push_screen(
                dialog, lambda yes: self._carry_out(lambda work: removed(work, schedule)) if yes else None
            )

    def _to_store(self, action: Action, value: str) -> None:
        # What is seen decides which way a switch goes, not what someone else made of it a moment ago.
        seen = self._seat.app.snapshot
        if action.name == "pause":
            self._carry_out(resumed if seen is not None and seen.paused is not None else paused)
        elif action.name == "undo":
            self._take_back(self.undo.pop())
        elif action.name == "slots":
            self._ask_slots(value)
        elif action.name == "new":
            self._seat.app.open_job_form()
        elif action.name == "new-schedule":
            self._seat.app.open_schedule_form(None)
        elif action.name == "direct":
            self._seat.app.open_direct()
        elif action.name == "tell-again":
            self._tell_again(value)
        elif action.name == "samples":
            self._seat.app.queue_samples()

    def _take_back(self, way: Callable[["Work"], Done] | Course) -> None:
        if isinstance(way, Course):
            self._follow(way)
        else:
            self._carry_out(way)

    def _tell_again(self, value: str) -> None:
        try:
            number = whole(value, 10**9 - 1) if value else None
        except JobdeckError as error:
            self._seat.app.tell(f"a notification has a number: {error}", severity="warning")
            return
        self._carry_out(lambda work: told_again(work, number))

    def _ask_slots(self, value: str) -> None:
        def check(text: str) -> None:
            Limits(whole(text, 1_000))

        def answered(text: str | None) -> None:
            if text is not None:
                number = whole(text, 1_000)
                self._carry_out(lambda work: slots(work, number))

        detail = "How many jobs may run at once, until the engine ends. What runs goes on."
        seen = self._seat.app.snapshot
        hint = "" if seen is None or seen.flow.limits is None else f"{seen.flow.limits.slots:,} now"
        self._ask(Ask("Slots", detail, check=check, hint=hint), value, answered)
