"""One store with its jobs, and the engines that are killed on it; in the end every promise is looked at."""

import os
import shutil
import time
from collections import Counter
from pathlib import Path
from random import Random

from console.home import Places
from core.status import FINAL, Status
from store.doctor import examine
from store.store import Store
from tests.machine.crash.cast import FAR, role_of
from tests.machine.crash.engines import IDLE, ForkedEngine
from tests.machine.marks import VARIABLE, Mark
from tests.machine.waiting import LOOK_EVERY, until

TAILS = """
SELECT * FROM jobs j WHERE NOT EXISTS (SELECT 1 FROM jobs link WHERE link.retry_of = j.job_id) ORDER BY id
"""
COMMITS = """
SELECT j.job_key AS job_key, count(*) AS commits FROM executions e JOIN jobs j ON j.job_id = e.job_id
WHERE e.committed_at IS NOT NULL GROUP BY j.job_key
"""
HANDED_OVER = "SELECT exec_id FROM executions WHERE status = 'IN_PROGRESS' AND handed_over_at IS NOT NULL"
ORPHANS_END_WITHIN = 5.0
REST_WITHIN = 60.0
MOST_ROUNDS = 10


class Play:
    """A store of its own in a directory of its own."""

    def __init__(self, directory: Path, blank_store: Path) -> None:
        self.directory = directory
        self.places = Places(directory / "home", directory / "home" / "jobdeck.db")
        self.places.home.mkdir(parents=True, mode=0o700)
        shutil.copy(blank_store, self.places.db)
        self.places.db.chmod(0o600)
        self.mark = Mark()
        os.environ[VARIABLE] = self.mark.value
        self.kills = 0
        self._acknowledged: list[str] = []
        self._cancelled: set[str] = set()
        self._engine: ForkedEngine | None = None

    def submit(self, keys: list[str]) -> None:
        """Hand jobs in; from the moment that this returns they may not be lost."""
        with self._store() as store, store.write("ann") as work:
            for key in keys:
                work.submit(role_of(key).job(key, self.directory))
        self._acknowledged += keys

    def start(self, *, at: int = 0, after: bool = False, until_idle: bool = True) -> ForkedEngine:
        """An engine; one that was told so ends itself at its n-th statement."""
        self._engine = ForkedEngine(self.places, at=at, after=after, until_idle=until_idle)
        return self._engine

    def end(self, engine: ForkedEngine) -> None:
        """Wait until an engine has come to rest or has killed itself; meanwhile the operator is at work."""
        assert self._works_for(engine, REST_WITHIN), "the engine does not come to rest"
        self._count(engine)

    def kill_after(self, engine: ForkedEngine, seconds: float) -> None:
        """Let an engine work for so long, and kill it."""
        self._works_for(engine, seconds)
        engine.kill()
        self._count(engine)

    def _works_for(self, engine: ForkedEngine, seconds: float) -> bool:
        """Whether an engine has ended within some seconds, in which the operator is at work too."""
        end = time.monotonic() + seconds
        with self._store() as store:
            while not engine.ended() and time.monotonic() < end:
                self._cancel_what_runs_long(store)
                time.sleep(LOOK_EVERY)
        return engine.ended()

    def _count(self, engine: ForkedEngine) -> None:
        self.kills += engine.was_killed
        assert engine.was_killed or engine.status == IDLE, f"an engine broke down with {engine.status}"

    def rest(self) -> None:
        """Engines and operators at work until nothing is left to be done by either."""
        for _ in range(MOST_ROUNDS):
            self.end(self.start())
            if not self.answer():
                return
        raise AssertionError("there is always something left to be done")

    def answer(self) -> int:
        """Answer what waits for people; how many jobs have not ended."""
        with self._store() as store:
            with store.read() as views:
                gates = views.open_approvals(1000)
                live = [row for row in views.all(TAILS) if row["status"] not in FINAL]
                handed_over = {row["exec_id"] for row in views.all(HANDED_OVER)}
            with store.write("bob") as work:
                for gate in gates:
                    if work.job(gate.job).status is Status.WAITING_FOR_APPROVAL:
                        work.approve(gate.job, store.token_of(gate.approval_id))
                for row in live:
                    if row["exec_id"] in handed_over:
                        work.report(FAR, row["job_key"], succeeded=True, rng=Random(0))
        return len(live)

    def check(self) -> None:
        """Look at every promise."""
        until(lambda: not self.mark.bearers(), "no process is left behind", ORPHANS_END_WITHIN)
        with self._store() as store, store.read() as views:
            tails = {row["job_key"]: Status(row["status"]) for row in views.all(TAILS)}
            commits = {row["job_key"]: row["commits"] for row in views.all(COMMITS)}
            key_path = store.key_path
        assert sorted(tails) == sorted(self._acknowledged), "jobs that were handed in are lost, or came twice"
        wrong = {key: status for key, status in tails.items() if status is not role_of(key).ends}
        assert not wrong, f"jobs came to a wrong end: {wrong}"
        twice = {key: count for key, count in commits.items() if count > 1}
        assert not twice, f"jobs have committed more than once: {twice}"
        self._check_ledger()
        findings = examine(self.places.db, key_path, self.places.home).findings
        assert not findings, f"the doctor finds: {findings}"
        told = (self.directory / "engines.out").read_text()
        assert "trouble:" not in told, "an engine was in trouble"

    def _check_ledger(self) -> None:
        """Look at what the jobs themselves have written down."""
        path = self.directory / "ledger"
        lines = [line.split() for line in path.read_text().splitlines()] if path.exists() else []
        seen = Counter((what, key) for what, key, _ in lines)
        overlaps = [key for what, key in seen if what == "overlap"]
        assert not overlaps, f"two executions were alive at once: {overlaps}"
        for key in self._acknowledged:
            effects, committed = seen["effect", key], seen["committed", key]
            assert effects <= 1, f"{key}: its effect has happened {effects} times"
            assert effects == committed, f"{key}: told {committed} times to have committed, it acted {effects} times"
            assert not (seen["kept", key] > 1), f"{key}: a checkpoint that it was told is kept was lost"
            stopped = seen["stopped", key]
            assert stopped <= 1, f"{key}: it was stopped {stopped} times at a gate that was granted once"

    def end_all(self) -> None:
        """Leave no process behind, whatever has happened."""
        if self._engine is not None:
            self._engine.kill()
        self.mark.end_all()

    def _store(self) -> Store:
        # Never open while an engine is forked: SQLite's locks belong to a process.
        return Store(self.places.db)

    def _cancel_what_runs_long(self, store: Store) -> None:
        """An operator stops what would never end; asked once, it must be heeded."""
        with store.read() as views:
            rows = views.all("SELECT id, job_key FROM jobs WHERE status = 'RUNNING' AND cancel_requested_at IS NULL")
        for row in rows:
            if role_of(row["job_key"]).ends is Status.CANCELLED and row["job_key"] not in self._cancelled:
                with store.write("ann") as work:
                    if work.job(row["id"]).status is Status.RUNNING:
                        work.cancel(row["id"])
                        self._cancelled.add(row["job_key"])
