"""The doctor on files: who can reach them, whose they are, that all can be read; and that it changes none."""

import os
import sqlite3
from collections.abc import Iterator

import pytest

from store import sqlite
from store.doctor.files import WILD_WAL
from store.version import SCHEMA_VERSION
from tests.store.ordinary_user import copy_for_an_ordinary_user, ordinary_user
from tests.store.patient import Patient

PAGE = 4096


@pytest.fixture
def foreign(patient: Patient) -> Iterator[Patient]:
    """A healthy store of an ordinary user's, after a first look that has loaded everything a look needs."""
    with copy_for_an_ordinary_user(patient.home) as home:
        assert patient.findings() == []
        yield Patient(home)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("", 0o750, 0o700),
        ("logs", 0o705, 0o700),
        ("jobdeck.db", 0o644, 0o600),
        ("jobdeck.db-wal", 0o620, 0o600),
        ("jobdeck.db-shm", 0o602, 0o600),
        ("jobdeck.key", 0o640, 0o600),
    ],
)
def test_what_others_can_reach_is_told(patient: Patient, name: str, wrong: int, right: int) -> None:
    (patient.home / "logs").mkdir(mode=0o700)
    with patient.connection() as connection:
        connection.execute("SELECT count(*) FROM jobs").fetchall()
        path = patient.home / name
        path.chmod(wrong)
        assert patient.findings() == [
            ("files", f"{path} has mode {wrong:04o}, so others can reach it; set it to {right:04o}"),
        ]


def test_logs_that_others_can_reach_are_counted(patient: Patient) -> None:
    logs = patient.home / "logs"
    logs.mkdir(mode=0o700)
    for name, mode in (("a.log", 0o600), ("b.log", 0o644), ("c.log", 0o660)):
        (logs / name).touch()
        (logs / name).chmod(mode)
    (logs / "elsewhere").symlink_to(logs / "b.log")
    ((subject, words),) = patient.findings()
    assert subject == "files"
    assert words in {
        f"2 log files in {logs} can be reached by others, such as {name}; set them to 0600"
        for name in ("b.log", "c.log")
    }


@pytest.mark.skipif(sqlite3.sqlite_version_info >= sqlite.SAFE_VERSION, reason="this Python has a newer SQLite")
def test_an_sqlite_with_the_reset_bug_is_told(patient: Patient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "driver", sqlite3)
    report = patient.report()
    ((subject, words),) = [(one.subject, one.words) for one in report.findings]
    assert subject == "sqlite"
    assert words.startswith(f"SQLite {sqlite3.sqlite_version} can, rarely, damage a file")
    assert report.facts["sqlite"] == f"{sqlite3.sqlite_version} (sqlite3)"


def test_a_report_says_what_the_file_is_like(patient: Patient) -> None:
    with patient.connection() as connection:
        connection.execute("UPDATE schedules SET updated_at = updated_at + 1")
        facts = patient.report().facts
        wal = (patient.home / "jobdeck.db-wal").stat().st_size
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
    assert wal > 0
    expected = {"schema version": SCHEMA_VERSION, "journal": "wal", "page size": PAGE, "pages": pages, "WAL bytes": wal}
    assert facts.items() >= expected.items()
    assert str(facts["sqlite"]).startswith(sqlite.driver.sqlite_version)


def test_a_store_that_is_not_there_is_told(patient: Patient) -> None:
    patient.path.unlink()
    assert patient.findings() == [("store", f"there is no store at {patient.path}")]
    assert not patient.path.exists()


def test_a_path_below_a_file_is_told(patient: Patient) -> None:
    below = Patient(patient.key / "home")
    ((subject, words),) = below.findings()
    assert (subject, words) == ("store", f"{below.home} can't be examined: not a directory")


def test_an_empty_file_is_told_and_stays_empty(patient: Patient) -> None:
    patient.path.write_bytes(b"")
    assert patient.findings() == [
        ("store", f"{patient.path} is empty; the first job makes a store of it: jobdeck submit -- echo hello"),
    ]
    assert patient.path.read_bytes() == b""


def test_a_file_that_is_no_database_is_told(patient: Patient) -> None:
    text = b"dear diary\n" * 1000
    patient.path.write_bytes(text)
    assert patient.findings() == [
        ("store", f"{patient.path} is not a jobdeck store (it is no SQLite database); nothing was touched"),
    ]
    assert patient.path.read_bytes() == text


def test_another_program_s_database_is_told(patient: Patient) -> None:
    with patient.connection() as connection:
        connection.execute("PRAGMA application_id = 7")
    report = patient.report()
    assert [one.words for one in report.findings] == [f"{patient.path} is an SQLite database, but not a jobdeck store"]
    assert report.facts == {}


