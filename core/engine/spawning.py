"""From a claim to the process that runs it: which arguments, in which environment, with which log."""

import json
from pathlib import Path

from core.engine.run import Run
from core.engine.terms import Terms
from core.executions import log_name
from core.job_types import Kind, argv_of, target_of
from core.ports import Spawn

ENV_LIMIT = 100_000
"""Params beyond this are asked for over the socket; Linux starts no process with a longer variable."""


def spawn_of(run: Run, terms: Terms) -> Spawn:
    """What to start for a run; BadInput when a param or a secret is missing."""
    job, command = run.claim.job, run.claim.job.command
    if run.type.kind is Kind.PYTHON:
        target = target_of(run.type, command)
        argv: tuple[str, ...] = (run.type.python or terms.python, terms.python_job, target)
    else:
        argv = argv_of(run.type, command, job.params)
    return Spawn(
        exec_id=run.exec_id,
        argv=argv,
        cwd=command.cwd or run.type.cwd,
        env=_environment(run, terms),
        log_path=log_path(run, terms.logs),
        log_limit=terms.log_limit,
    )


def log_path(run: Run, logs: Path) -> Path:
    """Where the output of an execution goes."""
    return logs / log_name(run.claim.job.id, run.claim.attempt, run.exec_id)


def _environment(run: Run, terms: Terms) -> dict[str, str]:
    job = run.claim.job
    params = json.dumps({**run.type.params, **job.params}, ensure_ascii=False)
    ours = {
        "JOBDECK_EXEC_ID": run.exec_id,
        "JOBDECK_SECRET": run.secret,
        "JOBDECK_JOB": str(job.id),
        "JOBDECK_JOB_ID": job.job_id,
        "JOBDECK_JOB_TYPE": job.job_type,
        "JOBDECK_JOB_KEY": job.job_key,
        "JOBDECK_ATTEMPT": str(run.claim.attempt),
    }
    if len(params.encode()) < ENV_LIMIT:
        ours["JOBDECK_PARAMS"] = params
    own = terms.resolve({**run.type.env, **job.command.env})
    # A search path that the operator has written is meant.
    path = {"PATH": own["PATH"]} if "PATH" in own else {}
    return {**own, **terms.env, **path, **ours}
