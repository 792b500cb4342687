"""Deleting a reservation finds the jobs that name it by an index."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute("CREATE INDEX jobs_of_reservation ON jobs (reservation_id) WHERE reservation_id IS NOT NULL")
