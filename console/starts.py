"""What a new job starts from: the defaults, over them its type's settings, over these a template's."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from console.wishes import DEFAULT, Here, laid_over
from core.config import Config
from core.job_types import JobType, Kind, argv_of, check_command, target_of
from core.jobs import NewJob


@dataclass(frozen=True)
class Start:
    """Where the wishes for a job begin."""

    job: NewJob
    job_type: JobType
    here: Here

    def with_defaults(self, wanted: Mapping[str, Any]) -> "Start":
        """The same, with these wishes for every job that starts here."""
        return replace(self, job=laid_over(self.job, wanted, self.here)) if wanted else self

    def submission(self, wanted: Mapping[str, Any]) -> NewJob:
        """The job that these wishes make; one that could never be started is refused."""
        new = laid_over(self.job, wanted, self.here)
        if self.job_type.kind is Kind.PYTHON:
            target_of(self.job_type, new.command)
        elif not new.command.argv:
            argv_of(self.job_type, new.command, new.params)
        return new

    def template(self, wanted: Mapping[str, Any]) -> NewJob:
        """What these wishes make a template of; params may still be missing."""
        new = laid_over(self.job, wanted, self.here)
        check_command(self.job_type, new.command)
        return new


def start(config: Config, here: Here, type_name: str | None, template: NewJob | None = None) -> Start:
    """Where a job of that type begins, or one of the template's or the plain type when none is named."""
    base = DEFAULT if template is None else template
    job_type = config.type_named(base.job_type if type_name is None else type_name)
    if job_type.cwd is not None:
        here = replace(here, runs_in=None)
    if job_type.name in config.types:
        base = job_type.new_job() if template is None else _over_type(template, job_type)
    return Start(base, job_type, here)


def _over_type(template: NewJob, job_type: JobType) -> NewJob:
    """The template, with its type's settings where it has none of its own."""
    return replace(
        template,
        params={**job_type.params, **template.params},
        timeout=job_type.timeout if template.timeout is None else template.timeout,
        approval=job_type.approval if template.approval is None else template.approval,
        concurrency_key=template.concurrency_key or job_type.concurrency_key,
    )
