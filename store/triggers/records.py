"""What the jobs table writes down by itself: history, counts by status, and how long each stretch of the queue is."""

from collections.abc import Iterator

from store.buckets import BUCKET
from store.triggers.words import record

_NOW = "CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER)"


def job_records() -> Iterator[str]:
    """What follows from each change of a job."""
    bucket = "(({row}.position - (({row}.position % {width}) + {width}) % {width}) / {width})"
    old, new = bucket.format(row="OLD", width=BUCKET), bucket.format(row="NEW", width=BUCKET)
    count_in = "UPDATE job_counts SET n = n + 1 WHERE status = NEW.status"
    count_out = "UPDATE job_counts SET n = n - 1 WHERE status = OLD.status"
    bucket_in = (
        f"INSERT INTO queue_buckets (priority, bucket, n) VALUES (NEW.priority, {new}, 1) "
        "ON CONFLICT (priority, bucket) DO UPDATE SET n = n + 1"
    )
    bucket_out = f"UPDATE queue_buckets SET n = n - 1 WHERE priority = OLD.priority AND bucket = {old}"
    bucket_drop = f"DELETE FROM queue_buckets WHERE priority = OLD.priority AND bucket = {old} AND n = 0"
    history = (
        "INSERT INTO job_history (job_id, previous_status, new_status, event, actor, reason, metadata, created_at) "
    )
    detail = (
        "CASE NEW.status "
        "WHEN 'FAILED' THEN json_object('error_message', NEW.error_message, 'error_type', NEW.error_type) "
        "WHEN 'RETRYING' THEN json_object('retry_count', NEW.retry_count, 'next_retry_at', NEW.next_retry_at, "
        "'error_message', NEW.error_message, 'error_type', NEW.error_type) "
        "WHEN 'WAITING_FOR_APPROVAL' THEN json_object('gate', (SELECT name FROM approvals WHERE "
        "job_id = NEW.job_id AND decision IS NULL)) "
        "WHEN 'RUNNING' THEN json_object('exec_id', NEW.exec_id, 'attempt', NEW.attempt) END"
    )
    told = "NEW.revision > OLD.revision"
    yield record(
        "jobs_recorded",
        "INSERT",
        "jobs",
        history + "VALUES (NEW.job_id, NULL, NEW.status, NEW.event, NEW.updated_by, NEW.reason, "
        "CASE WHEN NEW.retry_of IS NULL THEN NULL ELSE json_object('retry_of', NEW.retry_of) END, NEW.created_at)",
        count_in,
    )
    yield record("jobs_enqueued", "INSERT", "jobs", bucket_in, when="NEW.status = 'QUEUED'")
    # A statement that did not say who it is (no new revision) is recorded as plain SQL, at the database's own time.
    yield record(
        "jobs_changed",
        "UPDATE",
        "jobs",
        history + f"VALUES (NEW.job_id, OLD.status, NEW.status, iif({told}, NEW.event, 'sql'), "
        f"iif({told}, NEW.updated_by, 'sql'), iif({told}, NEW.reason, NULL), "
        f"CASE WHEN NEW.status IS NOT OLD.status THEN {detail} "
        "WHEN NEW.priority IS NOT OLD.priority THEN json_object('from', OLD.priority, 'to', NEW.priority) END, "
        f"iif({told}, NEW.updated_at, {_NOW}))",
        when=f"NEW.status IS NOT OLD.status OR {told}",
    )
    yield record("jobs_counted", "UPDATE OF status", "jobs", count_out, count_in, when="NEW.status IS NOT OLD.status")
    left = f"OLD.status = 'QUEUED' AND (NEW.status <> 'QUEUED' OR NEW.priority <> OLD.priority OR {new} <> {old})"
    came = f"NEW.status = 'QUEUED' AND (OLD.status <> 'QUEUED' OR NEW.priority <> OLD.priority OR {new} <> {old})"
    yield record("jobs_left_bucket", "UPDATE OF status, priority, position", "jobs", bucket_out, bucket_drop, when=left)
    yield record("jobs_entered_bucket", "UPDATE OF status, priority, position", "jobs", bucket_in, when=came)
    yield record("jobs_deleted", "DELETE", "jobs", count_out)
