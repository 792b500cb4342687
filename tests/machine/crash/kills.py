"""The two ways in which engines are killed here: at a chosen statement, and at random moments under load."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.machine.crash.cast import ROLES
from tests.machine.crash.engines import statements_of
from tests.machine.crash.stageplay import Play

LATER = (3, 17, 41, 97)
"""How many statements later ones get at most before they are killed too: while they take the lead, recover, go on."""
LOAD = 16
"""Jobs that are kept waiting or running."""
LONGEST = 0.25
"""Seconds that an engine may live."""


@dataclass(frozen=True)
class Kills:
    """A series of kills on a store of its own, and how to see the same again."""

    replay: str
    """The arguments that ask for this series alone."""
    carry_out: Callable[[Play], None]


def at_statement(number: int, *, after: bool) -> Kills:
    """One job of each role; the first engine is killed at that statement, and some that follow it a little later."""

    def carry_out(play: Play) -> None:
        rng = Random(2 * number + after)
        play.submit([f"{role}.0" for role in ROLES])
        play.end(play.start(at=number, after=after))
        for most in LATER:
            play.end(play.start(at=rng.randint(1, most), after=rng.random() < 0.5))
        play.rest()

    return Kills(f"--at {number}{' --after' if after else ''}", carry_out)


def at_random_moments(seed: int, kills: int) -> Kills:
    """Jobs come in and people answer, while one engine after the other is killed."""

    def carry_out(play: Play) -> None:
        rng = Random(seed)
        submitted = 0
        for _ in range(kills):
            live = play.answer()
            fresh = [f"{rng.choice(list(ROLES))}.{submitted + more}" for more in range(max(0, LOAD - live))]
            play.submit(fresh)
            submitted += len(fresh)
            play.kill_after(play.start(until_idle=False), rng.uniform(0.0, LONGEST))
        play.rest()

    return Kills(f"--seed {seed} --kills {kills}", carry_out)


@contextmanager
def staged(directory: Path, blank_store: Path) -> Iterator[Play]:
    """A play that leaves no process behind."""
    play = Play(directory, blank_store)
    try:
        yield play
    finally:
        play.end_all()


def statements_of_a_run(directory: Path, blank_store: Path) -> int:
    """How many statements an engine that nobody kills carries out for one job of each role."""
    with staged(directory, blank_store) as play:
        play.submit([f"{role}.0" for role in ROLES])
        play.end(play.start())
        return statements_of(directory)
