"""Bring a file to the current schema, in one transaction, whatever version it had."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine, event, text
from sqlalchemy.pool import NullPool

from core.refusals import Trouble
from core.status import Status
from store import sqlite
from store.schema import job_counts
from store.triggers import all_triggers
from store.version import SCHEMA_VERSION

MIGRATIONS = Path(__file__).parent / "migrations"


def migrate(path: Path, connect: Callable[[], Any], scripts: Path = MIGRATIONS, target: int = SCHEMA_VERSION) -> None:
    """Upgrade the file and make its triggers anew; a crash in the middle leaves it as it was."""
    engine = create_engine("sqlite://", creator=connect, module=sqlite.driver, poolclass=NullPool)
    # Table rebuilds must not cascade into children, and the pragma does nothing inside a transaction.
    event.listen(engine, "connect", lambda raw, _record: raw.execute("PRAGMA foreign_keys = OFF"))
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    with engine.connect() as connection, connection.begin():
        if _version(connection) == target:
            return
        for name in connection.scalars(text("SELECT name FROM sqlite_schema WHERE type = 'trigger'")).all():
            connection.exec_driver_sql(f'DROP TRIGGER "{name}"')
        config = Config()
        config.set_main_option("script_location", str(scripts).replace("%", "%%"))
        config.attributes["connection"] = connection
        command.upgrade(config, ScriptDirectory.from_config(config).get_current_head() or "head")
        for statement in all_triggers():
            connection.exec_driver_sql(statement)
        _fill_counts(connection)
        broken = connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        if broken is not None:
            raise Trouble(f"{path} was not migrated: a row of {broken[0]} would point nowhere; nothing was changed")
        connection.exec_driver_sql(f"PRAGMA application_id = {sqlite.APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {target}")
    engine.dispose()


def _version(connection: Connection) -> int:
    return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())


def _fill_counts(connection: Connection) -> None:
    """Every status has its counter row from the start, so that counting is always a plain update."""
    for status in Status:
        connection.execute(job_counts.insert().prefix_with("OR IGNORE").values(status=status, n=0))
