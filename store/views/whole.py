"""One job with everything that belongs to it."""

from store.rows import approval_of, job_of
from store.tx import Ref
from store.views.chains import ChainViews
from store.views.gates import APPROVALS_OF_JOB
from store.views.values import WholeJob

TEMPLATE_NAME = "SELECT name FROM job_templates WHERE template_id = :template_id"
SCHEDULE_NAME = "SELECT name FROM schedules WHERE schedule_id = :schedule_id"


class WholeViews(ChainViews):
    """A job, whole."""

    def whole_job(self, ref: Ref) -> WholeJob:
        """A job with its executions, chain, gates and where it came from."""
        row = self.job_row(ref)
        template = self.one(TEMPLATE_NAME, template_id=row["template_id"])
        schedule = self.one(SCHEDULE_NAME, schedule_id=row["schedule_id"])
        return WholeJob(
            job=job_of(row),
            executions=self.executions_of(row["job_id"]),
            chain=[job.id for job in self.chain_jobs(row)],
            approvals=[approval_of(one) for one in self.all(APPROVALS_OF_JOB, job_id=row["job_id"])],
            template=None if template is None else template["name"],
            schedule=None if schedule is None else schedule["name"],
        )
