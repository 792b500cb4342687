"""`prune`: what goes, what is said about it, and the archive that it is written down in."""

import gzip
import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from console.archive import Archive
from console.home import Places
from console.housekeeping import housekeeping
from core.config import Config
from core.engine.events import Event
from core.jobs import NewJob
from core.machine.leadlock import FileLock
from core.retention import Retention
from store.retention import prune
from store.store import Store
from tests.conftest import Clock
from tests.console.conftest import Cli
from tests.store.running_jobs import TRUE, submit


def cancelled(store: Store, *keys: str) -> None:
    """Jobs that have ended."""
    for key in keys:
        ref = submit(store, NewJob(command=TRUE, job_key=key, params={"n": 1}))
        with store.write("ann") as work:
            work.cancel(ref, "no need")


@pytest.fixture
def old(store: Store, clock: Clock) -> Store:
    """A store with three jobs that have ended a month ago, and one that just has."""
    cancelled(store, "a", "b", "c")
    clock.forward(days=31)
    cancelled(store, "d")
    return store


def keys(cli: Cli) -> list[str]:
    return sorted(job["job_key"] for job in cli("list", "--json").json)


def lines(path: Path) -> list[Any]:
    with gzip.open(path, "rt") as file:
        return [json.loads(text) for text in file]


@pytest.mark.usefixtures("old")
def test_a_dry_run_says_what_would_go(cli: Cli) -> None:
    ran = cli("prune", "--older-than", "30d", "--dry-run")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "3 finished jobs would go, with 0 logs; they ended Mon 2026-03-02 09:00 UTC to Mon 2026-03-02 09:00 UTC\n"
    )
    assert keys(cli) == ["a", "b", "c", "d"]


@pytest.mark.usefixtures("old")
def test_what_is_old_goes(cli: Cli) -> None:
    ran = cli("prune", "--older-than", "30d")
    assert ran.out.startswith("3 finished jobs went, with 0 logs; ")
    assert keys(cli) == ["d"]
    assert cli("prune", "--older-than", "30d").out == "nothing is old enough to go\n"
    assert cli("doctor").code == 0
    assert cli("status", "--json").json["last_prune"] == {"at": "2026-04-02T09:00:00Z", "jobs": 3}
    assert "3 finished jobs went, 2026-04-02 09:00:00 UTC (now)" in cli("status").out


@pytest.mark.usefixtures("old")
def test_the_answer_for_scripts(cli: Cli) -> None:
    assert cli("prune", "--keep", "1", "--dry-run", "--json").json == {
        "dry_run": True,
        "jobs": 3,
        "chains": 3,
        "logs": 0,
        "oldest": "2026-03-02T09:00:00Z",
        "newest": "2026-03-02T09:00:00Z",
        "archive": None,
        "compacted": False,
    }


