"""What each action does to jobs: step by step, in words, and with the way back where there is one."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from console.app.course import Course, Told
from console.app.targets import ANY, Meant
from core.jobs import Job
from core.positions import Move
from core.refusals import Refused
from core.status import Status

if TYPE_CHECKING:
    from store.operations.ordering import Standing
    from store.work import Work

MOST_MOVED = 1_000
"""A block of more jobs is not moved: it would keep the queue waiting."""

JobDeed = Callable[["Work", int], Told]
"""What is done to a job by itself."""
Deed = Callable[[Meant], Course]
"""What is done to all that are meant."""


def each(deed: JobDeed, doing: str) -> Deed:
    """The same to each of the jobs, by itself."""
    return lambda meant: Course((partial(_one, deed, meant.states, job) for job in meant.jobs), len(meant.jobs), doing)


def _one(deed: JobDeed, states: frozenset[Status], job: int, work: "Work") -> Told:
    if states != ANY and (status := work.job(job).status) not in states:
        raise Refused(f"job {job} is {status} now")
    return deed(work, job)


def hold(meant: Meant) -> Course:
    """Hold jobs; if all that are seen are held, let them go. What was seen decides, not what became of it since."""
    held = not (meant.known and all(target.held for target in meant.known))
    return each(partial(_held, held), "holding" if held else "letting go")(meant)


def _held(held: bool, work: "Work", job: int) -> Told:
    changed = work.hold(job) if held else work.unhold(job)
    back = partial(_held_again, job, held=not held) if changed else None
    return Told((job,), "{these} {are} held" if held else "{these} may start", back)


def _held_again(job: int, work: "Work", *, held: bool) -> Told:
    _ = work.hold(job) if held else work.unhold(job)
    return Told((job,), "{these} {are} held again" if held else "{these} {are} no longer held")


def moved(where: Move) -> Deed:
    """Move jobs up, down, to the top or to the bottom, keeping the order that they have among themselves."""
    return lambda meant: block(meant, partial(_move, where=where), _WHERE[where])


def beside(where: Move, other: int) -> Deed:
    """Move jobs before or after another one."""
    return lambda meant: block(meant, partial(_move, where=where, other=other), f"{where.value} job {other}")


def block(meant: Meant, move: Callable[["Work", Sequence[int]], None], words: str) -> Course:
    """Move all of them in one step, which one step takes back."""
    if len(meant.jobs) > MOST_MOVED:
        raise Refused(f"at most {MOST_MOVED:,} jobs are moved at once, and {len(meant.jobs):,} are marked")

    def step(work: "Work") -> Told:
        jobs = [job for job in meant.jobs if not meant.several or work.job(job).status is Status.QUEUED]
        if not jobs:
            raise Refused("none of the marked jobs is in the queue any more")
        # In queue order, so that each is put back before the one that stood behind it.
        before = [work.standing(job.id) for job in sorted(map(work.job, jobs), key=_queue_order)]
        first = work.queue_rank(jobs[0])
        move(work, jobs)
        now = work.queue_rank(jobs[0])
        if len(jobs) == 1 and now == first:
            return Told(jobs, f"{{these}} {{are}} there already, at place {(now or 0) + 1:,}")
        place = f"; place {(now or 0) + 1:,} now" if len(jobs) == 1 else ""
        return Told(jobs, f"{{these}} moved {words}{place}", partial(_put_back, before))

    return Course([step], 1, "moving")


def _move(work: "Work", jobs: Sequence[int], *, where: Move, other: int | None = None) -> None:
    work.move_many(jobs, where, other)


def _put_back(standings: Sequence["Standing"], work: "Work") -> Told:
    for standing in standings:
        work.stand_again(standing)
    return Told([one.job for one in standings], "{these} {are} back in place")


def priority_by(step: int) -> Deed:
    """Raise or lower the priority of jobs."""
    return each(lambda work, job: _prioritised(work, job, work.job(job).priority + step), "changing the priority of")


def priority_to(number: int) -> Deed:
    """Set the priority of jobs."""
    return each(lambda work, job: _prioritised(work, job, number), "changing the priority of")


def _prioritised(work: "Work", job: int, wanted: int) -> Told:
    before = work.job(job)
    standing = work.standing(job) if before.status is Status.QUEUED else None
    work.set_priority(job, wanted)
    back = partial(_priority_back, job, before.priority, standing)
    return Told((job,), f"{{these}} {{have}} priority {wanted}", back)


def _priority_back(job: int, priority: int, standing: "Standing | None", work: "Work") -> Told:
    if standing is not None:
        work.stand_again(standing)
    else:
        work.set_priority(job, priority)
    return Told((job,), "{these} {have} the old priority")


def _cancel(work: "Work", job: int) -> Told:
    stopping = work.cancel(job).stopping
    return Told((job,), "{these} {are} asked to stop" if stopping else "{these} {are} cancelled")


def _kill(work: "Work", job: int) -> Told:
    work.kill(job)
    return Told((job,), "{these} {are} being killed")


def _release(work: "Work", job: int) -> Told:
    work.release(job)
    return Told((job,), "{these} {are} in the queue")


def _retry(work: "Work", job: int) -> Told:
    retried = work.retry(job)
    if not retried.new:
        return Told((job,), "{these} {are} back in the queue")
    return Told((job,), "{these} run again as new jobs", alone=f"job {retried.job.id} retries job {job}")


def _give_up(work: "Work", job: int) -> Told:
    work.give_up(job)
    return Told((job,), "{these} failed; no retries are left")


_WHERE = {Move.UP: "up", Move.DOWN: "down", Move.TOP: "to the top", Move.BOTTOM: "to the bottom"}
MOVES = {move.value: move for move in _WHERE}
"""The actions that move, by their names."""
DEEDS: dict[str, Deed] = {
    "hold": hold,
    **{name: moved(where) for name, where in MOVES.items()},
    "raise": priority_by(1),
    "lower": priority_by(-1),
    "cancel": each(_cancel, "cancelling"),
    "kill": each(_kill, "killing"),
    "release": each(_release, "releasing"),
    "retry": each(_retry, "retrying"),
    "give-up": each(_give_up, "giving up"),
}


def _queue_order(job: Job) -> tuple[int, int, datetime, int]:
    return (-job.priority, job.position, job.created_at, job.id)
