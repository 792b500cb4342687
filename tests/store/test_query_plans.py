"""Query plans: every hot question is answered by its index, never by reading the table or sorting it."""

import re

import pytest

from core.filters import Filter
from core.status import Status
from store import ranks, tx
from store.filtering import ANYTHING, narrowed
from store.operations import base, claiming, finishing, gate_news, gates, outbox, renumbering, reporting, watching
from store.operations import pruning as pruning_operations
from store.store import Store
from store.views import chains, counting, history, listing, measures, passing, planned, pruning, queue, usual, whole
from store.views import gates as gate_views
from store.views import outbox as outbox_views
from tests.conftest import START
from tests.store.rows_for_tests import insert_all, queue_of

KEYS_OF_A_TYPE = """
SELECT id FROM jobs WHERE job_type = :job_type AND job_key = :job_key
  AND status IN ('CREATED', 'QUEUED', 'RUNNING', 'WAITING_FOR_APPROVAL', 'RETRYING')
"""

PLANS = {
    "job by number": (tx.JOB_BY_ID, "INTEGER PRIMARY KEY"),
    "job by UUID": (tx.JOB_BY_UUID, "sqlite_autoindex_jobs_1"),
    "job by prefix": (tx.JOBS_BY_PREFIX, "sqlite_autoindex_jobs_1"),
    "latest job by key": (reporting.LATEST_OF_KEY, "jobs_keys"),
    "live job by key": (KEYS_OF_A_TYPE, "jobs_one_live_per_key"),
    "tail of a priority": (base.LAST_POSITION, "jobs_queue"),
    "claim": (claiming.READY, "jobs_ready"),
    "claim past a limit": (claiming.HEAD_OF_LANE, "jobs_lanes"),
    "next lane": (claiming.NEXT_LANE, "jobs_lanes"),
    "resume": (claiming.TO_RESUME, "approvals_to_resume"),
    "wake": (claiming.WAKE, "jobs_not_yet_due"),
    "retries due": (claiming.RETRIES_DUE, "jobs_retrying"),
    "deadlines": (claiming.TOO_LATE, "jobs_deadlines"),
    "lost leases": (finishing.EXPIRED_LEASES, "executions_leases"),
    "expired gates": (gates.EXPIRED_GATES, "approvals_expiring"),
    "window: priorities": (queue.PRIORITIES, "PRIMARY KEY|SCAN queue_buckets"),
    "window: buckets": (queue.BUCKETS, "PRIMARY KEY"),
    "window: the first key": (queue.KEY_IN_BUCKET, "jobs_queue"),
    "window: rows": (queue.FROM_KEY, "jobs_queue"),
    "window: next rows": (queue.AFTER_KEY, "jobs_queue"),
    "window: earlier rows": (queue.BEFORE_KEY, "jobs_queue"),
    "window: lower priorities": (queue.LOWER_PRIORITIES, "jobs_queue"),
    "window: higher priorities": (queue.HIGHER_PRIORITIES, "jobs_queue"),
    "rank: higher priorities": (ranks.IN_HIGHER_PRIORITIES, "PRIMARY KEY"),
    "rank: earlier buckets": (ranks.IN_EARLIER_BUCKETS, "PRIMARY KEY"),
    "rank: in its bucket": (ranks.EARLIER_IN_BUCKET, "jobs_queue"),
    "numbers, queued": (listing.IDS[Status.QUEUED], "jobs_(queue|ready|lanes|held)"),
    "numbers, finished": (listing.IDS_FINISHED, "jobs_finished_by_status"),
    "states of jobs": (listing.STATUSES, "INTEGER PRIMARY KEY"),
    "past hidden jobs, ahead": (passing.AHEAD.format(ANYTHING), "jobs_queue"),
    "past hidden jobs, behind": (passing.BEHIND.format(ANYTHING), "jobs_queue"),
    "far neighbour, ahead": (renumbering.FAR_BEFORE, "jobs_queue"),
    "far neighbour, behind": (renumbering.FAR_AFTER, "jobs_queue"),
    "jobs of a stretch": (renumbering.BETWEEN, "jobs_queue"),
    "rank: whole priority": (ranks.IN_PRIORITY, "PRIMARY KEY"),
    "counts": (counting.COUNTS, "job_counts"),
    "held": (counting.HELD, "jobs_held"),
    "not yet due": (counting.NOT_YET_DUE, "jobs_not_yet_due"),
    "running": (listing.RUNNING_NOW, "jobs_running"),
    "retrying": (listing.RETRYING_NOW, "jobs_retrying"),
    "execution": (listing.EXECUTION, "sqlite_autoindex_executions_1"),
    "finished": (listing.FINISHED.format(ANYTHING), "jobs_finished"),
    "finished as": (listing.FINISHED_AS.format(ANYTHING), "jobs_finished_by_status"),
    "ended lately": (usual.ENDED_BETWEEN, "jobs_finished"),
    "history of a job": (history.HISTORY_OF_JOB, "job_history_of_job"),
    "history": (history.HISTORY.format(ANYTHING), "INTEGER PRIMARY KEY"),
    "retry of a job": (chains.RETRY_OF, "jobs_one_retry_each"),
    "recent chains": (chains.CHAINED, "jobs_chained"),
    "executions of a job": (chains.EXECUTIONS_OF_JOB, "executions_of_job"),
    "open gates": (gate_views.OPEN_APPROVALS, "approvals_open"),
    "gates of a job": (gate_views.APPROVALS_OF_JOB, "approvals_of_job"),
    "reservation": (gate_views.ACTIVE_RESERVATION, "direct_reservations_one_active"),
    "next retries": (planned.NEXT_RETRIES, "jobs_retrying"),
    "next runs": (planned.NEXT_RUNS, "jobs_not_yet_due"),
    "next triggers": (planned.NEXT_TRIGGERS, "schedules_due"),
    "next gate expiries": (planned.NEXT_GATE_EXPIRIES, "approvals_expiring"),
    "notifications due": (outbox_views.DUE, "notifications_due"),
    "next notification of a target": (outbox_views.NEXT, "notifications_due"),
    "notifications that wait": (outbox_views.WAITING, "notifications_waiting"),
    "notifications given up": (outbox_views.FAILED, "notifications_failed"),
    "notifications delivered": (outbox_views.DELIVERED, "notifications_delivered"),
    "notifications just said": (outbox_views.SAID_SINCE, "notifications_delivered"),
    "notifications, counted": (outbox_views.COUNT_WAITING, "notifications_(waiting|due)"),
    "old notifications, delivered": (outbox.FORGET_DELIVERED, "notifications_delivered"),
    "old notifications, given up": (outbox.FORGET_FAILED, "notifications_failed"),
    "head of a stuck queue": (watching.HEAD, "jobs_ready"),
    "latest claim": (watching.LATEST_CLAIM, "INTEGER PRIMARY KEY"),
    "latest waits": (watching.LATEST_WAITS, "jobs_finished"),
    "gates in the news": (gate_news.OPEN, "approvals_(one_open_per_job|of_job)"),
    "history, forwards": (history.HISTORY_AFTER, "INTEGER PRIMARY KEY"),
    "last event": (history.LAST_EVENT, "SEARCH job_history"),
    "head of a priority": (measures.HEAD_OF_PRIORITY, "jobs_ready"),
    "ended since": (measures.ENDED_AFTER, "jobs_finished"),
    "last end": (measures.LAST_END, "jobs_finished"),
    "what ended first": (pruning.OLDEST_TAILS, "jobs_finished"),
    "the next link": (pruning.OLDEST_TAILS, "jobs_one_retry_each"),
    "runs to prune": (pruning.RUNS_OF_JOB, "executions_of_job"),
    "a reservation's jobs": (pruning_operations.FORGET_RESERVATIONS, "jobs_of_reservation"),
    "a job to prune": (pruning_operations.IS_STILL_THE_TAIL, "sqlite_autoindex_jobs_1"),
    "numbers that are over": (pruning.ANY_JOB_BETWEEN, "INTEGER PRIMARY KEY"),
    "template's name": (whole.TEMPLATE_NAME, "sqlite_autoindex_job_templates_1"),
} | {
    f"list: {status.lower()}": (section.format(ANYTHING), index)
    for (status, section), index in zip(
        listing.SECTIONS.items(),
        ("jobs_running", "jobs_waiting", "jobs_retrying", "jobs_queue", "jobs_drafts"),
        strict=True,
    )
}

