"""Retention: what has ended long ago goes whole, with all that belongs to it, and nothing else does."""

from datetime import timedelta
from pathlib import Path

import pytest

from core.jobs import NewJob
from core.notifications import Program, Terminal
from core.retention import Retention
from core.status import FINAL
from store import sqlite
from store.retention import prune, would_prune
from store.store import Store
from store.views.pruning import Cursor, LogsToRemove
from tests.conftest import Clock
from tests.store.house import MONTH, House
from tests.store.patient import Patient
from tests.store.running_jobs import TRUE, running, submit
from tests.store.year import Year


@pytest.fixture
def house(store: Store, clock: Clock) -> House:
    return House(store, clock)


def test_what_ended_long_ago_goes_with_its_history_and_logs_and_nothing_else_does(house: House) -> None:
    house.failed("old")
    house.clock.forward(days=20)
    house.failed("younger")
    submit(house.store, NewJob(command=TRUE, job_key="waits"))
    house.clock.forward(days=10, seconds=1)
    done = house.prune()
    assert (done.jobs, done.chains, done.logs) == (1, 1, 1)
    assert house.left() == ["younger", "waits"]
    assert house.log_files() == 1
    with house.store.read() as views:
        assert {row["n"] for row in views.all("SELECT count(DISTINCT job_id) AS n FROM job_history")} == {2}
        assert {row["n"] for row in views.all("SELECT count(*) AS n FROM executions")} == {1}
    assert house.well()


def test_a_chain_goes_whole_once_its_last_link_is_old_enough(house: House) -> None:
    first = house.failed("chain")
    house.clock.forward(days=29)
    house.again(first)
    house.clock.forward(days=29)
    assert house.prune().jobs == 0
    assert house.left() == ["chain", "chain"]
    house.clock.forward(days=2)
    done = house.prune()
    assert (done.jobs, done.chains, done.logs) == (2, 1, 2)
    assert house.left() == []
    assert house.well()


def test_a_chain_whose_last_link_waits_stays(house: House) -> None:
    first = house.failed("chain")
    with house.store.write("ann") as work:
        work.retry(first)
    house.clock.forward(days=300)
    assert house.prune().jobs == 0
    assert house.left() == ["chain", "chain"]


def test_what_is_beyond_the_number_goes_those_that_ended_first(house: House) -> None:
    for number in range(5):
        house.failed(f"job {number}")
        house.clock.forward(minutes=1)
    done = house.prune(Retention(keep=3))
    assert done.jobs == 2
    assert house.left() == ["job 2", "job 3", "job 4"]


def test_a_chain_that_is_longer_than_what_is_too_much_stays_whole(house: House) -> None:
    house.again(house.failed("chain"))
    house.failed("single")
    house.prune(Retention(keep=2))
    assert house.left() == ["chain", "chain"]


def test_either_bound_lets_a_job_go(house: House) -> None:
    house.failed("old")
    house.clock.forward(days=31)
    for number in range(3):
        house.failed(f"job {number}")
        house.clock.forward(minutes=1)
    house.prune(Retention(older_than=timedelta(days=30), keep=2))
    assert house.left() == ["job 1", "job 2"]


def test_a_dry_run_says_what_would_go_and_changes_nothing(house: House) -> None:
    house.again(house.failed("chain"))
    for number in range(3):
        house.failed(f"job {number}")
    house.clock.forward(days=40)
    would = would_prune(house.store, MONTH)
    assert would_prune(house.store, Retention(keep=1)).jobs == 4
    assert len(house.left()) == 5
    done = house.prune()
    assert (would.jobs, would.chains, would.logs) == (done.jobs, done.chains, done.logs) == (5, 4, 5)
    assert (would.oldest, would.newest) == (done.oldest, done.newest)


def test_a_job_that_is_retried_while_a_prune_is_at_it_stays(house: House) -> None:
    ref = house.failed("old")
    house.clock.forward(days=40)
    with house.store.read() as views:
        old = views.prunable(MONTH, Cursor())
    with house.store.write("ann") as work:
        work.retry(ref)
    with house.store.write("retention") as work:
        assert work.prune(old.chains) == (0, [])
    assert house.left() == ["old", "old"]


def test_logs_of_another_home_are_left_alone(house: House, tmp_path: Path) -> None:
    claimed = running(house.store)
    foreign = tmp_path / "x.log"
    foreign.write_text("of the store that this one was copied from")
    with house.store.write("retention") as work:
        work.set_setting("logs to remove 000000001", [str(foreign), str(house.logs / ".." / ".." / "x.log")])
    house.prune()
    assert foreign.exists()
    assert claimed.job.id == 1


def test_a_directory_of_logs_goes_when_no_job_can_log_there_any_more(house: House) -> None:
    house.failed("old")
    house.clock.forward(days=40)
    with house.store.write("ann") as work:
        work.connection.execute("UPDATE sqlite_sequence SET seq = 1500 WHERE name = 'jobs'")
    house.failed("new")
    house.prune()
    assert [place.name for place in house.logs.iterdir()] == ["001"]


