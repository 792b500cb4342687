"""One step's transaction: all that came up since the last one is written together, or nothing of it."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from core.classify import Failure
from core.engine.events import Event
from core.engine.hands import Hands
from core.engine.run import Cause, Good, Run, verdict
from core.engine.words import Answer, Word, carried_out
from core.jobs import Claim
from core.leading import Leader
from core.limits import Limits
from core.refusals import Fenced, JobdeckError, Trouble
from core.status import Status
from core.store_ports import Recovered, StoreWork
from core.when import format_duration, iso


@dataclass
class Done:
    """What a step has written, for the engine to act on once it is stored."""

    leader: Leader | None = None
    started: list[Run] = field(default_factory=list)
    told: list[Run] = field(default_factory=list)
    """Whose progress was written."""
    answers: list[tuple[Word, Answer]] = field(default_factory=list)
    parking: list[Run] = field(default_factory=list)
    ended: list[Run] = field(default_factory=list)
    lost: list[Run] = field(default_factory=list)
    stopping: list[Run] = field(default_factory=list)
    killing: list[Run] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    more: bool = False
    """Whether more could be claimed by another step."""
    broken: str | None = None
    """What could not be written although all else was, in words."""
    recovered: list[Recovered] | None = None
    next_due: datetime | None = None
    idle: bool = False
    events: list[Event] = field(default_factory=list)


class Step:
    """A transaction under way."""

    def __init__(self, hands: Hands, work: StoreWork, now: datetime, monotonic: float) -> None:
        self._hands = hands
        self._work = work
        self._now = now
        self._monotonic = monotonic
        self.done = Done()

    def take(self, *, claiming: bool) -> Done:
        """Write everything; the order is the order in which it happened."""
        hands, work = self._hands, self._work
        work.must_lead(hands.owner)
        if not hands.introduced:
            # First of all, so that what recovery does is told to those who are told now.
            work.know_targets(hands.terms.targets)
        if hands.changed:
            self._heed_the_operator()
        if self.done.leader is None and hands.beat_due(self._now, self._monotonic):
            self._beat(hands.limits)
        if hands.recovering is not None and not self._recover():
            return self.done
        for run in hands.unrecorded(self._monotonic):
            self._record_start(run)
        self._write_news()
        for word, run in hands.inbox:
            self._answer(word, run)
        for run in hands.over():
            if run not in self.done.lost:
                self._record_end(run)
        if self._something_is_due():
            self._follow_the_clock()
        if claiming:
            self.done.claims = list(work.claim(hands.owner, hands.terms.lease, self._limits, self._still_alive()))
            self.done.more = work.stopped_short
        if self.done.leader is not None:
            # At each beat: what never comes is no event that anything else would wake up for.
            work.watch_queue()
        self.done.next_due = work.next_due()
        left = len(hands.runs) - len(self.done.ended)
        busy = left or self.done.claims or self.done.more
        self.done.idle = claiming and not busy and not work.waits_for_retry()
        return self.done

    @property
    def _limits(self) -> Limits:
        return self._hands.limits if self.done.leader is None else self.done.leader.limits

    def _heed_the_operator(self) -> None:
        """What others have changed: the number of slots, stop requests, executions that they ended."""
        hands, work = self._hands, self._work
        slots = work.chosen_slots()
        settled = hands.terms.limits
        wanted = settled if slots is None else replace(settled, slots=slots)
        if wanted != hands.limits:
            self._beat(wanted)
        held = work.held_by(hands.owner)
        self.done.lost += [run for run in hands.runs.values() if run.exec_id not in held]
        self._heed_stop_requests()

    def _heed_stop_requests(self) -> None:
        hands, work = self._hands, self._work
        for request in work.stop_requests():
            run = hands.runs.get(request.exec_id)
            if run is not None and request.at_once:
                self.done.killing.append(run)
            elif run is not None and run.cause is None:
                self.done.stopping.append(run)
            elif request.elsewhere:
                work.stop_elsewhere(request.exec_id, hands.rng)

    def _beat(self, limits: Limits) -> None:
        hands = self._hands
        self.done.leader = self._work.beat(replace(hands.leader, limits=limits), hands.terms.lease)
        lost = set(self._work.keep(hands.runs, hands.owner, hands.terms.lease))
        self.done.lost += [run for run in hands.runs.values() if run.exec_id in lost and run not in self.done.lost]

    def _recover(self) -> bool:
        """Whether recovery is over; until the orphans have ended, nothing is settled and nothing starts."""
        recovering = self._hands.recovering
        if recovering is None:
            return True
        recovering.stop_orphans(self._work, self._monotonic)
        if recovering.orphans_left:
            return False
        self.done.recovered = list(recovering.settle(self._work))
        for one in self.done.recovered:
            self._tell("recover", one.did, one.job)
        return True

    def _record_start(self, run: Run) -> None:
        process = run.process
        if process is None or run in self.done.lost:
            return
        try:
            self._work.start(
                run.exec_id,
                self._hands.owner,
                pid=process.pid,
                pid_started=process.pid_started,
                boot_id=process.boot_id,
                log_path=run.log_path,
            )
        except Fenced:
            self.done.lost.append(run)
            return
        self.done.started.append(run)

    def _write_news(self) -> None:
        for run in self._hands.with_news(self._monotonic):
            if run.news is not None and run not in self.done.lost:
                try:
                    self._work.progress(run.exec_id, self._hands.owner, *run.news)
                except Fenced:
                    self.done.lost.append(run)
                self.done.told.append(run)

    def _answer(self, word: Word, run: Run) -> None:
        if run.process is not None and not run.recorded and run not in self.done.started:
            self._record_start(run)
        try:
            with self._work.by_itself():
                answer = carried_out(word, run, self._work, self._hands.owner, self._now)
        except Trouble:
            raise
        except JobdeckError as error:
            answer = {"error": str(error), "code": error.exit_code}
        if word.name == "gate" and answer.get("granted") is False:
            self.done.parking.append(run)
            self._tell("gate", f'stops at gate "{word.said.get("name")}"', run.claim.job.id)
        self.done.answers.append((word, answer))

    def _record_end(self, run: Run) -> None:
        try:
            with self._part():
                status = self._ended(run)
        except Fenced:
            self.done.lost.append(run)
            return
        except JobdeckError as error:
            if isinstance(error, Trouble) or not self._hands.careful:
                raise
            self.done.broken = f"the end of job {run.claim.job.id} can't be recorded: {error}"
            return
        self.done.ended.append(run)
        if status is not None:
            took = format_duration(timedelta(seconds=self._monotonic - run.spawned_at))
            self._tell("end", f"{status} after {took}", run.claim.job.id)

    def _ended(self, run: Run) -> str | None:
        work, owner = self._work, self._hands.owner
        came_to = verdict(run)
        match came_to:
            case None:
                return None
            case Good.FINISHED:
                return str(work.finish(run.exec_id, owner, 0))
            case Good.PARKED:
                return str(work.park(run.exec_id, owner))
            case Good.HANDED_OVER:
                status = work.hand_over(run.exec_id, owner, run.timeout or run.type.report_within, self._hands.rng)
                return "goes on elsewhere" if status is Status.RUNNING else str(status)
            case Failure():
                status = work.fail(run.exec_id, owner, came_to, self._hands.rng)
                return str(status) if status is Status.SUCCEEDED else f"{status} ({came_to.message})"

    def _something_is_due(self) -> bool:
        """Whether time has come to something; asked anew when others may have brought it."""
        due = self._work.next_due() if self._hands.changed else self._hands.next_due
        return due is not None and due <= self._now

    def _follow_the_clock(self) -> None:
        """Whatever has come due: each is safe to be asked for again."""
        work, rng = self._work, self._hands.rng
        work.expire_deadlines()
        work.wake_due()
        work.requeue_due()
        work.abort_expired(rng)
        work.expire_gates()
        work.expire_reservations(lambda _: False)
        fires = work.fire_due()
        if fires:
            # A schedule may have asked what it replaces to stop, and nobody else will tell of that.
            self._heed_stop_requests()
        for fired in fires:
            words = "fired" if fired.skipped is None else f"skipped: {fired.skipped}"
            self._tell("fire", f'schedule "{fired.schedule}" of {iso(fired.at)} {words}', fired.job)

    def _still_alive(self) -> set[tuple[str, str]]:
        """The jobs whose run someone else has ended while its process lives: none starts a second one beside it."""
        runs = [run for run in self._hands.runs.values() if run.cause is Cause.LOST or run in self.done.lost]
        return {(run.claim.job.job_type, run.claim.job.job_key) for run in runs if not run.over}

    def _part(self) -> AbstractContextManager[None]:
        return self._work.by_itself() if self._hands.careful else nullcontext()

    def _tell(self, kind: str, words: str, job: int | None = None) -> None:
        self.done.events.append(Event(self._now, kind, words, job))
