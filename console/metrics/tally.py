"""Counters over what has ended since someone began to count, in a bounded number of kinds."""

from collections import Counter
from collections.abc import Iterable

from console.metrics.text import Family
from core.status import Status
from store.views.measures import End

BOUNDS = (0.1, 0.5, 1.0, 5.0, 15.0, 60.0, 300.0, 1800.0, 3600.0, 14400.0, 86400.0)
"""Seconds up to which runs are counted together."""
MOST_TYPES = 50
OTHER = "other"
"""What types beyond the first fifty are counted as; a label of a million values helps nobody."""


class Tally:
    """What has ended, by type and state, with how long it took."""

    def __init__(self) -> None:
        self._types: set[str] = set()
        self._ends: Counter[tuple[str, Status]] = Counter()
        self._retries: Counter[str] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._took: Counter[str] = Counter()
        self._seconds: dict[str, float] = {}

    def count(self, ends: Iterable[End]) -> None:
        """Count these, too."""
        for end in ends:
            name = self._named(end.job_type)
            self._ends[name, end.status] += 1
            self._retries[name] += end.retries
            if end.took is None:
                continue
            seconds = end.took.total_seconds()
            self._took[name] += 1
            self._seconds[name] = self._seconds.get(name, 0.0) + seconds
            for bound in BOUNDS:
                self._within[name, bound] += seconds <= bound

    def families(self, since: str) -> list[Family]:
        """The counters, as samples."""
        ended = Family("jobdeck_jobs_ended_total", "counter", f"Jobs that ended, {since}, by type and state.")
        for (name, status), n in sorted(self._ends.items()):
            ended.add(n, type=name, status=status.value)
        retries = Family("jobdeck_retries_total", "counter", f"Retries that jobs needed which ended, {since}, by type.")
        for name, n in sorted(self._retries.items()):
            retries.add(n, type=name)
        took = Family(
            "jobdeck_job_duration_seconds",
            "histogram",
            f"From first start to end, of jobs that ended, {since}, by type.",
        )
        for name in sorted(self._took):
            for bound in BOUNDS:
                took.add(self._within[name, bound], "_bucket", type=name, le=f"{bound:g}")
            took.add(self._took[name], "_bucket", type=name, le="+Inf")
            took.add(self._seconds[name], "_sum", type=name).add(self._took[name], "_count", type=name)
        return [ended, retries, took]

    def _named(self, job_type: str) -> str:
        if job_type not in self._types and len(self._types) < MOST_TYPES:
            self._types.add(job_type)
        return job_type if job_type in self._types else OTHER
