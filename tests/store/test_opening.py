"""Opening a file: ours is made or used, anything else gets one sentence and is left as it was."""

import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest

from core.jobs import NewJob
from core.refusals import JobdeckError, Trouble
from store import sqlite
from store.doctor import examine
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


def crashed(path: Path, home: Path) -> Path:
    """What a crash at this moment would leave: the file, and the log beside it."""
    home.mkdir(mode=0o700)
    for name in (path.name, f"{path.name}-wal"):
        if path.with_name(name).exists():
            # Not by this process: closing the file would take its locks away.
            subprocess.run(["cp", path.with_name(name), home / name], check=True)
            (home / name).chmod(0o600)
    return home / path.name


@contextmanager
def watched(path: Path) -> Iterator[None]:
    """Someone else has the file open, so what is written stays in the log."""
    sqlite.create_file(path)
    connection = sqlite.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    try:
        yield
    finally:
        connection.close()


def test_a_store_whose_first_user_was_killed_is_that_store(tmp_path: Path) -> None:
    path = tmp_path / "jobdeck.db"
    with watched(path), Store(path) as store:
        number = submit(store, NewJob(job_key="first"))
        left = crashed(path, tmp_path / "left")
    assert int.from_bytes(left.read_bytes()[68:72]) == 0, "the file itself does not know yet that it is ours"
    with Store(left) as store, store.read() as views:
        assert views.job(number).job_key == "first"
    assert examine(left, tmp_path / "jobdeck.key", tmp_path).findings == []


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "beside others"])
def test_making_a_store_can_be_cut_off_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: bool) -> None:
    path, connect = tmp_path / "jobdeck.db", sqlite.connect
    states: dict[str, Path] = {}

    def traced(path: Path, *, read_only: bool = False) -> Any:
        connection = connect(path, read_only=read_only)
        connection.set_trace_callback(look)
        return connection

    def look(_: str = "") -> None:
        files = sorted(str(one) for one in tmp_path.glob("jobdeck.db*") if not one.name.endswith("-shm"))
        state = subprocess.run(["sha256sum", *files], check=True, capture_output=True, text=True).stdout
        if state not in states:
            states[state] = crashed(path, tmp_path / f"left{len(states)}")

    with nullcontext() if alone else watched(path), monkeypatch.context() as patched:
        patched.setattr(sqlite, "connect", traced)
        with Store(path):
            look()
    assert len(states) >= 2
    for left in states.values():
        with Store(left) as store:
            submit(store)


def locks_on(path: Path) -> list[str]:
    """The locks that this process holds on a file, as the kernel tells."""
    held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    mine = [one for one in held if one[-4] == str(os.getpid()) and one[-3].endswith(f":{path.stat().st_ino}")]
    return [" ".join(one[-5:-4] + one[-2:]) for one in mine]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="only Linux tells which locks are held")
def test_opening_a_store_once_more_takes_no_lock_away(store: Store, make_store: Callable[[], Store]) -> None:
    with store.read() as views:
        views.counts()
    before = locks_on(store.path)
    assert before
    with make_store() as again:
        assert locks_on(store.path) == before
        submit(again)
    assert locks_on(store.path) == before


def test_a_tiny_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "note").write_text("milk")
    assert "is no SQLite database" in sentence(tmp_path / "note")


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
