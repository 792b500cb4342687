"""A file of an older version becomes exactly what a new one is, with all that is in it."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.schema import CreateIndex, CreateTable

from core.refusals import Trouble
from core.status import Status
from store import sqlite
from store.migrate import MIGRATIONS, migrate
from store.schema import metadata
from store.store import Store
from store.triggers import all_triggers
from store.version import SCHEMA_VERSION
from tests.store.raw import RawStore

LATER = '''"""A later version."""

from alembic import op

revision = "9999"
down_revision = "{head}"


def upgrade() -> None:
    op.execute("ALTER TABLE jobs ADD COLUMN mood TEXT")
    {then}
'''


def schema_of(path: Path) -> set[tuple[str, str, str]]:
    """Everything that the file says it consists of, with the space between words levelled."""
    connection = sqlite.connect(path)
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return {(row["type"], row["name"], " ".join(row["sql"].split())) for row in rows}


def later_version(tmp_path: Path, then: str = "pass") -> Path:
    """The migrations with one more behind them."""
    scripts = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS, scripts)
    head = sorted(file.name for file in (MIGRATIONS / "versions").glob("0*.py"))[-1][:4]
    (scripts / "versions" / "9999_later.py").write_text(LATER.format(head=head, then=then))
    return scripts


def upgrade(path: Path, scripts: Path) -> None:
    migrate(path, lambda: sqlite.connect(path), scripts, SCHEMA_VERSION + 1)


@pytest.fixture
def lived_in(raw: RawStore, store_path: Path) -> Path:
    """A store with a job in every state."""
    for status in Status:
        raw.job_in(status)
    return store_path


def test_a_migrated_store_has_the_schema_that_the_code_declares(store_path: Path) -> None:
    dialect = create_engine("sqlite://").dialect
    declared = {("trigger", text.split()[2], " ".join(text.split())) for text in all_triggers()}
    for table in metadata.tables.values():
        declared.add(("table", table.name, " ".join(str(CreateTable(table).compile(dialect=dialect)).split())))
        for index in table.indexes:
            declared.add(("index", str(index.name), " ".join(str(CreateIndex(index).compile(dialect=dialect)).split())))
    ours = {entry for entry in schema_of(store_path) if not entry[1].startswith(("sqlite_", "alembic_"))}
    assert ours == declared


def test_an_old_file_becomes_what_a_new_one_is(lived_in: Path, tmp_path: Path) -> None:
    scripts = later_version(tmp_path)
    fresh = tmp_path / "fresh.db"
    sqlite.create_file(fresh)
    upgrade(fresh, scripts)
    upgrade(lived_in, scripts)
    assert schema_of(lived_in) == schema_of(fresh)
    assert any(" mood TEXT" in sql for _, name, sql in schema_of(fresh) if name == "jobs")


def test_a_migration_keeps_every_row_and_every_guard(lived_in: Path, tmp_path: Path) -> None:
    connection = sqlite.connect(lived_in)
    tables = ("jobs", "executions", "job_history", "approvals", "job_counts", "queue_buckets")

    def rows(table: str) -> list[tuple[object, ...]]:
        columns = [row["name"] for row in connection.execute(f"PRAGMA table_info({table})") if row["name"] != "mood"]
        return [tuple(row) for row in connection.execute(f"SELECT {', '.join(columns)} FROM {table}")]

    before = {table: rows(table) for table in tables}
    upgrade(lived_in, later_version(tmp_path))
    assert {table: rows(table) for table in tables} == before
    with pytest.raises(sqlite.driver.IntegrityError, match="a finished job never changes"):
        connection.execute("UPDATE jobs SET tags = '{}' WHERE status = 'FAILED'")
    connection.close()


@pytest.mark.parametrize(
    "breaks",
    ["raise RuntimeError('power cut')", "op.execute('NO SUCH WORDS')", "op.execute('DELETE FROM executions')"],
)
def test_a_migration_that_fails_leaves_the_file_as_it_was(lived_in: Path, tmp_path: Path, breaks: str) -> None:
    before = schema_of(lived_in)
    with pytest.raises(Exception, match=r"power cut|syntax error|was not migrated"):
        upgrade(lived_in, later_version(tmp_path, breaks))
    assert schema_of(lived_in) == before
    connection = sqlite.connect(lived_in)
    assert connection.execute("SELECT count(*) FROM executions").fetchone()[0] > 0
    assert connection.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
    connection.close()


def test_a_current_file_is_opened_without_a_migration(store: Store, make_store: Callable[[], Store]) -> None:
    before = store.path.read_bytes()
    make_store()
    assert store.path.read_bytes() == before


def test_a_row_that_would_point_nowhere_stops_a_migration(lived_in: Path, tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="would point nowhere; nothing was changed"):
        upgrade(lived_in, later_version(tmp_path, "op.execute('DELETE FROM executions')"))


def test_a_file_of_the_first_version_becomes_what_a_new_one_is(tmp_path: Path) -> None:
    scripts, old, fresh = tmp_path / "migrations", tmp_path / "old.db", tmp_path / "fresh.db"
    shutil.copytree(MIGRATIONS, scripts)
    for file in (scripts / "versions").glob("0*.py"):
        if not file.name.startswith("0001"):
            file.unlink()
    sqlite.create_file(old)
    migrate(old, lambda: sqlite.connect(old), scripts, 1)
    Store(old).close()
    Store(fresh).close()
    assert schema_of(old) == schema_of(fresh)
