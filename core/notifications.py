"""Notifications: what is told, to which targets, in which words, and when a delivery is tried again."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from random import Random
from typing import ClassVar
from urllib.parse import urlsplit

from core.jobs import Json
from core.when import iso


class Told(StrEnum):
    """What can be told, by the names that targets choose from."""

    JOB_FAILED = "job.failed"
    """A job has failed for good; nothing tries it again by itself."""
    RECOVERY_ACTED = "recovery.acted"
    """An engine has settled what a dead one left behind."""
    APPROVAL_WANTED = "approval.wanted"
    """A job waits at a gate."""
    APPROVAL_EXPIRING = "approval.expiring"
    """A gate will soon fail its job, because nobody has answered."""
    SCHEDULE_SKIPPED = "schedule.skipped"
    """An instant of a schedule came due and made no job."""
    SCHEDULE_MISSED = "schedule.missed"
    """Instants of a schedule passed while no engine ran."""
    QUEUE_STUCK = "queue.stuck"
    """Jobs are ready, and none has started for much longer than usual."""


TEST = "target.test"
"""What `notify test` sends; no target can refuse to hear it."""

MOST_TARGETS = 50

DELAYS = (
    timedelta(seconds=5),
    timedelta(seconds=30),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
    timedelta(hours=20),
    timedelta(hours=24),
)
"""How long after each failed attempt the next one comes: three days in all, then it counts as failed."""

MOST_WARNING = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class Notification:
    """One thing to be told to one target."""

    id: int
    notification_id: str
    """What the receiver knows it by, however often it is delivered."""
    event: str
    target: str
    job: int | None
    """The number of the job that it is about."""
    created_at: datetime
    attempts: int
    next_attempt_at: datetime | None
    """When it is tried next; None once it was delivered or given up."""
    delivered_at: datetime | None
    failed_at: datetime | None
    """When it was given up."""
    last_error: str | None
    payload: Mapping[str, Json]
    """What is told; a gate's token is never in it."""

    @property
    def message(self) -> str:
        """The sentence for people."""
        return str(self.payload.get("message", self.event))

    @property
    def approval_id(self) -> str | None:
        """The gate whose token belongs to it."""
        found = self.payload.get("approval_id")
        return found if isinstance(found, str) else None

    @property
    def state(self) -> str:
        """`delivered`, `failed`, `retrying`, or `pending` while nothing has been tried."""
        if self.delivered_at is not None:
            return "delivered"
        if self.failed_at is not None:
            return "failed"
        return "retrying" if self.attempts else "pending"


@dataclass(frozen=True, slots=True)
class Target:
    """Someone who is told; see the three kinds below."""

    name: str
    events: frozenset[str] = frozenset(Told)
    timeout: timedelta = timedelta(seconds=15)

    at_once: ClassVar[bool] = False
    """Whether it counts as told the moment it happens, because consoles look for it by themselves."""

    @property
    def where(self) -> str:
        """Where it goes, in words that give no secret away."""
        raise NotImplementedError

    @property
    def mark(self) -> str:
        """What differs once it goes elsewhere, so that a switched-off target that was moved is tried again."""
        return ""


@dataclass(frozen=True, slots=True)
class Webhook(Target):
    """An HTTP receiver, after Standard Webhooks 1.0."""

    # The path of an address often is a secret itself.
    url: str = field(default="", repr=False)
    secrets: tuple[bytes, ...] = field(default=(), repr=False)
    """The keys of its signatures; several while they are exchanged."""
    allow_private: bool = False
    """Whether it may be on this machine or in its own network."""
    ca: str | None = None
    """A file of certificates to trust instead of the system's."""

    @property
    def where(self) -> str:
        """The scheme and the host."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}"

    @property
    def mark(self) -> str:
        """A digest of its address."""
        return sha256(self.url.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Program(Target):
    """A command that gets the notification as JSON on its standard input."""

    command: tuple[str, ...] = ()

    @property
    def where(self) -> str:
        """The program, without its arguments."""
        return self.command[0]


class Signal(StrEnum):
    """How a terminal is told."""

    BELL = "bell"
    """Its bell."""
    OSC9 = "osc9"
    """A notification of the desktop, by terminals that know OSC 9."""


@dataclass(frozen=True, slots=True)
class Terminal(Target):
    """The terminals of the consoles that are open."""

    signal: Signal = Signal.BELL

    at_once: ClassVar[bool] = True

    @property
    def where(self) -> str:
        """Every console."""
        return f"open consoles ({self.signal})"


def next_attempt(attempts: int, now: datetime, rng: Random) -> datetime | None:
    """When a delivery that has failed so often is tried again; None when it is given up."""
    if attempts > len(DELAYS):
        return None
    # Spread a little, so that what failed together does not come back together.
    return now + DELAYS[max(0, attempts - 1)] * (1 + 0.1 * rng.random())


def warn_at(requested_at: datetime, expires_at: datetime) -> datetime:
    """When a gate counts as about to expire: in its last quarter, and within its last quarter of an hour."""
    return expires_at - min(MOST_WARNING, (expires_at - requested_at) / 4)


def body(notification: Notification, host: str, token: str | None) -> dict[str, Json]:
    """What the receiver gets; this is the only place where a gate's token leaves the process."""
    data: dict[str, Json] = dict(notification.payload)
    if token is not None:
        data["token"] = token
    return {
        "type": notification.event,
        "timestamp": iso(notification.created_at),
        "id": notification.notification_id,
        "host": host,
        "data": data,
    }


def trial(target: str, notification_id: str, now: datetime) -> Notification:
    """What `notify test` sends; it is kept nowhere."""
    payload = {"message": "this is a test: jobdeck can reach this target"}
    return Notification(0, notification_id, TEST, target, None, now, 0, now, None, None, None, payload)


@dataclass(frozen=True, slots=True)
class Delivery:
    """What one attempt came to."""

    error: str | None = None
    """Why it failed, in words that hold nothing of what was sent or answered; None when it was delivered."""
    gone: bool = False
    """Whether the receiver wants to hear nothing more."""
