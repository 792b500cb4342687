"""What is planned: schedules, templates, and what the clock will bring next."""

from collections.abc import Iterator

from core.jobs import Schedule, Template
from core.refusals import NoSuchThing
from store.rows import from_us, schedule_of
from store.template_rows import template_of
from store.tx import Tx
from store.views.values import NextEvent

TEMPLATE = "SELECT * FROM job_templates WHERE removed_at IS NULL AND name = :name"
SCHEDULE = """
SELECT s.*, t.name AS template_name FROM schedules s JOIN job_templates t ON t.template_id = s.template_id
WHERE s.removed_at IS NULL AND s.name = :name
"""
NEXT_RETRIES = """
SELECT id, next_retry_at AS at, retry_count, max_retries FROM jobs WHERE status = 'RETRYING'
ORDER BY next_retry_at LIMIT :limit
"""
NEXT_RUNS = """
SELECT id, scheduled_run_time AS at, held FROM jobs WHERE status = 'QUEUED' AND ready = 0
ORDER BY scheduled_run_time LIMIT :limit
"""
NEXT_TRIGGERS = """
SELECT name, next_trigger_at AS at FROM schedules WHERE enabled = 1 ORDER BY next_trigger_at LIMIT :limit
"""
NEXT_GATE_EXPIRIES = """
SELECT a.expires_at AS at, a.name, j.id FROM approvals a JOIN jobs j ON j.job_id = a.job_id
WHERE a.decision IS NULL AND a.expires_at IS NOT NULL ORDER BY a.expires_at LIMIT :limit
"""
RESERVATION_EXPIRY = "SELECT reserved_by, expires_at AS at FROM direct_reservations WHERE status = 'ACTIVE'"


class PlannedViews(Tx):
    """What will happen by itself."""

    def template(self, name: str) -> Template:
        """The template of that name."""
        row = self.one(TEMPLATE, name=name)
        if row is None:
            raise NoSuchThing(f'there is no template "{name}"')
        return template_of(row)

    def schedule(self, name: str) -> Schedule:
        """The schedule of that name."""
        row = self.one(SCHEDULE, name=name)
        if row is None:
            raise NoSuchThing(f'there is no schedule "{name}"')
        return schedule_of(row)

    def next_events(self, limit: int) -> list[NextEvent]:
        """What the clock will bring, soonest first."""
        return sorted(self._events(limit), key=lambda event: (event.at, event.what, event.words))[:limit]

    def _events(self, limit: int) -> Iterator[NextEvent]:
        for row in self.all(NEXT_RETRIES, limit=limit):
            words = f"job {row['id']} goes back to the queue for retry {row['retry_count']} of {row['max_retries']}"
            yield NextEvent(from_us(row["at"]), "retry", words)
        for row in self.all(NEXT_RUNS, limit=limit):
            words = f"job {row['id']} comes due" + (", but is held" if row["held"] else "")
            yield NextEvent(from_us(row["at"]), "run", words)
        for row in self.all(NEXT_TRIGGERS, limit=limit):
            yield NextEvent(from_us(row["at"]), "schedule", f'schedule "{row["name"]}" fires')
        for row in self.all(NEXT_GATE_EXPIRIES, limit=limit):
            yield NextEvent(from_us(row["at"]), "gate", f'gate "{row["name"]}" of job {row["id"]} expires')
        row = self.one(RESERVATION_EXPIRY)
        if row is not None:
            words = f"the direct reservation of {row['reserved_by']} expires"
            yield NextEvent(from_us(row["at"]), "reservation", words)