@pytest.mark.parametrize(
    ("version", "words"),
    [
        (
            SCHEMA_VERSION + 1,
            f"its schema is version {SCHEMA_VERSION + 1} and this jobdeck knows {SCHEMA_VERSION}; use a newer jobdeck",
        ),
        (
            SCHEMA_VERSION - 1,
            f"its schema is version {SCHEMA_VERSION - 1}, not {SCHEMA_VERSION}; bring it up to date with: jobdeck list",
        ),
    ],
)
def test_a_store_of_another_version_is_told(patient: Patient, version: int, words: str) -> None:
    with patient.connection() as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    assert patient.findings() == [("store", words)]


def test_a_store_without_a_wal_is_told(patient: Patient) -> None:
    with patient.connection() as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    report = patient.report()
    words = f"it has no WAL; give it one with: sqlite3 {patient.path} 'PRAGMA journal_mode = WAL'"
    assert [(one.subject, one.words) for one in report.findings] == [("store", words)]
    assert report.facts["journal"] == "delete"


def test_a_look_changes_nothing(patient: Patient) -> None:
    patient.harm("UPDATE jobs SET attempt = 9 WHERE job_key = 'running'")
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in patient.home.iterdir()}
    assert set(before) == {patient.path, patient.key}
    assert patient.findings() != []
    assert {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in before} == before


def test_what_is_only_in_the_wal_is_seen_and_left_there(patient: Patient) -> None:
    with patient.connection() as connection:
        connection.execute("UPDATE job_counts SET n = 0 WHERE status = 'RUNNING'")
        wal = patient.path.with_name("jobdeck.db-wal").read_bytes()
        before = patient.path.read_bytes()
        assert patient.findings() == [("counters", "0 jobs are counted as RUNNING, but 4 are")]
        assert patient.path.read_bytes() == before
        assert patient.path.with_name("jobdeck.db-wal").read_bytes() == wal


def test_a_store_at_work_is_looked_at_as_it_was_before_the_open_transaction(patient: Patient) -> None:
    with patient.connection() as connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("UPDATE job_counts SET n = 0")
        assert patient.findings() == []
        connection.execute("ROLLBACK")


def test_a_store_that_can_only_be_read_is_looked_at(foreign: Patient) -> None:
    foreign.path.chmod(0o400)
    foreign.home.chmod(0o500)
    with ordinary_user():
        report = foreign.report()
    assert (report.findings, report.facts["journal"]) == ([], "wal")
    assert {file.name for file in foreign.home.iterdir()} == {"jobdeck.db", "jobdeck.key"}


def test_damage_is_found_where_nothing_can_be_written(foreign: Patient) -> None:
    foreign.harm("UPDATE job_counts SET n = 0 WHERE status = 'RUNNING'")
    foreign.home.chmod(0o500)
    with ordinary_user():
        assert foreign.findings() == [("counters", "0 jobs are counted as RUNNING, but 4 are")]


def test_a_wal_that_can_t_be_shared_is_not_passed_over(foreign: Patient) -> None:
    with foreign.connection() as connection:
        connection.execute("UPDATE job_counts SET n = 0 WHERE status = 'RUNNING'")
        copies = {file: file.read_bytes() for file in foreign.home.iterdir() if not file.name.endswith("-shm")}
    for file, content in copies.items():
        file.write_bytes(content)
        file.chmod(0o644)
    foreign.home.chmod(0o555)
    with ordinary_user():
        assert [subject for subject, _ in foreign.findings() if subject == "store"] == ["store"]


@pytest.mark.parametrize(
    ("name", "subject", "words"),
    [
        ("jobdeck.db", "store", "{path} can't be read: permission denied"),
        ("jobdeck.key", "key", "the key file {path} can't be read: permission denied"),
        ("", "store", "{path}logs can't be examined: permission denied"),
    ],
)
def test_what_may_not_be_read_is_told(foreign: Patient, name: str, subject: str, words: str) -> None:
    (foreign.home / name).chmod(0)
    path = f"{foreign.home}/{name}"
    with ordinary_user():
        findings = foreign.findings()
    foreign.home.chmod(0o700)
    assert [(who, what) for who, what in findings if who == subject][:1] == [(subject, words.format(path=path))]


def test_a_wal_that_has_grown_wild_is_a_finding(patient: Patient) -> None:
    wal = patient.home / "jobdeck.db-wal"
    with patient.connection() as connection:
        connection.execute("UPDATE schedules SET updated_at = updated_at + 1")
        assert patient.findings() == []
        # No disk is needed for it: what is not written takes no room.
        os.truncate(wal, WILD_WAL + 1)
        ((subject, words),) = patient.findings()
    assert subject == "store"
    assert words.startswith("its WAL has 1,024 MiB beside a file of ")
