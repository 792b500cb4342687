"""What people do in a random life: everything that an operator can, at any moment, to any job."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from random import Random

from core.jobs import Job
from core.positions import Move
from core.refusals import JobdeckError, Trouble
from core.status import Status
from tests.engine.ledger import Ledger
from tests.engine.office import CALLER
from tests.engine.stage import Stage
from tests.engine.wire import Crash
from tests.engine.workload import FAR, script, wishes

Deed = Callable[[], str | None]
"""Something done; what it was in words, or None if there was nothing to do it to."""

WAITS = (Status.CREATED, Status.QUEUED, Status.RETRYING)
LIVE = (*WAITS, Status.RUNNING, Status.WAITING_FOR_APPROVAL)


class People:
    """Operators; what a store refuses them is no harm, what it acknowledges goes into the ledger."""

    def __init__(self, stage: Stage, rng: Random, ledger: Ledger) -> None:
        self._stage = stage
        self._rng = rng
        self._ledger = ledger
        self._schedules: list[str] = []
        often: tuple[Deed, ...] = (self._submit_some,) * 12
        self.kinds: tuple[Deed, ...] = (
            *often,
            *(self._cancel, self._cancel, self._kill, self._hold, self._unhold, self._priority, self._move, self._move),
            *(self._retry, self._retry, self._give_up, self._answer, self._answer, self._answer, self._report),
            *(self._report, self._direct, self._slots, self._pause, self._resume, self._resume, self._resume),
            *(self._switch, self._trigger, self._release, self._killed_in_the_middle, self._killed_in_the_middle),
        )

    def make_schedules(self) -> None:
        """What the clock submits."""
        rng = self._rng
        for number in range(rng.randint(0, 2)):
            name = f"s{number}"
            catch_up, overlap = rng.choice(("one", "all", "none")), rng.choice(("skip", "queue", "allow", "replace"))
            minutes = rng.choice(("*", "*/2"))
            self._stage.schedule(name, f"{minutes} * * * *", *script(rng), catch_up=catch_up, overlap=overlap)
            self._schedules.append(name)

    def end(self) -> None:
        """No more of it: what was held, paused or planned may end."""
        with self._stage.store.write("ann") as work:
            work.resume()
            work.choose_slots(None)
            for name in self._schedules:
                work.enable_schedule(name, False)

    def finish(self) -> bool:
        """Bring one step closer to its end whatever still waits for people; False when nothing is left."""
        stage = self._stage
        left = [job for job in stage.jobs() if not job.status.final]
        for job in left:
            match job.status:
                case Status.CREATED:
                    self._acknowledged(lambda job=job: stage.cancel(job.id), self._ledger.cancelled, job.id)  # type: ignore[misc]
                case Status.QUEUED | Status.RETRYING if job.held:
                    stage.unhold(job.id)
                case Status.WAITING_FOR_APPROVAL if stage.gate(job.id).decision is None:
                    self._acknowledged(lambda job=job: stage.approve(job.id))  # type: ignore[misc]
                case Status.RUNNING if self._elsewhere(job):
                    self._acknowledged(self._reported(job, done=True), self._ledger.reported_done, job.id)
        return bool(left)

    def _pick(self, *statuses: Status) -> Job | None:
        jobs = [job for job in self._stage.jobs() if job.status in statuses]
        return self._rng.choice(jobs) if jobs else None

    def _acknowledged(self, act: Callable[[], object], promises: set[int] | None = None, ref: int = 0) -> str:
        """Do it; only what comes back without an error counts."""
        try:
            act()
        except JobdeckError as error:
            return f" ({_said(error)})"
        if promises is not None:
            promises.add(ref)
        return ""

    def _submit_some(self) -> str:
        return "; ".join(self._submit() for _ in range(self._rng.randint(1, 3)))

    def _submit(self) -> str:
        stage, rng = self._stage, self._rng
        play, wanted = script(rng), wishes(rng, stage.now)
        try:
            ref = stage.submit(*play, **wanted)
        except JobdeckError as error:
            return f"submit ({_said(error)})"
        self._ledger.submitted.add(ref)
        return f"submit {ref} {wanted['job_type']} {play}"

    def _killed_in_the_middle(self) -> str | None:
        """Someone's command is killed somewhere between its first look and its answer; nothing was acknowledged."""
        faults = self._stage.office_faults
        deed = self._rng.choice((self._submit, self._cancel, self._answer, self._retry, self._move, self._report))
        faults.crash_before = faults.statements + self._rng.randint(1, 60)
        try:
            return deed()
        except Crash:
            self._stage.reopen()
            return f"{deed.__name__[1:]}, and the command was killed"
        finally:
            faults.crash_before = None

    def _direct(self) -> str:
        play, by = script(self._rng), replace(CALLER, mark=str(self._rng.randint(1, 9)))
        try:
            ref = self._stage.direct(*play, by=by, expiry=timedelta(seconds=self._rng.randint(5, 60)))
        except JobdeckError as error:
            return f"direct ({_said(error)})"
        self._ledger.submitted.add(ref)
        return f"direct {ref} {play}"

    def _cancel(self) -> str | None:
        job = self._pick(*LIVE)
        if job is None:
            return None
        refused = self._acknowledged(lambda: self._stage.cancel(job.id), self._ledger.cancelled, job.id)
        return f"cancel {job.id}{refused}"

    def _kill(self) -> str | None:
        job = self._pick(Status.RUNNING)
        if job is None:
            return None
        refused = self._acknowledged(lambda: self._stage.kill(job.id), self._ledger.cancelled, job.id)
        return f"kill {job.id}{refused}"

    def _hold(self) -> str | None:
        job = self._pick(*WAITS)
        return None if job is None else f"hold {job.id}{self._acknowledged(lambda: self._stage.hold(job.id))}"

    def _unhold(self) -> str | None:
        job = self._pick(*WAITS)
        return None if job is None else f"unhold {job.id}{self._acknowledged(lambda: self._stage.unhold(job.id))}"

    def _release(self) -> str | None:
        job = self._pick(Status.CREATED)
        return None if job is None else f"release {job.id}{self._acknowledged(lambda: self._stage.release(job.id))}"

    def _priority(self) -> str | None:
        job, priority = self._pick(*WAITS), self._rng.randint(-2, 5)
        if job is None:
            return None
        refused = self._acknowledged(lambda: self._stage.set_priority(job.id, priority))
        return f"priority {job.id} {priority}{refused}"

    def _move(self) -> str | None:
        job, where = self._pick(Status.QUEUED), self._rng.choice((Move.UP, Move.DOWN, Move.TOP, Move.BOTTOM))
        if job is None:
            return None
        return f"move {job.id} {where}{self._acknowledged(lambda: self._stage.move(job.id, where))}"

    def _retry(self) -> str | None:
        job = self._pick(Status.RETRYING, Status.FAILED, Status.CANCELLED)
        # Running again what has succeeded would rightly do it a second time.
        if job is None or self._stage.status(self._stage.chain(job.id)[-1]) is Status.SUCCEEDED:
            return None
        return f"retry {job.id}{self._acknowledged(lambda: self._stage.retry(job.id))}"

    def _give_up(self) -> str | None:
        job = self._pick(Status.RETRYING)
        return None if job is None else f"give up {job.id}{self._acknowledged(lambda: self._stage.give_up(job.id))}"

    def _answer(self) -> str | None:
        job = self._pick(Status.WAITING_FOR_APPROVAL)
        if job is None:
            return None
        if self._rng.random() < 0.2:
            refused = self._acknowledged(lambda: self._stage.deny(job.id), self._ledger.denied, job.id)
            return f"deny {job.id}{refused}"
        return f"approve {job.id}{self._acknowledged(lambda: self._stage.approve(job.id))}"

    def _report(self) -> str | None:
        jobs = [job for job in self._stage.jobs() if job.job_type == FAR and self._elsewhere(job)]
        if not jobs:
            return None
        job, done = self._rng.choice(jobs), self._rng.random() < 0.6
        if not done:
            return f"report {job.id} failed{self._acknowledged(self._reported(job, done=False))}"
        refused = self._acknowledged(self._reported(job, done=True))
        if not refused and self._stage.status(job.id) is Status.SUCCEEDED:
            self._ledger.reported_done.add(job.id)
        return f"report {job.id} succeeded{refused}"

    def _elsewhere(self, job: Job) -> bool:
        return job.status is Status.RUNNING and self._stage.executions(job.id)[-1].handed_over_at is not None

    def _reported(self, job: Job, *, done: bool) -> Callable[[], None]:
        return lambda: self._stage.report(
            job.job_key, succeeded=done, job_type=job.job_type, result=1 if done else None
        )

    def _slots(self) -> str:
        slots = self._rng.choice((None, None, None, 0, 1, 2, 6))
        return f"slots {slots}{self._acknowledged(lambda: self._stage.choose_slots(slots))}"

    def _pause(self) -> str:
        return f"pause{self._acknowledged(self._stage.pause)}"

    def _resume(self) -> str:
        return f"resume{self._acknowledged(self._stage.resume)}"

    def _switch(self) -> str | None:
        if not self._schedules:
            return None
        name, on = self._rng.choice(self._schedules), self._rng.random() < 0.7
        return f"schedule {name} {on}{self._acknowledged(lambda: self._stage.enable(name, on))}"

    def _trigger(self) -> str | None:
        if not self._schedules:
            return None
        name = self._rng.choice(self._schedules)
        return f"trigger {name}{self._acknowledged(lambda: self._stage.trigger(name))}"


def _said(error: JobdeckError) -> str:
    # Trouble names the file, which is another one in each life.
    return "trouble" if isinstance(error, Trouble) else f"refused: {error}"
