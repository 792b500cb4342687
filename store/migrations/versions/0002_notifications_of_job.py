"""Deleting a job finds the notifications that name it by an index, and deleting a reservation its jobs."""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.execute("CREATE INDEX jobs_of_reservation ON jobs (reservation_id) WHERE reservation_id IS NOT NULL")
    op.execute("CREATE INDEX notifications_of_job ON notifications (job_id) WHERE job_id IS NOT NULL")
