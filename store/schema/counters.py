"""Small tables that the triggers keep up to date, and the store's own settings."""

from sqlalchemy import Column, Integer, Table, Text

from core.status import Status
from store.schema.base import check, json_rule, metadata, required
from store.sqltext import one_of

job_counts = Table(
    "job_counts",
    metadata,
    Column("status", Text, primary_key=True, nullable=False),
    required("n", Integer, "0"),
    check("job_counts_status_is_known", one_of("status", Status)),
    check("job_counts_never_below_0", "n >= 0"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

queue_buckets = Table(
    "queue_buckets",
    metadata,
    Column("priority", Integer, primary_key=True, nullable=False, autoincrement=False),
    Column("bucket", Integer, primary_key=True, nullable=False, autoincrement=False),
    required("n", Integer, "0"),
    check("queue_buckets_never_below_0", "n >= 0"),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)

settings = Table(
    "settings",
    metadata,
    Column("name", Text, primary_key=True, nullable=False),
    required("value"),
    required("updated_at", Integer),
    required("updated_by"),
    check("settings_value_is_json", json_rule("value", "", 65_536)),
    sqlite_with_rowid=False,
    sqlite_strict=True,
)
