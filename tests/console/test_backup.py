"""`backup` and `restore`: a copy while everything goes on, and the way back."""

from pathlib import Path

import pytest

from core.machine.leadlock import FileLock
from store.store import Store
from tests.console.conftest import Cli


@pytest.fixture
def backed_up(cli: Cli, tmp_path: Path) -> Path:
    """A backup of a store with a job and an open gate in it."""
    cli("submit", "--key", "first", "--", "a")
    file = tmp_path / "back up.db"
    ran = cli("backup", str(file))
    assert ran.code == 0
    assert ran.out.endswith(f" backed up to {file}\n")
    return file


def keys(cli: Cli) -> list[str]:
    return [job["job_key"] for job in cli("list", "--json").json]


def test_what_is_restored_is_what_was_backed_up(cli: Cli, backed_up: Path, store_path: Path) -> None:
    cli("submit", "--key", "later", "--", "a")
    ran = cli("restore", str(backed_up), "--replace")
    assert (ran.code, ran.out) == (0, f"restored to {store_path}\n")
    assert keys(cli) == ["first"]
    assert cli("doctor").code == 0
    [before] = store_path.parent.glob("jobdeck.db.before-*[0-9]")
    assert "what was there before is now" in ran.err
    with Store(before) as store, store.read() as views:
        assert [row.job_key for row in views.queue_window(0, 9).rows] == ["first", "later"]


def test_a_backup_is_made_while_someone_writes(cli: Cli, store: Store, tmp_path: Path) -> None:
    cli("submit", "--key", "stored", "--", "a")
    with store.write("ann") as work:
        work.pause()
        assert cli("backup", str(tmp_path / "b.db")).code == 0
    with Store(tmp_path / "b.db") as copy, copy.read() as views:
        assert views.paused() is None
        assert views.queue_window(0, 9).total == 1


def test_files_of_a_backup_are_for_their_owner_only(backed_up: Path) -> None:
    for file in backed_up.parent.glob("back up.db*"):
        assert file.stat().st_mode & 0o777 == 0o600


def test_a_backup_overwrites_nothing(cli: Cli, backed_up: Path) -> None:
    before = backed_up.read_bytes()
    ran = cli("backup", str(backed_up))
    assert ran.code == 3
    assert "exists already" in ran.err
    assert backed_up.read_bytes() == before


def test_a_store_is_not_replaced_by_accident(cli: Cli, backed_up: Path) -> None:
    ran = cli("restore", str(backed_up))
    assert ran.code == 3
    assert "--replace" in ran.err


def test_nothing_is_restored_under_a_running_engine(cli: Cli, backed_up: Path, store_path: Path) -> None:
    run = store_path.with_suffix(".run")
    run.mkdir(mode=0o700)
    lock = FileLock(run / "lock")
    assert lock.acquire()
    ran = cli("restore", str(backed_up), "--replace")
    lock.release()
    assert (ran.code, ran.err) == (3, "jobdeck: an engine runs on this store; stop it first\n")
    assert cli("restore", str(backed_up), "--replace").code == 0


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_backup_that_is_not_sound_is_refused_and_nothing_is_touched(
    cli: Cli, backed_up: Path, store_path: Path, damage: bytes | None
) -> None:
    whole = backed_up.read_bytes()
    backed_up.write_bytes(whole[: len(whole) // 2] if damage is None else damage)
    ran = cli("restore", str(backed_up), "--replace")
    assert ran.code == 1
    assert keys(cli) == ["first"]
    assert list(store_path.parent.glob("*before*")) == []
    assert list(store_path.parent.glob(".*.part")) == []


def test_a_disk_that_is_full_leaves_no_half_backup(cli: Cli, tmp_path: Path) -> None:
    cli("submit", "--", "a")
    ran = cli("backup", str(tmp_path / "no" / "such" / "directory.db"))
    assert ran.code == 1
    assert list(tmp_path.rglob("*.part")) == []
