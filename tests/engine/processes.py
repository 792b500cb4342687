"""Played processes: each follows the script in its job's params, a list of steps under `play`.

`["sleep", s]`, `["exit", code]`, `["flaky", n, code]` (exits so in its first n attempts), `["effect"]` (something
irreversible in the world outside), `["ignore"]` (deaf to polite requests from here on), `["leave", s]` (a child stays
behind for so long), `["say", word, {…}]` (ends if that is refused), `["try", word, {…}]` (goes on all the same).
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.engine.words import Answer, Word
from core.jobs import Execution
from core.ports import Spawn
from tests.engine.played import BREATH, World

BOOT = "this boot"
TEMPORARY_FAILURE = 75
"""How a script ends that could not say what it had to say."""


class Parent(Protocol):
    """Who is told of a process's end."""

    def ring(self) -> None:
        """Look up: something has happened."""
        ...


@dataclass
class PlayedProcess:
    """A process tree that follows its script."""

    world: World
    parent: Parent
    spawn: Spawn
    pid: int
    steps: list[list[Any]]
    boot_id: str = BOOT
    code: int | None = None
    deaf: bool = False
    left_until: float | None = None
    """Until when something that it left behind goes on."""
    at: int = 0
    on_the_line: bool = False
    """Whether it has said something and waits for the answer."""
    signals: list[tuple[str, float]] = field(default_factory=list)
    """What it was sent, and when by the clock that only goes forward."""

    @property
    def pid_started(self) -> int:
        return self.pid * 10

    @property
    def job(self) -> tuple[str, str]:
        """What it runs for, whichever link and attempt of it."""
        return self.spawn.env["JOBDECK_JOB_TYPE"], self.spawn.env["JOBDECK_JOB_KEY"]

    def exited(self) -> int | None:
        return self.code

    def terminate(self) -> None:
        self.signals.append(("TERM", self.world.clock.passed))
        if not self.deaf:
            self._end(-15)
            self.left_until = None

    def kill(self) -> None:
        self.signals.append(("KILL", self.world.clock.passed))
        self._end(-9)
        self.left_until = None

    def gone(self) -> bool:
        left = self.left_until is not None and self.left_until > self.world.clock.passed
        return self.code is not None and not left

    def tend(self) -> None:
        pass

    def hung_up(self) -> None:
        """The engine that it may wait for is gone."""
        if self.on_the_line:
            self._end(TEMPORARY_FAILURE)

    def go_on(self) -> None:
        """The next step of the script."""
        if self.code is not None:
            return
        if self.at >= len(self.steps):
            self._end(0)
            return
        step = self.steps[self.at]
        self.at += 1
        match step:
            case ["sleep", seconds]:
                self.world.later(float(seconds), self.go_on)
                return
            case ["exit", code]:
                self._end(int(code))
                return
            case ["flaky", attempts, code]:
                if int(self.spawn.env["JOBDECK_ATTEMPT"]) <= attempts:
                    self._end(int(code))
            case ["effect"]:
                self.world.effects.append((self.spawn.env["JOBDECK_JOB_KEY"], self.spawn.exec_id))
            case ["ignore"]:
                self.deaf = True
            case ["leave", seconds]:
                self.left_until = self.world.clock.passed + float(seconds)
            case ["say" | "try" as how, name, *said]:
                self._say(name, said[0] if said else {}, stubborn=how == "try")
                return
            case _:
                raise ValueError(step)
        self.world.later(BREATH, self.go_on)

    def _end(self, code: int) -> None:
        if self.code is None:
            self.code = code
            self.parent.ring()

    def _say(self, name: str, said: dict[str, Any], *, stubborn: bool) -> None:
        def reply(answer: Answer) -> None:
            self.world.answers.append((self.spawn.exec_id, name, answer))
            if answer.get("granted") is False:
                # Like the real thing, it stays on the line and waits to be stopped.
                return
            self.on_the_line = False
            if "error" in answer and not stubborn:
                self.world.later(BREATH, lambda: self._end(TEMPORARY_FAILURE))
                return
            self.world.later(BREATH, self.go_on)

        listener = self.world.listening.get(self.spawn.env["JOBDECK_RUN"])
        if listener is None:
            self._end(TEMPORARY_FAILURE)
            return
        self.on_the_line = True
        env = self.spawn.env
        listener.take_call(Word(env["JOBDECK_EXEC_ID"], env["JOBDECK_SECRET"], name, said, reply), self)


class PlayedRunner:
    """Starts played processes in a world, as children of one engine."""

    def __init__(self, world: World, parent: Parent) -> None:
        self._world = world
        self._parent = parent

    def spawn(self, spawn: Spawn) -> PlayedProcess:
        world = self._world
        if world.refuse is not None:
            raise world.refuse
        params = json.loads(spawn.env.get("JOBDECK_PARAMS", "{}"))
        process = PlayedProcess(world, self._parent, spawn, 100 + len(world.processes), params.get("play", []))
        world.begin(process)
        return process

    def leftovers(self, executions: Sequence[Execution]) -> Sequence[PlayedProcess]:
        wanted = {execution.exec_id for execution in executions}
        return [process for process in self._world.alive() if process.spawn.exec_id in wanted]