@pytest.mark.parametrize("size", [250, 450])
def test_a_long_list_of_logs_is_noted_in_parts(house: House, size: int) -> None:
    with house.store.write("retention") as work:
        work._note(["000/1-1-abcdef.log"] * 3)
        work._note([f"/a/long/path/{number:0200d}" for number in range(size)])
        notes = work.logs_to_remove()
        assert [len(note.paths) for note in notes] == [3, *[200] * (size // 200), 50]
        work.logs_removed(note.name for note in notes[:2])
        assert work.logs_to_remove() == notes[2:]
        assert isinstance(notes[0], LogsToRemove)


def test_everything_that_can_have_happened_to_a_job_can_be_pruned(patient: Patient) -> None:
    with Store(patient.path) as store:
        with store.read() as views:
            finished = sum(n for status, n in views.counts().items() if status in FINAL)
        done = prune(store, Retention(keep=0), patient.home / "logs")
        with store.read() as views:
            left = sum(n for status, n in views.counts().items() if status in FINAL)
            tails = views.prunable(Retention(keep=0), Cursor())
    assert done.jobs > 20
    assert done.jobs + left == finished
    assert tails.chains == ()
    assert patient.findings() == []


def test_a_reservation_goes_once_its_job_is_gone(house: House) -> None:
    with house.store.write("ann") as work:
        reservation = work.reserve("ann").reservation_id
        work.submit(NewJob(command=TRUE, reservation_id=reservation))
        work.cancel(1)
        work.release_reservation(reservation)

    def reservations() -> int:
        with house.store.read() as views:
            return len(views.all("SELECT 1 FROM direct_reservations"))

    house.prune()
    assert reservations() == 1
    house.clock.forward(days=40)
    house.prune()
    assert reservations() == 0
    assert house.well()


def test_a_file_that_has_shrunk_gives_its_pages_back(house: House) -> None:
    with house.store.write("ann") as work:
        for number in range(300):
            work.submit(NewJob(command=TRUE, job_key=f"job {number}", params={"text": "x" * 20_000}))
    with house.store.write("ann") as work:
        for number in range(300):
            work.cancel(number + 1)
    house.store.shrink()
    full = house.store.path.stat().st_size
    house.clock.forward(days=40)
    assert house.prune().jobs == 300
    assert house.store.path.stat().st_size < full / 4
    assert house.well()


def test_a_file_that_cannot_shrink_by_itself_is_compacted(tmp_path: Path, clock: Clock) -> None:
    path = tmp_path / "old.db"
    sqlite.create_file(path)
    connection = sqlite.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE first (n)")
    connection.execute("DROP TABLE first")
    connection.close()
    with Store(path, now=clock) as store:
        assert not store.shrink()
        store.compact()
        assert store._connection.execute("PRAGMA auto_vacuum").fetchone()[0] == 2
        assert store._connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_busy_store_stays_as_large_and_as_fast_as_it_is_once_it_is_full(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    year = Year(home, a_day=60, kept=timedelta(days=10))
    evenings = list(year.days(60))
    full, last = evenings[20], evenings[-1]
    assert last.jobs == full.jobs
    assert last.logs == full.logs
    assert last.file_bytes <= 1.1 * full.file_bytes
    assert last.effort <= 1.1 * full.effort
    assert max(one.file_bytes for one in evenings) <= 1.15 * full.file_bytes
    assert year.is_well()
    year.store.close()


def test_a_log_that_has_grown_is_given_back_once_it_was_folded(house: House) -> None:
    wal = house.store.path.with_name("jobdeck.db-wal")
    with house.store.write("ann") as work:
        for number in range(30):
            work.submit(NewJob(command=TRUE, job_key=f"job {number}", params={"text": "x" * 1_000_000}))
    assert wal.stat().st_size > sqlite.WAL_LIMIT
    house.store.shrink()
    with house.store.write("ann") as work:
        work.pause()
    assert wal.stat().st_size <= sqlite.WAL_LIMIT


def test_what_is_told_of_a_job_outlives_it(house: House) -> None:
    with house.store.write("engine") as work:
        work.know_targets([Program("ops", command=("page",)), Terminal("desk")])
    house.failed("old")
    house.clock.forward(days=31)
    assert house.prune().jobs == 1
    with house.store.read() as views:
        found = [*views.waiting_notifications(9), *views.delivered_notifications(9)]
        assert {row["job_id"] for row in views.all("SELECT job_id FROM notifications")} == {None}
    states = [(one.target, one.state, one.job) for one in found]
    assert states == [("ops", "pending", None), ("desk", "delivered", None)]
    assert found[0].payload["job"] == 1
    with house.store.write("engine") as work:
        work.note_delivered(found[0].id)
    assert house.well()
