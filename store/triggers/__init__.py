"""The triggers, made from the rules in `core`: what the database itself refuses and records.

The BEFORE INSERT guards exist because `INSERT OR REPLACE` deletes a row without asking its delete triggers.
"""

from store.triggers.executions import execution_guards
from store.triggers.jobs import job_guards
from store.triggers.others import other_guards
from store.triggers.records import job_records


def all_triggers() -> tuple[str, ...]:
    """Every CREATE TRIGGER statement, in a fixed order."""
    return (*job_guards(), *job_records(), *execution_guards(), *other_guards())
