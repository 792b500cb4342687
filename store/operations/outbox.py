"""The outbox: what happens is written down for those who want to hear it, in the transaction in which it happens."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from core.bounds import DELIVERY_ERROR_LIMIT
from core.ids import uuid7
from core.jobs import Json
from core.notifications import Target, Told
from core.refusals import NoSuchThing, Refused
from store.operations.settings import Settings
from store.rows import Row, dump, to_us
from store.views.outbox import LISTENERS

KEPT = timedelta(days=30)
"""What was delivered or given up is kept for so long."""

PUT = """
INSERT INTO notifications (notification_id, event, target, job_id, created_at, next_attempt_at, delivered_at, payload)
VALUES (:notification_id, :event, :target, :job_id, :now, :next_attempt_at, :delivered_at, :payload)
"""
DELIVERED = """
UPDATE notifications SET attempts = attempts + 1, delivered_at = :now, next_attempt_at = NULL, last_error = NULL
WHERE id = :id AND next_attempt_at IS NOT NULL
"""
TRY_AGAIN = """
UPDATE notifications SET attempts = attempts + 1, next_attempt_at = :at, last_error = :error
WHERE id = :id AND next_attempt_at IS NOT NULL
"""
GIVE_UP = """
UPDATE notifications SET attempts = attempts + 1, next_attempt_at = NULL, failed_at = :now, last_error = :error
WHERE id = :id AND next_attempt_at IS NOT NULL
"""
GIVE_UP_ALL = """
UPDATE notifications SET next_attempt_at = NULL, failed_at = :now, last_error = :error
WHERE target = :target AND next_attempt_at IS NOT NULL
"""
AGAIN = """
UPDATE notifications SET next_attempt_at = :now, failed_at = NULL, attempts = 0, last_error = NULL
WHERE id = :id AND delivered_at IS NULL
"""
ONE = "SELECT id, target, delivered_at FROM notifications WHERE id = :id"
ALL_AGAIN = """
UPDATE notifications SET next_attempt_at = :now, failed_at = NULL, attempts = 0, last_error = NULL
WHERE target = :target AND delivered_at IS NULL AND (failed_at IS NOT NULL OR attempts > 0)
RETURNING id
"""
AWAITED = "SELECT DISTINCT target FROM notifications WHERE next_attempt_at IS NOT NULL"
FORGET_DELIVERED = """
DELETE FROM notifications WHERE id IN (
    SELECT id FROM notifications WHERE delivered_at IS NOT NULL AND delivered_at < :before
    ORDER BY delivered_at LIMIT :limit)
"""
FORGET_FAILED = """
DELETE FROM notifications WHERE id IN (
    SELECT id FROM notifications WHERE failed_at IS NOT NULL AND failed_at < :before ORDER BY failed_at LIMIT :limit)
