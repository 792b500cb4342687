"""The tables, their constraints and their indexes."""

from store.schema.base import metadata
from store.schema.counters import job_counts, queue_buckets, settings
from store.schema.executions import executions, job_history
from store.schema.gates import approvals, direct_reservations
from store.schema.jobs import jobs
from store.schema.notifications import notifications
from store.schema.templates import job_templates, schedules

__all__ = [
    "approvals",
    "direct_reservations",
    "executions",
    "job_counts",
    "job_history",
    "job_templates",
    "jobs",
    "metadata",
    "notifications",
    "queue_buckets",
    "schedules",
    "settings",
]
