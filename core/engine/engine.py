"""The engine: one thread, one method `step(now) -> next wake-up`; time, processes and the store come from outside."""

import secrets
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from enum import Enum
from random import Random

from core.classify import ErrorType, Failure, classify_spawn
from core.engine.candidacy import ENGINE, Lead
from core.engine.events import Event
from core.engine.hands import LOOK_AGAIN, NEWS_EVERY, Hands
from core.engine.recovering import Recovering
from core.engine.run import Cause, Run
from core.engine.spawning import spawn_of
from core.engine.step import Done, Step
from core.engine.terms import SHORT_GRACE, Terms
from core.engine.words import Word, at_once, known
from core.jobs import Claim
from core.owners import Owner
from core.ports import Clock, LeadLock, ProcessRunner
from core.refusals import BadInput, Deposed, JobdeckError, Trouble
from core.store_ports import Store

TEND_EVERY = 5.0
"""Seconds between two looks at the size of the logs."""


class Mode(Enum):
    """What an engine is doing."""

    RECOVERING = "recovering"
    LEADING = "leading"
    DRAINING = "draining"
    STOPPED = "stopped"


class Engine:
    """Runs the jobs of the store that it leads."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        runner: ProcessRunner,
        lock: LeadLock,
        terms: Terms,
        lead: Lead,
        alive: Callable[[Owner], bool],
        rng: Random,
        tell: Callable[[Event], None] = lambda _: None,
    ) -> None:
        self._store = store
        self._clock = clock
        self._runner = runner
        self._lock = lock
        recovering = Recovering(runner, lambda owner: lead.is_dead(owner, alive), rng, same_store=lead.same_store)
        self._hands = Hands(lead, lead.leader, terms, lead.leader.limits, rng, tell, recovering, lead.leader.until)
        self._hands.beat_at = clock.monotonic() + terms.lease.total_seconds() / 3
        self._tend_at = 0.0
        self._drain_until: float | None = None
        self._backoff = 0.0
        self.mode = Mode.RECOVERING
        self.trouble: str | None = None
        """Why the store could not be written the last time, in words."""
        self.idle = False
        """Whether nothing runs and nothing that is queued could run now."""
        self.deposed = False
        """Whether another engine has taken the lead."""

    @property
    def runs(self) -> dict[str, Run]:
        """What runs now, by execution."""
        return self._hands.runs

    def hear(self, word: Word) -> None:
        """Take in what a running job says; what needs the store is answered once it is stored."""
        try:
            run = known(word, self._hands.runs)
            answer = at_once(word, run)
            run.heard_at = self._clock.monotonic()
        except JobdeckError as error:
            answer = {"error": str(error), "code": error.exit_code}
        if answer is None:
            self._hands.inbox.append((word, run))
        else:
            word.reply(answer)

    def adopt(self, terms: Terms) -> None:
        """Work under other terms from the next step on; what runs goes on under those that it was started with.

        The lease stays: others count on it to tell a leader that stands still from one that is well.
        """
        self._hands.terms = replace(terms, lease=self._hands.terms.lease)
        self._hands.introduced = False
        self._hands.changed = True

    def drain(self, grace: timedelta) -> None:
        """Start nothing more; whatever still runs after the grace is stopped."""
        if self.mode is not Mode.STOPPED:
            self.mode = Mode.DRAINING
            self._drain_until = self._clock.monotonic() + grace.total_seconds()

    def stop_now(self) -> None:
        """Stop what runs at once, and record it."""
        self.drain(timedelta(0))
        for run in self._hands.runs.values():
            run.stop(Cause.SHUTDOWN, self._clock.monotonic(), timedelta(0))

    def step(self, now: datetime) -> datetime | None:
        """Do all that is to be done now; when to come back at the latest, None when it is over."""
        if self.mode is Mode.STOPPED:
            return None
        monotonic = self._clock.monotonic()
        self._look_after_runs(monotonic)
        try:
            self._hands.changed |= self._store.changed()
            if self._hands.called_for(now, monotonic):
                with self._store.write(ENGINE, now) as work:
                    done = Step(self._hands, work, now, monotonic).take(claiming=self._claiming)
                self._act_on(done, now, monotonic)
                if done.broken is not None:
                    return self._troubled(now, done.broken)
            if self.mode is Mode.DRAINING and not self._hands.runs:
                self._resign(now)
                return None
        except Deposed as error:
            self._abdicate(now, str(error))
            return None
        except Trouble as error:
            return self._troubled(now, str(error))
        # Once the grace of a drain is over, all that runs was told to end, and there is nothing more to come back for.
        drain_until = None if self._drain_until is None or monotonic >= self._drain_until else self._drain_until
        return self._hands.wake_up(now, self._clock.monotonic(), (self._tend_at, drain_until))

    def broke_down(self, now: datetime, error: Exception) -> datetime:
        """After a defect: go on, each part of the next step by itself, so that one can't block the others."""
        self._hands.careful = True
        return self._troubled(now, f"something went wrong that should not have ({type(error).__name__}: {error})")

    def abandon(self) -> None:
        """Kill every process at once without recording anything; for an engine whose store is lost to it."""
        for run in self._hands.runs.values():
            if run.process is not None:
                run.process.kill()
        self._hands.runs.clear()
        self.mode = Mode.STOPPED
        self._lock.release()

    @property
    def _claiming(self) -> bool:
        """Whether a slot may be free; one that the operator has just added shows only in the transaction."""
        hands = self._hands
        if self.mode is Mode.DRAINING:
            return False
        busy = sum(not run.over for run in hands.runs.values())
        return busy < hands.limits.slots or hands.changed

    def _look_after_runs(self, monotonic: float) -> None:
        """Notice what has ended, stop what has gone on for too long, press what was asked to end."""
        grace = self._hands.terms.grace
        tending = monotonic >= self._tend_at
        for run in self._hands.runs.values():
            process = run.process
            if process is None:
                continue
            if run.exit_code is None:
                run.exit_code = process.exited()
                if run.exit_code is not None and not process.gone() and run.kill_at is None:
                    # Its first process has ended by itself; what it left behind may not outlive it.
                    run.kill_at = monotonic + SHORT_GRACE.total_seconds()
                    process.terminate()
            overdue = run.overdue(monotonic)
            if overdue is not None:
                run.stop(overdue, monotonic, grace)
            if self._drain_until is not None and monotonic >= self._drain_until and run.exit_code is None:
                run.stop(Cause.SHUTDOWN, monotonic, grace)
            run.press(monotonic)
            if tending:
                process.tend()
        if tending:
            self._tend_at = monotonic + TEND_EVERY

    def _act_on(self, done: Done, now: datetime, monotonic: float) -> None:
        """Everything is stored: now let the world know."""
        hands = self._hands
        if done.broken is None:
            self.trouble, self._backoff, hands.careful = None, 0.0, False
        self.idle = done.idle
        hands.inbox.clear()
        hands.introduced = True
        hands.changed = False
        hands.look = done.recovered is not None or done.more
        if done.recovered is not None:
            hands.recovering = None
            self.mode = Mode.LEADING if self.mode is Mode.RECOVERING else self.mode
        if done.leader is not None:
            # Whoever stood still with the lock may have gone; from the next beat on the store says who has it.
            hands.leader = replace(done.leader, locked=done.leader.locked or self._lock.acquire())
            hands.limits = done.leader.limits
            hands.kept_until = done.leader.until
            hands.beat_at = monotonic + hands.terms.lease.total_seconds() / 3
        hands.next_due = done.next_due if done.next_due is None or done.next_due > now else now + LOOK_AGAIN
        for word, answer in done.answers:
            word.reply(answer)
        self._update_runs(done, monotonic)
        for event in done.events:
            hands.tell(event)
        for claim in done.claims:
            hands.kept_until = min(hands.kept_until, claim.lease_expires_at)
            if self._clock.monotonic() - monotonic >= hands.terms.lease.total_seconds():
                # It stood still since it claimed, so another may have taken its place and these jobs; if none has,
                # their leases run out by themselves.
                break
            self._launch(claim, now)

    def _update_runs(self, done: Done, monotonic: float) -> None:
        hands, grace = self._hands, self._hands.terms.grace
        for run in done.started:
            run.recorded = True
        for run in done.told:
            run.news = None
            hands.news_at = monotonic + NEWS_EVERY
        for runs, cause in ((done.parking, Cause.GATE), (done.stopping, Cause.CANCEL), (done.lost, Cause.LOST)):
            for run in runs:
                run.stop(cause, monotonic, grace)
        for run in done.killing:
            run.stop(Cause.CANCEL, monotonic, timedelta(0))
        for run in (*done.ended, *(run for run in done.lost if run.process is None or run.over)):
            hands.runs.pop(run.exec_id, None)

    def _launch(self, claim: Claim, now: datetime) -> None:
        """Start the process of a claim that is stored; if that fails, its failure is recorded with the next step."""
        hands = self._hands
        kind = hands.terms.type_named(claim.job.job_type)
        begun = self._clock.monotonic()
        run = Run(claim, kind, secrets.token_hex(16), spawned_at=begun, heard_at=begun)
        hands.runs[run.exec_id] = run
        try:
            spawn = spawn_of(run, hands.terms)
        except BadInput as error:
            run.spawn_failure = Failure(str(error), ErrorType.TERMINAL)
            return
        run.log_path = str(spawn.log_path)
        try:
            run.process = self._runner.spawn(spawn)
        except OSError as error:
            run.spawn_failure = classify_spawn(error, spawn.argv[0], spawn.cwd)
            return
        again = f", again after gate {claim.resumed_gate!r}" if claim.resumed_gate else ""
        words = f"started as pid {run.process.pid}, attempt {claim.attempt}{again}"
        hands.tell(Event(now, "start", words, claim.job.id))

    def _troubled(self, now: datetime, words: str) -> datetime:
        """The store can't be written: keep everything, and try again a little later each time."""
        if words != self.trouble:
            self.trouble = words
            self._hands.tell(Event(now, "trouble", words))
        self.idle = False
        self._backoff = min(5.0, self._backoff * 2 or 0.25)
        return now + timedelta(seconds=self._backoff)

    def _resign(self, now: datetime) -> None:
        with self._store.write(ENGINE, now) as work:
            work.resign(self._hands.owner)
        self.mode = Mode.STOPPED
        self._lock.release()
        self._hands.tell(Event(now, "stop", "stopped; nothing runs any more"))

    def _abdicate(self, now: datetime, words: str) -> None:
        """Another leads: whatever this one still runs counts for nothing and ends here."""
        self.deposed = True
        self._hands.tell(Event(now, "stop", words))
        self.abandon()
