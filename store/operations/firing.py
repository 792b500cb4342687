"""What the clock submits: a fire is one transaction, so no crash fires twice or loses one."""

from dataclasses import dataclass, replace
from datetime import datetime

from core.cron import Cron
from core.jobs import Job, NewJob
from core.notifications import Told
from core.refusals import BadInput, JobdeckError, Refused
from core.schedules import CatchUp, Due, Overlap, due, overlap_decision
from core.status import Status
from core.when import iso
from store.operations.linking import Linking
from store.operations.schedules import Schedules, cron_of
from store.rows import Row, from_us, from_us_or_none, load, to_us, to_us_or_none
from store.template_rows import new_job_of

DUE = """
SELECT s.*, t.name AS template_name FROM schedules s JOIN job_templates t ON t.template_id = s.template_id
WHERE s.enabled = 1 AND s.next_trigger_at <= :now ORDER BY s.next_trigger_at, s.id LIMIT :limit
"""
LIVE_OF_SCHEDULE = """
SELECT * FROM jobs WHERE schedule_id = :schedule_id
  AND status IN ('CREATED', 'QUEUED', 'RUNNING', 'WAITING_FOR_APPROVAL', 'RETRYING')
ORDER BY id
"""
LATEST_OF_SCHEDULE = """
SELECT id, status, finished_at FROM jobs WHERE schedule_id = :schedule_id ORDER BY id DESC LIMIT 1
"""
TEMPLATE_BY_ID = "SELECT * FROM job_templates WHERE template_id = :template_id"
FIRED = """
UPDATE schedules SET last_triggered_at = :last_triggered_at, next_trigger_at = :next_trigger_at,
       fired_count = fired_count + :fired, skipped_count = skipped_count + :skipped,
       missed_count = missed_count + :missed, last_skip_reason = coalesce(:skip_reason, last_skip_reason)
WHERE schedule_id = :schedule_id AND enabled = 1
"""
# updated_at says from when on a failure counts: enabling the schedule again forgives those before it.
SWITCH_OFF = """
UPDATE schedules SET enabled = 0, next_trigger_at = NULL, skipped_count = skipped_count + 1,
       last_skip_reason = :reason
WHERE schedule_id = :schedule_id AND enabled = 1
"""


@dataclass(frozen=True, slots=True)
class Fired:
    """What became of one instant of a schedule."""

    schedule: str
    job: int | None
    at: datetime
    skipped: str | None
    """Why there is no job, if there is none."""


class Firing(Schedules, Linking):
    """Firing schedules, by the clock and by hand."""

    def fire_due(self, limit: int = 100) -> list[Fired]:
        """Fire every schedule whose time has come, and note when each comes next."""
        return [fired for row in self.all(DUE, limit=limit) for fired in self._fire(row)]

    def trigger_schedule(self, name: str) -> Job:
        """Submit a schedule's job now, whatever its clock says."""
        row = self.schedule_row(name)
        return self.job(self.submit(replace(self._job_of(row), job_key=None)).id)

    def _fire(self, row: Row) -> list[Fired]:
        trigger = from_us(row["next_trigger_at"])
        failed = self._paused_by(row)
        if failed is not None:
            return [self._switch_off(row, trigger, failed)]
        try:
            return self._fire_owed(row, cron_of(row["cron_expression"], row["timezone"]))
        except BadInput as error:
            # A zone that its database no longer knows must not keep every other schedule from firing.
            return [self._switch_off(row, trigger, f"it can't be fired: {error}")]

    def _fire_owed(self, row: Row, cron: Cron) -> list[Fired]:
        last = from_us_or_none(row["last_triggered_at"])
        owed = due(cron, last, from_us(row["next_trigger_at"]), self.now, CatchUp(row["catch_up"]))
        fires = [self._fire_one(row, at) for at in owed.fire]
        self._announce(row, fires, owed)
        done = [fire.at for fire in fires if fire.job is not None]
        skips = [fire.skipped for fire in fires if fire.skipped is not None]
        self.run(
            FIRED,
            schedule_id=row["schedule_id"],
            last_triggered_at=to_us_or_none(max(done) if done else last),
            next_trigger_at=to_us(owed.next_at),
            fired=len(done),
            skipped=len(skips),
            missed=owed.missed,
            skip_reason=skips[-1] if skips else None,
        )
        return fires

    def _fire_one(self, row: Row, at: datetime) -> Fired:
        """One instant: a job, or the reason why not."""
        live = self.all(LIVE_OF_SCHEDULE, schedule_id=row["schedule_id"])
        running = [job for job in live if job["status"] in (Status.RUNNING, Status.WAITING_FOR_APPROVAL)]
        decision = overlap_decision(Overlap(row["overlap"]), len(running), len(live) - len(running))
        if decision == "skip":
            return Fired(row["name"], None, at, f"job {live[0]['id']} is still {live[0]['status']}")
        try:
            made = self.submit(replace(self._job_of(row), job_key=f"{row['name']}@{iso(at)}", fire_time=at))
        except JobdeckError as error:
            return Fired(row["name"], None, at, str(error))
        for job in live if decision == "replace" else ():
            self._replace(job, made.id)
        return Fired(row["name"], made.id, at, None)

    def _replace(self, job: Row, successor: int) -> None:
        try:
            self.stop(job, f"replaced by job {successor} of its schedule")
        except Refused:
            # It has committed, so all that is left of it is its end.
            return

    def _job_of(self, row: Row) -> NewJob:
        """The job of a schedule's template with the schedule's own params."""
        new = new_job_of(self.one(TEMPLATE_BY_ID, template_id=row["template_id"]))
        params = {**new.params, **load(row["param_overrides"])}
        return replace(new, params=params, schedule_id=row["schedule_id"])

    def _paused_by(self, row: Row) -> str | None:
        """Why a schedule that pauses on failure stops here, if its latest job has failed."""
        if not row["pause_on_failure"]:
            return None
        job = self.one(LATEST_OF_SCHEDULE, schedule_id=row["schedule_id"])
        if job is None or job["status"] != Status.FAILED or job["finished_at"] <= row["updated_at"]:
            return None
        return f"job {job['id']} FAILED, and the schedule pauses on failure; go on with: jobdeck schedule enable"

    def _switch_off(self, row: Row, at: datetime, reason: str) -> Fired:
        self.run(SWITCH_OFF, schedule_id=row["schedule_id"], reason=reason)
        off = Fired(row["name"], None, at, reason)
        self._announce_skip(off)
        return off

    def _announce(self, row: Row, fires: list[Fired], owed: Due) -> None:
        """Tell of the instants that came to nothing."""
        for fire in fires:
            if fire.skipped is not None:
                self._announce_skip(fire)
        if owed.missed:
            count = f"{'at least ' if owed.missed_at_least else ''}{owed.missed:,}"
            fires_at = f"{count} {'fire' if owed.missed == 1 else 'fires'}"
            message = f'schedule "{row["name"]}" has missed {fires_at}; it goes on at {iso(owed.next_at)}'
            facts = {"schedule": row["name"], "missed": owed.missed, "next_at": iso(owed.next_at)}
            self.announce(Told.SCHEDULE_MISSED, message, facts)

    def _announce_skip(self, fire: Fired) -> None:
        message = f'schedule "{fire.schedule}" made no job at {iso(fire.at)}: {fire.skipped}'
        facts = {"schedule": fire.schedule, "at": iso(fire.at), "reason": fire.skipped}
        self.announce(Told.SCHEDULE_SKIPPED, message, facts)