# A partial index read from one end is a scan in SQLite's words too, but one USING it; the counters are small.
TABLE_SCAN = re.compile(
    r"SCAN (?!job_counts|queue_buckets|\(subquery)[\w-]+( USING (COVERING )?INDEX sqlite_auto\w+)?$", re.M
)


def plan(store: Store, statement: str) -> str:
    values = dict.fromkeys(re.findall(r":([a-z_][a-z_0-9]*)", statement), 0)
    rows = store._connection.execute("EXPLAIN QUERY PLAN " + statement, values).fetchall()
    return "\n".join(row["detail"] for row in rows)


@pytest.fixture
def small(store: Store) -> Store:
    insert_all(store._connection, queue_of(30))
    return store


@pytest.mark.parametrize("name", PLANS)
def test_a_hot_question_uses_its_index(small: Store, name: str) -> None:
    statement, index = PLANS[name]
    found = plan(small, statement)
    assert re.search(rf"\b({index})\b", found), found
    # A partial index read whole from one end is a scan in SQLite's words, and just what is wanted.
    assert not re.search(r"SCAN (jobs|j|executions|e|job_history|h|approvals|a|notifications|n)\b(?! USING)", found), (
        found
    )
    assert "TEMP B-TREE" not in found, found


@pytest.mark.parametrize("statement", claiming.HOT)
def test_nothing_that_an_engine_asks_at_each_wake_up_reads_a_whole_table(small: Store, statement: str) -> None:
    found = plan(small, statement)
    assert not TABLE_SCAN.search(found), found
    assert "TEMP B-TREE" not in found, found


def test_the_plans_stay_after_the_database_was_analysed(small: Store) -> None:
    small._connection.execute("ANALYZE")
    for name, (statement, _) in PLANS.items():
        found = plan(small, statement)
        assert "TEMP B-TREE" not in found, (name, found)


def test_a_listing_without_a_filter_sorts_nothing() -> None:
    assert narrowed(Filter(), START).where == ANYTHING
