"""What people do to a store while engines come and go, in the words of these tests."""

from datetime import timedelta
from random import Random
from typing import Any

from core.jobs import Approval, Command, Execution, HistoryEntry, Job, NewJob, NewSchedule, Schedule
from core.owners import Owner
from core.positions import Move
from core.status import Status
from store.store import Store

PLAY = Command(("play",))
CALLER = Owner("ann", "stage", 4711, 5, "this boot")
"""Who makes reservations, unless a test says otherwise; it lives as long as the world says so."""
Play = list[Any]
"""One step of a script."""


def played(*play: Play, **wanted: Any) -> NewJob:
    """A job that follows this script."""
    return NewJob(**{"job_type": "played", "command": PLAY, "params": {"play": list(play)}, **wanted})


class Office:
    """An operator with a connection of their own."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def submit(self, *play: Play, by: str = "ann", **wanted: Any) -> int:
        with self.store.write(by) as work:
            return work.submit(played(*play, **wanted)).id

    def direct(self, *play: Play, by: Owner = CALLER, expiry: timedelta = timedelta(minutes=5), **wanted: Any) -> int:
        """A job with a reservation of its own."""
        with self.store.write(by.name) as work:
            reservation = work.reserve(str(by), expiry)
            return work.submit(played(*play, reservation_id=reservation.reservation_id, **wanted)).id

    def schedule(
        self, name: str, cron: str, *play: Play, template: dict[str, Any] | None = None, **wanted: Any
    ) -> None:
        """A schedule with a template of its own."""
        with self.store.write("ann") as work:
            work.add_template(name, played(*play, **(template or {})))
            work.add_schedule(NewSchedule(name, name, cron, **wanted))

    def cancel(self, ref: int, by: str = "ann") -> bool:
        """Cancel a job; True when it runs and is only asked to stop."""
        with self.store.write(by) as work:
            return work.cancel(ref).stopping

    def kill(self, ref: int) -> None:
        with self.store.write("ann") as work:
            work.kill(ref)

    def retry(self, ref: int) -> Job:
        with self.store.write("ann") as work:
            return work.retry(ref).job

    def give_up(self, ref: int) -> None:
        with self.store.write("ann") as work:
            work.give_up(ref)

    def hold(self, ref: int) -> None:
        with self.store.write("ann") as work:
            work.hold(ref)

    def unhold(self, ref: int) -> None:
        with self.store.write("ann") as work:
            work.unhold(ref)

    def release(self, ref: int) -> None:
        with self.store.write("ann") as work:
            work.release(ref)

    def set_priority(self, ref: int, priority: int) -> None:
        with self.store.write("ann") as work:
            work.set_priority(ref, priority)

    def pause(self) -> None:
        with self.store.write("ann") as work:
            work.pause()

    def resume(self) -> None:
        with self.store.write("ann") as work:
            work.resume()

    def trigger(self, schedule: str) -> int:
        with self.store.write("ann") as work:
            return work.trigger_schedule(schedule).id

    def move(self, ref: int, where: Move) -> None:
        with self.store.write("ann") as work:
            work.move(ref, where)

    def approve(self, ref: int, by: str = "bob") -> None:
        token = self.store.token_of(self.gate(ref).approval_id)
        with self.store.write(by) as work:
            work.approve(ref, token)

    def deny(self, ref: int, by: str = "bob") -> None:
        token = self.store.token_of(self.gate(ref).approval_id)
        with self.store.write(by) as work:
            work.deny(ref, token, "not now")

    def report(self, key: str, *, succeeded: bool, job_type: str = "external", **said: Any) -> None:
        with self.store.write("ann") as work:
            work.report(job_type, key, succeeded=succeeded, rng=Random(1), **said)

    def choose_slots(self, slots: int | None) -> None:
        with self.store.write("ann") as work:
            work.choose_slots(slots)

    def enable(self, schedule: str, enabled: bool) -> None:
        with self.store.write("ann") as work:
            work.enable_schedule(schedule, enabled)

    def job(self, ref: int) -> Job:
        with self.store.read() as views:
            return views.job(ref)

    def status(self, ref: int) -> Status:
        return self.job(ref).status

    def statuses(self, *refs: int) -> list[Status]:
        return [self.status(ref) for ref in refs]

    def executions(self, ref: int) -> list[Execution]:
        with self.store.read() as views:
            return views.whole_job(ref).executions

    def chain(self, ref: int) -> list[int]:
        """The numbers of the jobs in its chain."""
        with self.store.read() as views:
            return views.whole_job(ref).chain

    def gate(self, ref: int) -> Approval:
        """The latest gate of a job."""
        with self.store.read() as views:
            return views.whole_job(ref).approvals[-1]

    def history(self, ref: int) -> list[HistoryEntry]:
        """What happened to a job, oldest first."""
        with self.store.read() as views:
            return views.history(ref, None, 1000)[::-1]

    def steps(self, ref: int) -> list[Status]:
        """The states that a job went through."""
        return [one.new_status for one in self.history(ref) if one.new_status is not one.previous_status]

    def queue(self) -> list[int]:
        """The queued jobs in their order."""
        with self.store.read() as views:
            return [row.id for row in views.queue_window(0, 1000).rows]

    def jobs(self) -> list[Job]:
        """All of them, the first one first."""
        with self.store.read() as views:
            return [views.job(row["id"]) for row in views.all("SELECT id FROM jobs ORDER BY id")]

    def named_schedule(self, name: str) -> Schedule:
        with self.store.read() as views:
            return views.schedule(name)
