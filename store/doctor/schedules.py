"""Whether each schedule can be fired, at an instant of its own, and whether what fired is noted."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from core.refusals import BadInput
from store.doctor.findings import Finding
from store.operations.schedules import cron_of
from store.rows import Row, from_us

SCHEDULES = """
SELECT s.*, t.name AS template_name, t.removed_at AS template_removed_at
FROM schedules s LEFT JOIN job_templates t ON t.template_id = s.template_id WHERE s.removed_at IS NULL ORDER BY s.id
"""
LAST_FIRED = """
SELECT id, fire_time FROM jobs WHERE schedule_id = :schedule_id AND fire_time IS NOT NULL AND retry_of IS NULL
ORDER BY fire_time DESC LIMIT 1
"""
FIRED = """
SELECT count(*) AS n FROM jobs WHERE schedule_id = :schedule_id AND fire_time IS NOT NULL AND retry_of IS NULL
"""


def schedules(connection: Any) -> Iterator[Finding]:
    """Schedules that would fire at the wrong time, twice, or not at all."""
    for row in connection.execute(SCHEDULES).fetchall():
        subject = f'schedule "{row["name"]}"'
        for words in (*_next(row), *_fired(connection, row)):
            yield Finding(subject, words)
        if row["template_removed_at"] is not None:
            yield Finding(subject, f'its template "{row["template_name"]}" was removed')


def _fired(connection: Any, row: Row) -> Iterator[str]:
    latest = connection.execute(LAST_FIRED, {"schedule_id": row["schedule_id"]}).fetchone()
    if latest is not None and (row["last_triggered_at"] is None or latest["fire_time"] > row["last_triggered_at"]):
        yield f"job {latest['id']} was fired after what is noted as its last trigger"
    # Jobs may have been deleted since, so there may be fewer of them but never more.
    jobs = connection.execute(FIRED, {"schedule_id": row["schedule_id"]}).fetchone()["n"]
    if jobs > row["fired_count"]:
        yield f"it counts {row['fired_count']} fires, but has fired {jobs} jobs"


def _next(row: Row) -> Iterator[str]:
    try:
        cron = cron_of(row["cron_expression"], row["timezone"])
    except BadInput as error:
        yield f"it can't be fired: {error}"
        return
    if not row["enabled"] or row["next_trigger_at"] is None:
        return
    try:
        noted = from_us(row["next_trigger_at"])
        right = cron.next_after(noted - timedelta(microseconds=1)) == noted
    except (BadInput, OverflowError):
        yield f"its next trigger, {row['next_trigger_at']}, lies outside the calendar"
        return
    if not right:
        yield f"its next trigger, {noted:%Y-%m-%d %H:%M:%S} UTC, is no instant of {row['cron_expression']}"