"""


class Outbox(Settings):
    """Writing down what is to be told, and what became of telling it."""

    _heard: Mapping[str, Json] | None = None

    def announce(
        self,
        event: Told,
        message: str,
        facts: Mapping[str, Json],
        job_id: str | None = None,
        at: datetime | None = None,
    ) -> None:
        """Have everyone told who wants to hear of it, now or at a later instant."""
        for name, wish in self._listeners().items():
            if event not in wish["events"] or wish["off"] is not None:
                continue
            told_already = wish["at_once"] and at is None
            self.run(
                PUT,
                notification_id=uuid7(self.now_us // 1000),
                event=event,
                target=name,
                job_id=job_id,
                next_attempt_at=None if told_already else to_us(at or self.now),
                delivered_at=self.now_us if told_already else None,
                payload=dump({"message": message, **facts}),
            )
            self._forget_old()

    def announce_failure(self, job_id: str, words: str) -> None:
        """A job has failed for good."""
        if self.hears(Told.JOB_FAILED):
            job = self.job_row(job_id)
            message = f"{job_words(job)} FAILED: {words}"
            facts = {**job_facts(job), "error": job["error_message"], "error_type": job["error_type"]}
            self.announce(Told.JOB_FAILED, message, facts, job_id)

    def hears(self, event: Told) -> bool:
        """Whether anyone wants to hear of it."""
        return any(event in wish["events"] for wish in self._listeners().values())

    def know_targets(self, targets: Iterable[Target]) -> None:
        """From here on these are told, and nobody else; one that was switched off stays so until it moves."""
        before = self._listeners()
        now = {
            one.name: {
                "events": sorted(one.events),
                "mark": one.mark,
                "at_once": one.at_once,
                "off": _still_off(before.get(one.name), one),
            }
            for one in targets
        }
        self._listen(now)
        for row in self.all(AWAITED):
            if row["target"] not in now:
                words = f"the config has no target {row['target']} any more"
                self.run(GIVE_UP_ALL, target=row["target"], error=words)

    def note_delivered(self, number: int) -> None:
        """It has arrived."""
        self.run(DELIVERED, id=number)

    def note_failure(self, number: int, error: str, again_at: datetime | None) -> None:
        """It has not arrived: when it is tried again, or None to give it up."""
        error = error[:DELIVERY_ERROR_LIMIT]
        if again_at is None:
            self.run(GIVE_UP, id=number, error=error)
        else:
            self.run(TRY_AGAIN, id=number, error=error, at=to_us(again_at))

    def switch_off(self, target: str, why: str) -> None:
        """Tell that target nothing more, and give up what was waiting for it."""
        listeners = dict(self._listeners())
        if target in listeners:
            listeners[target] = {**listeners[target], "off": why}
            self._listen(listeners)
        self.run(GIVE_UP_ALL, target=target, error=f"the target is switched off: {why}")

    def switch_on(self, target: str) -> bool:
        """Tell that target again; False when it was not switched off."""
        listeners = dict(self._listeners())
        if target not in listeners or listeners[target]["off"] is None:
            return False
        listeners[target] = {**listeners[target], "off": None}
        self._listen(listeners)
        return True

    def tell_again(self, number: int) -> str:
        """Deliver it now, with all its attempts before it again; the name of its target."""
        row = self.one(ONE, id=number)
        if row is None:
            raise NoSuchThing(f"there is no notification {number}; see: jobdeck notify list --all")
        if row["delivered_at"] is not None:
            raise Refused(f"notification {number} was delivered to {row['target']} already")
        if row["target"] not in self._listeners():
            raise Refused(
                f"notification {number} was for {row['target']}, which no engine has in its config; "
                "put it there, and try again once an engine has read it"
            )
        self.run(AGAIN, id=number)
        self.switch_on(row["target"])
        return str(row["target"])

    def tell_all_again(self, target: str | None = None) -> list[int]:
        """Deliver now whatever could not be delivered, to one target or to all that are known; their numbers."""
        known = self._listeners()
        if target is not None and target not in known:
            raise NoSuchThing(f"no engine has a target {target} in its config; see: jobdeck notify list")
        again = []
        for name in known if target is None else (target,):
            found = [int(row["id"]) for row in self.all(ALL_AGAIN, target=name)]
            if found or target is not None:
                self.switch_on(name)
            again += found
        return sorted(again)

    def _listeners(self) -> Mapping[str, Json]:
        if self._heard is None:
            self._heard = self.setting(LISTENERS) or {}
        return self._heard

    def _listen(self, listeners: Mapping[str, Json]) -> None:
        if listeners != self._listeners():
            self.set_setting(LISTENERS, dict(listeners))
            self._heard = listeners

    def _forget_old(self) -> None:
        before = to_us(self.now - KEPT)
        self.run(FORGET_DELIVERED, before=before, limit=100)
        self.run(FORGET_FAILED, before=before, limit=100)


def job_facts(row: Row) -> dict[str, Json]:
    """What is told of a job: enough to know which one it is, and nothing that it was given."""
    named = row["job_key"] != row["job_id"]
    return {
        "job": row["id"],
        "job_id": row["job_id"],
        "job_type": row["job_type"],
        "job_key": row["job_key"] if named else None,
        "attempt": row["attempt"],
        "submitted_by": row["created_by"],
    }


def job_words(row: Row) -> str:
    """How a sentence calls a job."""
    key = f" {row['job_key']}" if row["job_key"] != row["job_id"] else ""
    return f"job {row['id']} ({row['job_type']}{key})"


def _still_off(before: Json, target: Target) -> Json:
    return before["off"] if before is not None and before["mark"] == target.mark else None