def test_without_bounds_nothing_goes(cli: Cli) -> None:
    ran = cli("prune")
    assert ran.code == 2
    assert "nothing says what may go: use --older-than 30d, --keep 10000 or both" in ran.err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--older-than", "soon"), '"soon" is not a duration'),
        (("--keep", "many"), "--keep"),
        (("--keep", "-1"), "keep: -1 is out of bounds; use 0 to"),
        (("--keep", "1", "--archive", " "), "--archive is empty"),
    ],
)
def test_a_bound_that_is_none_is_refused(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli("prune", *arguments)
    assert ran.code == 2
    assert words in ran.err


def test_the_config_bounds_a_prune_without_options(cli: Cli, old: Store) -> None:
    config = old.path.with_name("config.toml")
    config.write_text('[retention]\nolder_than = "30d"\narchive = "~/kept"\n')
    assert cli("prune", "--dry-run", "--json").json["archive"] == str(Path("~/kept").expanduser())
    assert cli("config", "--json").json["retention"]["older_than"] == 30 * 86_400
    assert "30d" in cli("config").out
    config.write_text('[retention]\narchive = "~/kept"\n')
    ran = cli("prune")
    assert ran.code == 2
    assert "retention.archive: nothing is ever archived without retention.older_than or retention.keep" in ran.err


def test_what_goes_is_written_down_first(cli: Cli, old: Store, tmp_path: Path) -> None:
    with old.write("ann") as work:
        work.retry("1")
        work.cancel(5)
    where = tmp_path / "kept"
    ran = cli("prune", "--keep", "0", "--archive", str(where))
    assert f"they are archived in {where}" in ran.out
    (file,) = where.iterdir()
    assert file.name == "jobdeck-2026-04-02.jsonl.gz"
    assert (where.stat().st_mode & 0o777, file.stat().st_mode & 0o777) == (0o700, 0o600)
    found = lines(file)
    assert [(one["job_key"], one["chain"]) for one in found] == [
        ("b", [2]), ("c", [3]), ("d", [4]), ("a", [1, 5]), ("a", [1, 5]),
    ]  # fmt: skip
    assert found[0]["params"] == {"n": 1}
    assert [one["event"] for one in found[0]["history"]] == ["submit", "cancel"]


def test_an_archive_that_cannot_be_written_keeps_every_job(cli: Cli, old: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    ran = cli("prune", "--keep", "0", "--archive", str(tmp_path / "file" / "below"))
    assert ran.code == 1
    assert "nothing was deleted" in ran.err
    assert len(keys(cli)) == 4
    assert old.path.exists()


def test_a_member_that_a_crash_cut_off_is_taken_away_and_its_jobs_come_again(old: Store, tmp_path: Path) -> None:
    now = old._now()

    class Died(BaseException): ...

    def archive_then_die(jobs: Any) -> None:
        Archive(tmp_path, now)(jobs)
        raise Died

    with pytest.raises(Died):
        prune(old, Retention(keep=0), tmp_path / "logs", archive_then_die)
    archive = Archive(tmp_path, now)
    whole = archive.path.read_bytes()
    os.truncate(archive.path, len(whole) - 7)
    prune(old, Retention(keep=0), tmp_path / "logs", archive)
    assert sorted(one["job_key"] for one in lines(archive.path)) == ["a", "b", "c", "d"]


def test_two_prunes_of_a_day_share_a_file(cli: Cli, old: Store, tmp_path: Path) -> None:
    where = str(tmp_path / "kept")
    cli("prune", "--older-than", "30d", "--archive", where)
    cli("prune", "--keep", "0", "--archive", where)
    (file,) = Path(where).iterdir()
    assert [one["job_key"] for one in lines(file)] == ["a", "b", "c", "d"]
    assert old.path.exists()


def test_one_prune_at_a_time(cli: Cli, old: Store) -> None:
    run = old.path.with_suffix(".run")
    run.mkdir(mode=0o700)
    lock = FileLock(run / "prune")
    assert lock.acquire()
    ran = cli("prune", "--keep", "0")
    lock.release()
    assert ran.code == 3
    assert "another prune is at work" in ran.err


def test_the_file_is_written_anew_while_no_engine_runs(cli: Cli, old: Store) -> None:
    old.close()
    ran = cli("prune", "--keep", "0", "--compact")
    assert ran.out.splitlines()[-1] == "the file was written anew"
    lock = FileLock(old.path.with_suffix(".run") / "lock")
    assert lock.acquire()
    ran = cli("prune", "--compact")
    lock.release()
    assert ran.code == 3
    assert "an engine runs on this store" in ran.err


def test_a_leading_engine_keeps_house_by_itself(old: Store) -> None:
    places = Places(old.path.parent, old.path)
    told: list[Event] = []
    pruned = threading.Event()

    def tell(event: Event) -> None:
        told.append(event)
        pruned.set()

    with housekeeping(places, lambda: Config(retention=Retention(keep=1)), tell):
        assert pruned.wait(30)
    assert [(event.kind, event.words) for event in told] == [
        ("prune", "3 finished jobs were old enough to go, with 0 logs")
    ]


def test_a_house_that_cannot_be_kept_is_told_of(old: Store, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    places = Places(old.path.parent, old.path)
    told: list[Event] = []
    tried = threading.Event()

    def tell(event: Event) -> None:
        told.append(event)
        tried.set()

    retention = Retention(keep=1, archive=str(tmp_path / "file"))
    with housekeeping(places, lambda: Config(retention=retention), tell):
        assert tried.wait(30)
    assert told[0].kind == "trouble"
    assert told[0].words.startswith("what is old can't go: the archive ")
