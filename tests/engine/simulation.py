"""A random life of a store, told by one number: people, jobs, and every disaster that a machine can have."""

import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random

from core.status import Status
from tests.engine.checks import Turns, check_at_rest
from tests.engine.disasters import Disasters
from tests.engine.ledger import Ledger
from tests.engine.people import People
from tests.engine.stage import Stage
from tests.engine.workload import CONFIG

DEEDS = 100
"""How much happens in a life, people's deeds and disasters together."""
DISASTERS = 0.25
"""The share of disasters in it."""
REST = 3 * 3600
"""Seconds within which everything must come to an end once the disasters are over."""


class Simulation:
    """One life; the same number gives the same one."""

    def __init__(self, seed: int, path: Path) -> None:
        self.rng = Random(seed)
        slots = self.rng.randint(1, 4)
        self.stage = Stage(path, config=CONFIG, slots=slots, seed=seed)
        self.ledger = Ledger()
        self.log: list[str] = []
        """What was done, and when."""
        self.ends: list[Status] = []
        """What became of each job."""
        self._people = People(self.stage, self.rng, self.ledger)
        self._disasters = Disasters(self.stage, self.rng)
        self.stage.watch = Turns(self.stage).watched

    def live(self) -> None:
        """Everything happens, comes to rest, and is examined."""
        for _ in range(self.rng.randint(1, 2)):
            self.stage.start_engine()
        self._people.make_schedules()
        for _ in range(DEEDS):
            self.stage.run(self.rng.choice((0.0, 0.01, 0.5, 2.0, 8.0, 20.0)) * self.rng.random())
            kind = self._disasters.kinds if self.rng.random() < DISASTERS else self._people.kinds
            self._do(self.rng.choice(kind))
            if not any(seat.alive and seat.due_at is not None for seat in self.stage.seats):
                self.stage.start_engine()
        self._come_to_rest()
        check_at_rest(self.stage, self.ledger)
        self.ends = [job.status for job in self.stage.jobs()]

    def _do(self, deed: Callable[[], str | None]) -> None:
        told = deed()
        if told is not None:
            self.log.append(f"{self.stage.world.clock.passed - 1000:9.3f}  {told}")

    def _come_to_rest(self) -> None:
        self._disasters.end()
        self._people.end()
        end = self.stage.world.clock.passed + REST
        while self._people.finish() or not self._idle():
            assert self.stage.world.clock.passed < end, "it does not come to rest"
            if not any(seat.alive and seat.due_at is not None for seat in self.stage.seats):
                self.stage.start_engine()
            self.stage.run(20, self._idle)
            self.stage.run(1)
        # What has committed may still be about its own business.
        self.stage.run(120)

    def _idle(self) -> bool:
        return any(seat.leads and seat.engine is not None and seat.engine.idle for seat in self.stage.seats)


def simulate(seed: int, blank: Path, home: Path) -> Simulation:
    """Live one life in a fresh store; whatever goes wrong tells the number that brings it back."""
    home.mkdir(mode=0o700)
    path = home / "jobdeck.db"
    shutil.copy(blank, path)
    path.chmod(0o600)
    simulation = Simulation(seed, path)
    try:
        simulation.live()
    except BaseException as error:
        error.add_note("\n".join(simulation.log[-40:]))
        error.add_note(f"replay with: JOBDECK_SEED={seed} .venv/bin/pytest tests/engine/test_simulation.py")
        raise
    finally:
        simulation.stage.close()
    return simulation
