"""Deleting what has ended: whole chains, with all that belongs to them, and a note of the logs that are left."""

from collections.abc import Iterable, Sequence

from store.operations.settings import Settings
from store.views.pruning import LOGS_TO_REMOVE, OldChain, PrunableViews

IS_STILL_THE_TAIL = """
SELECT 1 FROM jobs WHERE job_id = :job_id AND finished_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM jobs AS later WHERE later.retry_of = jobs.job_id)
"""
# Executions, history and gates go with it, and what has been notified of it stays.
DELETE_JOB = "DELETE FROM jobs WHERE job_id = :job_id"

# A direct job names its reservation for as long as it is kept.
FORGET_RESERVATIONS = """
DELETE FROM direct_reservations WHERE id IN (
  SELECT r.id FROM direct_reservations r WHERE r.status <> 'ACTIVE'
    AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.reservation_id = r.reservation_id) ORDER BY r.id LIMIT :limit)
"""

NOTE = "logs to remove "
PATHS_IN_A_NOTE = 200
"""A path is a few hundred bytes at most; so many fit into one setting."""


class Pruning(Settings, PrunableViews):
    """Retention, a transaction at a time."""

    def prune(self, chains: Iterable[OldChain]) -> tuple[int, list[str]]:
        """Delete these chains; how many jobs that were, and which logs they leave.

        Someone may have retried the last link of one since it was found: that chain lives, and stays whole.
        """
        deleted, logs = 0, []
        for chain in chains:
            if self.one(IS_STILL_THE_TAIL, job_id=chain.jobs[0]) is None:
                continue
            # From the last link to the first: each names the one before it.
            for job_id in chain.jobs:
                logs += self.log_paths(job_id)
                deleted += self.run(DELETE_JOB, job_id=job_id)
        self._note(logs)
        return deleted, logs

    def forget_reservations(self, limit: int = 500) -> int:
        """Delete ended reservations whose jobs are gone; how many there were."""
        return self.run(FORGET_RESERVATIONS, limit=limit)

    def note_pruned(self, jobs: int) -> None:
        """Note how many jobs a prune has deleted."""
        self.set_setting("pruned", jobs)

    def logs_removed(self, names: Iterable[str]) -> None:
        """Forget the notes whose logs are gone."""
        for name in names:
            self.forget_setting(name)

    def _note(self, logs: Sequence[str]) -> None:
        taken = [row["name"] for row in self.all(LOGS_TO_REMOVE)]
        free = 1 + max((int(name.removeprefix(NOTE)) for name in taken), default=0)
        for number, start in enumerate(range(0, len(logs), PATHS_IN_A_NOTE), start=free):
            # Zeros in front, so that the names sort as the numbers do.
            self.set_setting(f"{NOTE}{number:09d}", list(logs[start : start + PATHS_IN_A_NOTE]))
