"""What the engine asks of a store: transactions, and the steps that can be taken in one."""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta
from random import Random
from typing import Protocol

from core.classify import Failure
from core.jobs import Approval, Claim, Execution, Job, Json, Reservation, StopRequest
from core.leading import Leader
from core.limits import Limits
from core.outbox_ports import OutboxViews, Telling
from core.status import Status

IsDead = Callable[[str], bool]
"""Whether the owner of a lease or a reservation is known to be gone."""


class Recovered(Protocol):
    """What recovery did about one job."""

    @property
    def job(self) -> int:
        """The job's number."""
        ...

    @property
    def did(self) -> str:
        """What was done, in words."""
        ...


class Fired(Protocol):
    """What became of one instant of a schedule."""

    @property
    def schedule(self) -> str:
        """The schedule's name."""
        ...

    @property
    def job(self) -> int | None:
        """The number of the job that it made, None if it made none."""
        ...

    @property
    def at(self) -> datetime:
        """The instant that came due."""
        ...

    @property
    def skipped(self) -> str | None:
        """Why it made no job, in words."""
        ...


class Dispatching(Protocol):
    """Steps that start jobs, or make them ready to start."""

    def claim(
        self, owner: str, lease: timedelta, limits: Limits, apart_from: Collection[tuple[str, str]] = ...
    ) -> Sequence[Claim]:
        """Fill the free slots, without jobs of these types and keys: each claim is a RUNNING job with its execution."""
        ...

    @property
    def stopped_short(self) -> bool:
        """Whether the last claim has left jobs that another transaction should look at."""
        ...

    def wake_due(self, limit: int = ...) -> int:
        """Make ready the jobs whose scheduled time has come; how many there were."""
        ...

    def requeue_due(self, limit: int = ...) -> int:
        """Queue again the jobs whose backoff has elapsed; how many there were."""
        ...

    def fire_due(self, limit: int = ...) -> Sequence[Fired]:
        """Turn the schedules' due instants into jobs."""
        ...


class Executing(Protocol):
    """Steps of one execution; each is refused as fenced once its lease is lost."""

    def start(
        self,
        exec_id: str,
        owner: str,
        *,
        pid: int | None = None,
        pid_started: int | None = None,
        boot_id: str | None = None,
        log_path: str | None = None,
    ) -> None:
        """Its process runs."""
        ...

    def checkpoint(self, exec_id: str, owner: str, value: Json) -> None:
        """Keep where the job stands, for its next attempt."""
        ...

    def progress(self, exec_id: str, owner: str, share: float | None, text: str | None = None) -> None:
        """Note how far it has come."""
        ...

    def add_artifact(self, exec_id: str, owner: str, path: str) -> None:
        """Note something that it made."""
        ...

    def commit(self, exec_id: str, owner: str, result: Json = None) -> None:
        """Cross the boundary behind which it never runs again."""
        ...

    def finish(self, exec_id: str, owner: str, exit_code: int = 0, result: Json = None) -> Status:
        """It ended well; what its job has become."""
        ...

    def fail(self, exec_id: str, owner: str, failure: Failure, rng: Random) -> Status:
        """It failed; what its job has become."""
        ...

    def request_gate(
        self,
        exec_id: str,
        owner: str,
        name: str,
        message: str,
        *,
        four_eyes: bool = False,
        expires_at: datetime | None = None,
    ) -> Approval | None:
        """Ask for approval; None when that gate was granted before."""
        ...

    def park(self, exec_id: str, owner: str) -> Status:
        """It stopped at its gate; what its job has become."""
        ...


class Leading(Protocol):
    """Steps of the one engine that leads."""

    def leader(self) -> Leader | None:
        """Who leads now."""
        ...

    def take_lead(self, leader: Leader, slots: int | None) -> None:
        """Lead from now on, with that number of slots if one was asked for."""
        ...

    def chosen_slots(self) -> int | None:
        """The number of slots that someone has chosen meanwhile."""
        ...

    def must_lead(self, owner: str) -> None:
        """Raise Deposed unless that engine leads."""
        ...

    def beat(self, leader: Leader, lease: timedelta) -> Leader:
        """Show that the leader is still there."""
        ...

    def keep(self, exec_ids: Iterable[str], owner: str, lease: timedelta) -> Sequence[str]:
        """Prolong what the leader runs; those that ended meanwhile come back and must be stopped."""
        ...

    def held_by(self, owner: str) -> Collection[str]:
        """The live executions under that owner's leases."""
        ...

    def resign(self, owner: str) -> bool:
        """Give the lead up."""
        ...


class Settling(Protocol):
    """Steps that time or a death brings about, each safe to take again."""

    def abort_expired(self, rng: Random, limit: int = ...) -> Sequence[int]:
        """End executions whose lease ran out; the numbers of their jobs."""
        ...

    def expire_deadlines(self, limit: int = ...) -> Sequence[int]:
        """Fail jobs that were not started in time; their numbers."""
        ...

    def expire_gates(self, limit: int = ...) -> Sequence[int]:
        """Fail jobs whose gate nobody answered in time; their numbers."""
        ...

    def expire_reservations(self, dead: IsDead) -> Sequence[str]:
        """End reservations that ran out or whose owner is gone; their ids."""
        ...

    def active_reservation(self) -> Reservation | None:
        """The reservation that stands now, if one does."""
        ...

    def release_reservation(self, reservation_id: str) -> bool:
        """Give the slot back to the queue; False when it was given back already."""
        ...

    def recover(self, dead: IsDead, rng: Random) -> Sequence[Recovered]:
        """Settle what a dead engine left behind."""
        ...

    def left_behind(self, dead: IsDead) -> Sequence[Execution]:
        """The executions of dead engines whose processes must be stopped before their jobs go on."""
        ...

    def stop_requests(self) -> Sequence[StopRequest]:
        """The executions whose jobs were asked to stop."""
        ...

    def hand_over(self, exec_id: str, owner: str, within: timedelta, rng: Random) -> Status:
        """What it started goes on elsewhere, and someone has to report within that time; what its job has become."""
        ...

    def stop_elsewhere(self, exec_id: str, rng: Random) -> Status:
        """Cancel what goes on elsewhere."""
        ...

    def waits_for_retry(self) -> bool:
        """Whether a job waits for its next attempt."""
        ...

    def next_due(self) -> datetime | None:
        """When the clock has something to do next."""
        ...

    def job(self, ref: int | str) -> Job:
        """A job as it stands."""
        ...

    def by_itself(self) -> AbstractContextManager[None]:
        """A part of the transaction that may fail without taking the rest with it."""
        ...


class StoreWork(Leading, Dispatching, Executing, Settling, Telling, Protocol):
    """One transaction of the engine's."""


class StoreViews(OutboxViews, Protocol):
    """One consistent look of the engine's."""

    def leader(self) -> Leader | None:
        """Who leads now."""
        ...


class Store(Protocol):
    """The durable truth."""

    def read(self, now: datetime | None = None) -> AbstractContextManager[StoreViews]:
        """One consistent look."""
        ...

    def write(self, actor: str, now: datetime | None = None) -> AbstractContextManager[StoreWork]:
        """One transaction: all of it is stored when the block ends, or none of it."""
        ...

    def changed(self) -> bool:
        """Whether another process has committed since this was last asked."""
        ...

    def token_of(self, approval_id: str) -> str:
        """The token that answers a gate, for someone who may read the key file."""
        ...

    def close(self) -> None:
        """Give it back."""
        ...
