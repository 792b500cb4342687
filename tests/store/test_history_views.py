"""History as it is read: of one job, of all, of those that pass, always newest first and page by page."""

import pytest

from core.filter_parser import parse
from core.filters import Filter
from core.jobs import HistoryEntry, NewJob
from core.refusals import BadInput, NoSuchThing
from core.status import Status
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.running_jobs import BROKE, WORKER, rng, running, submit


def told(entries: list[HistoryEntry]) -> list[tuple[int, str]]:
    return [(entry.job, entry.event) for entry in entries]


def read(store: Store, text: str = "", limit: int = 100, before_id: int | None = None) -> list[HistoryEntry]:
    with store.read() as views:
        return views.history(None, parse(text), limit, before_id)


@pytest.fixture
def three(store: Store) -> list[int]:
    """Three jobs that were submitted and then held, in turns: two of type etl with a job of type mail between them."""
    jobs = [submit(store, NewJob(job_type=name, tags={"env": name})) for name in ("etl", "mail", "etl")]
    with store.write("bob") as work:
        for job in jobs:
            work.hold(job, f"reason {job}")
    return jobs


def test_all_of_it_comes_newest_first(store: Store, three: list[int]) -> None:
    a, b, c = three
    newest_first = [(c, "hold"), (b, "hold"), (a, "hold"), (c, "submit"), (b, "submit"), (a, "submit")]
    assert told(read(store)) == newest_first
    with store.read() as views:
        assert told(views.history(None, None, 100)) == newest_first
        assert told(views.history(None, Filter(), 4)) == newest_first[:4]


def test_one_job_s_own_is_found_by_number_and_by_uuid(store: Store, three: list[int]) -> None:
    with store.read() as views:
        job_id = views.job(three[1]).job_id
        for ref in (three[1], str(three[1]), job_id):
            assert told(views.history(ref, None, 9)) == [(three[1], "hold"), (three[1], "submit")]
        assert told(views.history(three[1], None, 1)) == [(three[1], "hold")]
        with pytest.raises(NoSuchThing, match="there is no job 9"):
            views.history(9, None, 9)
        with pytest.raises(BadInput, match="does not name a job"):
            views.history("x", None, 9)


def test_an_entry_tells_who_did_what_when_and_why(store: Store, clock: Clock) -> None:
    claimed = running(store)
    clock.forward(seconds=3)
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, BROKE, rng())
    with store.read() as views:
        failed, started, submitted = views.history(claimed.job.id, None, 9)
    assert (submitted.previous_status, submitted.new_status, submitted.actor) == (None, Status.QUEUED, "ann")
    assert (started.previous_status, started.new_status) == (Status.QUEUED, Status.RUNNING)
    assert started.metadata == {"exec_id": claimed.exec_id, "attempt": 1}
    assert (failed.event, failed.actor, failed.reason) == ("fail", "engine", BROKE.message)
    assert (failed.job, failed.job_id, failed.new_status) == (claimed.job.id, claimed.job.job_id, Status.RETRYING)
    assert (failed.created_at - START).total_seconds() == 3
    assert failed.metadata["retry_count"] == 1


@pytest.mark.parametrize(
    ("text", "passing"), [("type:etl", {0, 2}), ("!type:etl", {1}), ("tag:env=mail", {1}), ("status:failed", set())]
)
def test_a_filter_leaves_the_history_of_those_that_pass(
    store: Store, three: list[int], text: str, passing: set[int]
) -> None:
    jobs = [three[at] for at in sorted(passing, reverse=True)]
    assert told(read(store, text)) == [*((job, "hold") for job in jobs), *((job, "submit") for job in jobs)]


@pytest.mark.parametrize("text", ["", "type:etl", "!tag:env=mail"])
@pytest.mark.parametrize("size", [1, 3])
def test_pages_put_together_are_the_whole_history(store: Store, three: list[int], text: str, size: int) -> None:
    assert three
    pages: list[HistoryEntry] = []
    before = None
    while page := read(store, text, size, before):
        assert len(page) <= size
        pages += page
        before = page[-1].id
    assert pages == read(store, text)
    assert len(pages) == (4 if text else 6)


def test_a_page_of_one_job_reads_on_from_where_the_last_one_ended(store: Store, three: list[int]) -> None:
    with store.read() as views:
        (newest,) = views.history(three[0], None, 1)
        assert told(views.history(three[0], None, 9, newest.id)) == [(three[0], "submit")]
        assert views.history(three[0], None, 9, 1) == []


def test_a_page_without_length_is_empty(store: Store, three: list[int]) -> None:
    with store.read() as views:
        assert views.history(three[0], None, 0) == []
        assert views.history(None, None, 0) == []
        assert views.history(None, parse("type:etl"), 0) == []


def test_entries_that_pass_are_found_behind_hundreds_that_do_not(store: Store) -> None:
    # A tag is looked for roughly by the database, so every one of these is read and then decided.
    wanted = submit(store, NewJob(tags={"env": "prod"}))
    with store.write("ann") as work:
        for _ in range(450):
            work.submit(NewJob(tags={"environment": "prod"}))
    assert told(read(store, "tag:env=prod", 5)) == [(wanted, "submit")]


def test_what_is_left_of_a_job_that_was_removed_is_not_shown(store: Store, raw: RawStore, three: list[int]) -> None:
    gone, *kept = three
    with store.write("ann") as work:
        work.cancel(gone)
    raw.connection.execute("PRAGMA foreign_keys = OFF")
    raw.run("DELETE FROM jobs WHERE id = :id", id=gone)
    assert {entry.job for entry in read(store)} == set(kept)
    assert {entry.job for entry in read(store, "type:etl,mail")} == set(kept)
