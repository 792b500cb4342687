"""Whether rows can be read back as what they stand for: one that can't would break every list that it is in."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

from core.refusals import BadInput
from core.retry import parse_backoff
from store.doctor.dossiers import Dossier
from store.doctor.findings import Finding
from store.rows import Row, approval_of, execution_of, job_of
from store.template_rows import template_of

TEMPLATES = "SELECT * FROM job_templates ORDER BY id"


def templates(connection: Any) -> Iterator[Finding]:
    """Templates that no job can be made of."""
    for row in connection.execute(TEMPLATES).fetchall():
        for words in _trouble(template_of, row):
            yield Finding(f'template "{row["name"]}"', f"it can't be read: {words}")


def examine_columns(dossier: Dossier) -> Iterator[str]:
    """What can't be read of a job, its executions and its gates."""
    job = dossier.job
    yield from (f"can't be read: {words}" for words in _trouble(job_of, job))
    wrong = _backoff(job["backoff"])
    if wrong is not None:
        yield f"its backoff can't be read: {wrong}"
    for row in dossier.executions:
        yield from (f"execution {row['exec_id']} can't be read: {words}" for words in _trouble(execution_of, row))
    for row in dossier.approvals:
        gate = {**dict(row), "job": job["id"]}
        yield from (f'its gate "{row["name"]}" can\'t be read: {words}' for words in _trouble(approval_of, gate))


# Most jobs share a few of them.
@lru_cache(maxsize=1024)
def _backoff(text: str) -> str | None:
    try:
        parse_backoff(text)
    except BadInput as error:
        return str(error)
    return None


def _trouble(read: Callable[[Row], object], row: Row) -> Iterator[str]:
    try:
        read(row)
    except ValueError:
        # A state that is none, or text that is no JSON: the rules have found that already, with its name.
        return
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        yield f"{type(error).__name__}: {error}"
