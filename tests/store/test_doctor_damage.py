"""The doctor on damage: pages that are broken, indexes that lost rows, a schema that is not ours."""

import os
from pathlib import Path

import pytest

from tests.store.patient import Patient

PAGE = 4096
TWO_HUNDRED_OF_ONE_KEY = """
WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 200)
INSERT INTO jobs (job_id, job_type, job_key, status, queued_at, created_at, created_by, updated_at, updated_by, event)
SELECT printf('%036d', n), 't', 'k', 'QUEUED', 1, 1, '', 1, '', '' FROM number
"""
RENAME_THE_LAST = "UPDATE jobs SET job_key = 'renamed' WHERE id = (SELECT max(id) FROM jobs)"


def overwrite(path: Path, start: int, length: int) -> None:
    """Put noise over part of a file."""
    with path.open("r+b") as file:
        file.seek(start)
        file.write(b"\xaa" * length)


def break_root(patient: Patient, name: str) -> int:
    """Put noise over the first page of a table or an index, and give its number."""
    page = int(patient.value("SELECT rootpage FROM sqlite_schema WHERE name = :name", name=name))
    overwrite(patient.path, (page - 1) * PAGE, PAGE)
    return page


def damaged(patient: Patient) -> str:
    """What is told to be damaged, which is then all that is told."""
    ((subject, words),) = patient.findings()
    assert subject == "store"
    return words.removeprefix("the file is damaged: ").removesuffix("; restore a backup")


def test_a_broken_page_is_told_and_nothing_is_read_from_the_file(patient: Patient) -> None:
    patient.harm("UPDATE job_counts SET n = 0")
    page = break_root(patient, "jobs_keys")
    before = patient.path.read_bytes()
    assert f"page {page}: " in damaged(patient)
    assert patient.path.read_bytes() == before


def test_that_the_check_gave_up_over_broken_pages_counts_with_them(patient: Patient) -> None:
    break_root(patient, "jobs_keys")
    assert damaged(patient).endswith(" (and 1 more of this kind)")
    break_root(patient, "job_history_of_job")
    assert damaged(patient).endswith(" (and 2 more of this kind)")


def test_a_file_that_lost_its_end_is_told(patient: Patient) -> None:
    os.truncate(patient.path, patient.path.stat().st_size // 2)
    assert damaged(patient)


def test_a_broken_schema_is_told_as_damage(patient: Patient) -> None:
    overwrite(patient.path, 100, PAGE - 100)
    assert damaged(patient) == "database disk image is malformed"


def test_a_row_that_an_index_has_lost_is_told_even_behind_a_hundred_that_break_rules(patient: Patient) -> None:
    patient.harm_twice("jobs", "jobs_one_live_per_key", TWO_HUNDRED_OF_ONE_KEY)
    with patient.rules_off() as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'jobs_keys'").fetchone()
        for declared, statement in ((f"{sql} WHERE 0", RENAME_THE_LAST), (sql, "SELECT 1")):
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute("UPDATE sqlite_schema SET sql = :sql WHERE name = 'jobs_keys'", {"sql": declared})
            connection.execute("PRAGMA writable_schema = RESET")
            connection.execute(statement)
    assert "missing from index jobs_keys" in damaged(patient)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("DROP TRIGGER jobs_final", "the trigger jobs_final is missing"),
        ("DROP INDEX jobs_queue", "the index jobs_queue is missing"),
        ("CREATE TABLE notes (text TEXT)", "the table notes is none of jobdeck's"),
        ("CREATE VIEW ours AS SELECT 1", "the view ours is none of jobdeck's"),
    ],
)
def test_a_schema_that_is_not_ours_is_told(patient: Patient, statement: str, words: str) -> None:
    with patient.connection() as connection:
        connection.execute(statement)
    assert patient.findings() == [("schema", words)]


def test_a_guard_that_was_weakened_is_told(patient: Patient) -> None:
    with patient.connection() as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_schema WHERE name = 'jobs_final'").fetchone()
        connection.execute("DROP TRIGGER jobs_final")
        connection.execute(sql.replace("WHEN", "WHEN NEW.id < 0 AND"))
    assert patient.findings() == [("schema", "the trigger jobs_final is not as this version makes it")]


@pytest.mark.parametrize("table", ["approvals", "jobs", "settings"])
def test_a_missing_table_is_told_first(patient: Patient, table: str) -> None:
    with patient.connection() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for name in [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")]:
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(f"DROP TABLE {table}")
    findings = patient.findings()
    assert ("schema", f"the table {table} is missing") in findings
    subject, words = findings[-1]
    assert subject == "store"
    assert words.startswith(f"the store {patient.path} failed: no such table: ")
