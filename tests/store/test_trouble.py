"""What goes wrong around a store: busy, damaged, closed, unreadable. Each is one sentence, and nothing is left open."""

import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from core.jobs import NewJob
from core.refusals import JobdeckError, Refused, Trouble
from store import sqlite
from store.keyfile import load_key
from store.store import Store, wall_clock
from tests.store.raw import RawStore
from tests.store.running_jobs import status, submit


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits half a minute here."""
    monkeypatch.setattr(sqlite, "PATIENCE", 0.02)


def driver_error(name: str, text: str = "oh no") -> Exception:
    error = sqlite.driver.OperationalError(text)
    error.sqlite_errorname = name  # type: ignore[attr-defined]
    return error


@pytest.mark.usefixtures("impatient")
def test_a_writer_that_never_ends_is_told_as_busy_and_readers_go_on(store: Store, raw: RawStore) -> None:
    number = submit(store)
    with raw.transaction():
        raw.run("UPDATE jobs SET held = 1 WHERE id = :id", id=number)
        with pytest.raises(
            Trouble, match=r"was busy for longer than [0-9.]+ s; something holds a transaction open on it"
        ):
            submit(store)
        assert status(store, number) == "QUEUED"
    assert submit(store) == number + 1


@pytest.mark.usefixtures("impatient")
def test_a_file_that_another_program_keeps_for_itself_is_told_as_busy(store_path: Path) -> None:
    other = sqlite.connect(store_path)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Trouble, match=f"{store_path} was busy"):
        Store(store_path)
    other.execute("ROLLBACK")
    other.close()
    with Store(store_path) as store:
        assert submit(store) == 1


def test_a_short_wait_for_another_writer_is_not_noticed(store: Store, raw: RawStore) -> None:
    raw.connection.execute("BEGIN IMMEDIATE")
    tries = 0

    def act() -> str:
        nonlocal tries
        tries += 1
        if tries == 3:
            raw.connection.execute("ROLLBACK")
        store._connection.execute("BEGIN IMMEDIATE")
        return "done"

    assert sqlite.patiently(act) == "done"
    assert tries == 3
    store._connection.execute("ROLLBACK")


def test_an_error_that_waiting_can_t_cure_is_not_waited_for() -> None:
    tries = 0

    def act() -> None:
        nonlocal tries
        tries += 1
        raise driver_error("SQLITE_IOERR_WRITE")

    with pytest.raises(sqlite.driver.OperationalError):
        sqlite.patiently(act)
    assert tries == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("SQLITE_FULL", "the disk is full, so nothing was changed in /x.db"),
        ("SQLITE_READONLY_DBMOVED", "/x.db can't be written"),
        ("SQLITE_CANTOPEN_ISDIR", "/x.db can't be opened"),
        ("SQLITE_IOERR_FSYNC", "the disk reported an error on /x.db"),
        ("SQLITE_CORRUPT_INDEX", "/x.db is damaged; run jobdeck doctor"),
        ("SQLITE_NOTADB", "/x.db is not a jobdeck store"),
        ("SQLITE_BUSY_SNAPSHOT", "/x.db was busy for longer than 30 s"),
        ("SQLITE_LOCKED", "/x.db was busy for longer than 30 s"),
        ("SQLITE_PERM", "/x.db can't be used: permission denied"),
        ("SQLITE_TOOBIG", "too large to be stored"),
        ("SQLITE_NOMEM", "not enough memory"),
        ("SQLITE_PROTOCOL", "/x.db was too busy to be locked; try again"),
        ("SQLITE_ERROR", "the store /x.db failed: oh no"),
        ("", "the store /x.db failed: oh no"),
    ],
)
def test_every_error_of_the_database_is_a_sentence(name: str, words: str) -> None:
    told = sqlite.explain(driver_error(name), Path("/x.db"))
    assert isinstance(told, Trouble)
    assert words in str(told)
    assert "SQLITE" not in str(told)


def test_an_error_without_a_name_is_known_by_its_words() -> None:
    told = sqlite.explain(sqlite.driver.DatabaseError("file is not a database"), Path("/x.db"))
    assert str(told).startswith("/x.db is not a jobdeck store")


def test_what_the_database_itself_refuses_is_a_refusal(store: Store) -> None:
    number = submit(store)
    with pytest.raises(Refused, match=r"the database refused that: .*illegal transition"), store.write("ann") as work:
        work.run("UPDATE jobs SET status = 'RETRYING' WHERE id = :id", id=number)
    assert status(store, number) == "QUEUED"


def test_a_transaction_that_ended_by_itself_gives_its_own_reason(store: Store) -> None:
    def set_twice() -> None:
        with store.write("ann") as work:
            work.set_setting("a", 1)
            # SQLite ends the whole transaction here, so there is nothing left to roll back.
            work.run("INSERT OR ROLLBACK INTO settings (name, value, updated_at, updated_by) VALUES ('a', '2', 0, '')")

    with pytest.raises(Refused, match="UNIQUE constraint failed"):
        set_twice()
    with store.write("ann") as work:
        assert work.setting("a") is None


def test_a_block_that_fails_stores_nothing(store: Store) -> None:
    def interrupted() -> None:
        with store.write("ann") as work:
            work.submit(NewJob())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with store.read() as views:
        assert views.all("SELECT * FROM jobs") == []


def test_a_store_that_is_damaged_meanwhile_says_so_and_leaves_no_transaction_open(store: Store, raw: RawStore) -> None:
    version = raw.run("PRAGMA schema_version").fetchone()[0]
    raw.run("PRAGMA writable_schema = ON")
    raw.run("UPDATE sqlite_schema SET sql = 'CREATE TABLE settings (' WHERE name = 'settings'")
    raw.run(f"PRAGMA schema_version = {version + 1}")
    for _ in range(2):
        with pytest.raises(Trouble, match="is damaged; run jobdeck doctor"), store.read():
            pass
        assert not store._connection.in_transaction


def test_a_damaged_first_page_is_told(store_path: Path) -> None:
    with store_path.open("r+b") as file:
        # Behind the header, which still says whose file it is.
        file.seek(100)
        file.write(b"\xaa" * 3996)
    with pytest.raises(Trouble, match="is damaged; run jobdeck doctor"):
        Store(store_path)


def test_a_closed_store_answers_with_a_sentence(store_path: Path) -> None:
    store = Store(store_path)
    store.close()
    with pytest.raises(Trouble, match=f"the store {store_path} failed: .*closed"):
        store.changed()
    with pytest.raises(JobdeckError, match="closed"), store.read():
        pass


def test_changes_are_noticed_in_both_directions_and_never_one_s_own(
    store: Store, make_store: Callable[[], Store]
) -> None:
    other = make_store()
    submit(store)
    assert (store.changed(), other.changed()) == (False, True)
    submit(other)
    submit(other)
    assert (store.changed(), other.changed()) == (True, False)
    assert (store.changed(), other.changed()) == (False, False)


def test_what_was_undone_or_only_read_is_no_change(store: Store, make_store: Callable[[], Store]) -> None:
    other = make_store()

    def undone() -> None:
        with other.write("ann") as work:
            work.submit(NewJob())
            raise Refused("on second thoughts")

    with pytest.raises(Refused):
        undone()
    with other.read() as views:
        views.counts()
    assert not store.changed()


def test_a_change_is_not_seen_by_a_look_that_began_before_it(store: Store, make_store: Callable[[], Store]) -> None:
    other = make_store()
    with store.read() as views:
        submit(other)
        assert views.queue_window(0, 1).total == 0
    assert store.changed()
    with store.read() as views:
        assert views.queue_window(0, 1).total == 1


def test_a_store_that_was_only_begun_is_finished(tmp_path: Path) -> None:
    path = tmp_path / "jobdeck.db"
    begun = sqlite3.connect(path)
    begun.execute("PRAGMA journal_mode = WAL")
    begun.close()
    assert path.stat().st_size > 0
    with Store(path) as store:
        assert submit(store) == 1


def test_a_key_that_can_t_be_read_says_so(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=f"the key file {tmp_path} can't be used: is a directory"):
        load_key(tmp_path)
    with pytest.raises(Trouble, match="can't be used: no such file or directory"):
        load_key(tmp_path / "none" / "jobdeck.key")


def test_a_store_of_its_own_goes_by_the_clock_on_the_wall(store_path: Path) -> None:
    before = wall_clock()
    with Store(store_path) as store:
        number = submit(store)
        with store.read() as views:
            assert before <= views.job(number).created_at <= wall_clock()


@pytest.mark.parametrize(
    ("own", "wheel", "chosen"),
    [
        ((3, 51, 3), (9, 0, 0), "own"),
        ((3, 40, 1), (3, 51, 3), "wheel"),
        ((3, 40, 1), (3, 39, 0), "own"),
        ((3, 40, 1), None, "own"),
    ],
)
def test_the_interpreter_s_own_sqlite_is_used_where_it_is_safe_or_the_newest(
    monkeypatch: pytest.MonkeyPatch, own: tuple[int, int, int], wheel: tuple[int, int, int] | None, chosen: str
) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", own)
    other = ModuleType("pysqlite3.dbapi2")
    other.sqlite_version_info = wheel  # type: ignore[attr-defined]
    package = ModuleType("pysqlite3")
    package.dbapi2 = other  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pysqlite3", None if wheel is None else package)
    monkeypatch.setitem(sys.modules, "pysqlite3.dbapi2", None if wheel is None else other)
    assert sqlite._newest_driver() is (other if chosen == "wheel" else sqlite3)
