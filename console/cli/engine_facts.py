"""What is known of the engine: from the store, and from the engine itself if it answers."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from console.cli.desk import Desk
from console.cli.jsonout import instant
from console.moments import exact
from core.leading import Leader
from core.when import iso

if TYPE_CHECKING:
    from store.views import RecoveryReport, Views

MOST_TOLD = 5


@dataclass(frozen=True)
class EngineFacts:
    """The engine of a store."""

    leader: Leader | None
    answer: dict[str, Any] | None
    """What it says of itself; None when it doesn't answer."""
    busy: int
    recovery: "RecoveryReport | None"

    @property
    def state(self) -> str:
        """One word for what it is doing."""
        if self.answer is not None:
            return str(self.answer["mode"])
        return "none" if self.leader is None else "silent"

    def as_json(self) -> dict[str, Any]:
        """For scripts."""
        leader, recovery = self.leader, self.recovery
        return {
            "state": self.state,
            "pid": None if leader is None else leader.pid,
            "host": None if leader is None else leader.host,
            "since": None if leader is None else instant(leader.since),
            "slots": None if leader is None else leader.limits.slots,
            "busy": self.busy,
            "trouble": None if self.answer is None else self.answer["trouble"],
            "last_recovery": None
            if recovery is None
            else {
                "at": iso(recovery.at),
                "jobs": [{"id": job, "did": did} for job, did in recovery.did],
                "more": recovery.more,
            },
        }

    def told(self, desk: Desk) -> Iterator[tuple[str, str]]:
        """For people."""
        leader = self.leader
        if leader is None:
            yield "engine", "none; start one with: jobdeck serve"
        elif self.answer is None:
            yield "engine", f"pid {leader.pid} on {leader.host} led and does not answer; another one will take over"
        else:
            since = exact(leader.since, desk.zone, desk.now)
            yield "engine", f"{self.state}, pid {leader.pid} on {leader.host}, since {since}"
            yield "slots", f"{self.busy:,} of {leader.limits.slots:,} busy"
            yield "trouble", str(self.answer["trouble"] or "")
        if self.recovery is not None:
            total = len(self.recovery.did) + self.recovery.more
            yield "recovery", f"{exact(self.recovery.at, desk.zone, desk.now)}: {total:,} settled"
            for job, did in self.recovery.did[:MOST_TOLD]:
                yield "", f"job {job}: {did}"
            if total > MOST_TOLD:
                yield "", f"and {total - MOST_TOLD:,} more; status --json names them"


def engine_facts(views: "Views", desk: Desk) -> EngineFacts:
    """What the store and the engine say now."""
    leader = views.leader()
    return EngineFacts(
        leader,
        None if leader is None else _asked(desk),
        views.usage().total,
        views.last_recovery(),
    )


def _asked(desk: Desk) -> dict[str, Any] | None:
    import json

    from core.machine.wire import SOCKET, connected

    try:
        with connected(desk.places.run / SOCKET, timeout=1.0) as line:
            line.sendall(b'{"ask": "status"}\n')
            with line.makefile("rb") as answers:
                answer = json.loads(answers.readline(65_536))
    except (OSError, ValueError):
        return None
    return answer if isinstance(answer, dict) and "mode" in answer else None
