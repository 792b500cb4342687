"""An outbox in which something went wrong, the same every time."""

import json
from datetime import timedelta
from pathlib import Path

from core.notifications import Program, Told, Webhook
from store.rows import to_us
from store.store import Store
from tests.app.scene import NOW

TELL = """
INSERT INTO notifications (notification_id, event, target, job_id, created_at, attempts, next_attempt_at, failed_at,
                           last_error, payload)
VALUES (:id, :event, :target, (SELECT job_id FROM jobs WHERE id = :job), :at, :attempts, :next, :failed, :error,
        :payload)
"""
TARGETS = (
    Webhook("ops", url="https://hooks.example.com/x", secrets=(b"k" * 32,)),
    Program("pager", command=("/usr/local/bin/page",)),
    Webhook("audit", url="https://audit.example.com/x", secrets=(b"k" * 32,)),
)
MESSAGES = (
    (Told.JOB_FAILED, "pager", 9, 11, None, 60, "it ended with exit code 1", "job 9 (import feed-7) FAILED: bad input"),
    (Told.JOB_FAILED, "audit", 9, 1, None, 28, "it answered 410 Gone", "job 9 (import feed-7) FAILED: bad input"),
    (Told.JOB_FAILED, "ops", 9, 4, 12, None, "it did not answer within 15s", "job 9 (import feed-7) FAILED: bad input"),
    (Told.SCHEDULE_MISSED, "ops", None, 2, 1, None, "connection refused", 'schedule "nightly" has missed 3 fires'),
    (Told.APPROVAL_EXPIRING, "ops", 25, 0, 96, None, None, 'job 25 (deploy web-4.2) waits at gate "before-run"'),
)


def play_outbox(path: Path) -> None:
    """Put it into a store."""
    with Store(path) as store:
        with store.write("engine", NOW) as work:
            work.know_targets(TARGETS)
        for number, (event, target, job, attempts, later, ago, error, message) in enumerate(MESSAGES):
            store._connection.execute(
                TELL,
                {
                    "id": f"0196-{number:04}",
                    "event": event,
                    "target": target,
                    "job": job,
                    "at": to_us(NOW - timedelta(minutes=29)),
                    "attempts": attempts,
                    "next": None if later is None else to_us(NOW + timedelta(minutes=later)),
                    "failed": None if ago is None else to_us(NOW - timedelta(minutes=ago)),
                    "error": error,
                    "payload": json.dumps({"message": message}),
                },
            )
        with store.write("engine", NOW) as work:
            work.switch_off("audit", "it answered 410 Gone")
