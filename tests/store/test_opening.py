"""Opening a file: ours is made or used, anything else gets one sentence and is left as it was."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.jobs import NewJob
from core.refusals import JobdeckError, Trouble
from store import sqlite
from store.keyfile import load_key
from store.store import Store
from store.version import SCHEMA_VERSION
from tests.store.running_jobs import submit

AS_ROOT = os.geteuid() == 0


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def sentence(path: Path) -> str:
    """What opening that path says, which is one sentence, and leaves every byte as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(Trouble) as refused:
        Store(path).close()
    assert (path.read_bytes() if path.is_file() else None) == before
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_a_new_store_is_private_to_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "home" / "jobdeck.db"
    old = os.umask(0)
    try:
        with Store(path) as store:
            submit(store)
            store.token_of("x")
            files = {file.name: mode(file) for file in path.parent.iterdir()}
    finally:
        os.umask(old)
    assert mode(path.parent) == 0o700
    assert set(files) == {"jobdeck.db", "jobdeck.db-wal", "jobdeck.db-shm", "jobdeck.key"}
    assert set(files.values()) == {0o600}


def test_a_store_is_durable_and_in_wal_mode(store: Store) -> None:
    connection = store._connection
    assert connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
    assert connection.execute("PRAGMA synchronous").fetchone()[0] == 2
    assert connection.execute("PRAGMA foreign_keys").fetchone()[0] == 1


def test_a_text_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("dear diary\n" * 500)
    assert sentence(path).endswith("is not a jobdeck store (it is no SQLite database); nothing was touched")


def test_another_program_s_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE music (title TEXT)")
    connection.close()
    assert sentence(path).endswith("is an SQLite database, but not a jobdeck store; nothing was touched")


def test_a_newer_store_is_refused(store_path: Path) -> None:
    connection = sqlite.connect(store_path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    assert "was made by a newer jobdeck" in sentence(store_path)


def test_a_directory_is_refused(tmp_path: Path) -> None:
    assert sentence(tmp_path).endswith("is not a file, so it can't be a jobdeck store")


def test_a_device_is_refused() -> None:
    with pytest.raises(Trouble, match="is not a file"):
        Store(Path("/dev/null"))


def test_a_path_below_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Trouble, match="can't be used: not a directory"):
        Store(tmp_path / "file" / "jobdeck.db")


def test_a_damaged_store_says_so(store_path: Path, store: Store) -> None:
    for _ in range(50):
        submit(store, NewJob(params={"x": "y" * 500}))
    store.close()
    size = store_path.stat().st_size
    with store_path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xaa" * (size - 4096))
    with pytest.raises(JobdeckError, match="is damaged; run jobdeck doctor"), Store(store_path) as broken:
        submit(broken)


def test_a_truncated_store_says_so(store_path: Path) -> None:
    with store_path.open("r+b") as file:
        file.truncate(5000)
    with pytest.raises(JobdeckError, match=r"is damaged|is not a jobdeck store"), Store(store_path) as broken:
        submit(broken)


@pytest.mark.skipif(AS_ROOT, reason="root may write to read-only files")
def test_a_read_only_store_can_be_read_but_not_written(store_path: Path) -> None:
    store_path.chmod(0o400)
    with pytest.raises(Trouble, match=r"read-only|can't be"), Store(store_path) as store:
        submit(store)


def test_a_store_that_can_t_be_written_says_so(store: Store) -> None:
    store._connection.execute("PRAGMA query_only = ON")
    with pytest.raises(Trouble, match="can't be written: the file or its disk is read-only"):
        submit(store)


def test_a_full_disk_changes_nothing_and_says_so(store: Store) -> None:
    first = submit(store)
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(Trouble, match="the disk is full, so nothing was changed"):
        submit(store, NewJob(params={"x": "y" * 500_000}))
    store._connection.execute("PRAGMA max_page_count = 1000000")
    assert submit(store) == first + 1


def test_two_processes_make_one_store(tmp_path: Path) -> None:
    path = tmp_path / "home" / "jobdeck.db"
    script = f"from pathlib import Path; from store.store import Store; Store(Path({str(path)!r})).close()"
    makers = [subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) for _ in range(3)]
    for maker in makers:
        _, errors = maker.communicate(timeout=60)
        assert (maker.returncode, errors) == (0, b"")
    with Store(path) as store:
        assert submit(store) == 1


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "jobdeck.db"
    path.touch(mode=0o600)
    with Store(path) as store:
        assert submit(store) == 1


def test_a_change_by_another_connection_is_noticed_once(store: Store, make_store: Callable[[], Store]) -> None:
    other = make_store()
    assert not store.changed()
    submit(other)
    assert store.changed()
    assert not store.changed()


def test_the_key_is_made_once_and_a_damaged_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobdeck.key"
    key = load_key(path)
    assert (load_key(path), len(key), mode(path)) == (key, 32, 0o600)
    path.write_bytes(key[:7])
    with pytest.raises(Trouble, match="is damaged: it has 7 bytes, not 32"):
        load_key(path)
