"""How many short jobs a second: 500 × `/bin/true`, queued beforehand, from the word go to the last one's end."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.engine_home import JOBDECK, PATIENCE, Home, until
from tests.bench.measure import Line, Missing, Once, Result, in_turns, ratio
from tests.bench.peers import Peers

JOBS = 500
SLOTS = 2
TRUE = "/bin/true"
PEERS_SCRIPT = Path(__file__).with_name("python_peers.py")


def served(directory: Path, slots: int = SLOTS, *argv: str) -> Once:
    """`jobdeck serve`, or another process that leads."""
    counter = iter(range(1_000_000))

    def once() -> float:
        home = Home(directory / f"{next(counter)}")
        with home.served(slots, *argv):
            home.pause()
            home.queue(JOBS, TRUE)
            begun = home.resume()
            ended = home.all_ended()
        home.close()
        return ended - begun

    return once


def served_from_nothing(directory: Path) -> Once:
    """The same with an engine that waits, and the jobs still in a file."""
    directory.mkdir()
    counter = iter(range(1_000_000))
    lines = directory / "jobs.jsonl"
    lines.write_text(f'{{"argv": ["{TRUE}"]}}\n' * JOBS)

    def once() -> float:
        home = Home(directory / f"{next(counter)}")
        with home.served(SLOTS):
            begun = time.time()
            argv = [JOBDECK, "submit", "--from", str(lines)]
            subprocess.run(argv, check=True, env=home.environment, capture_output=True)
            ended = home.all_ended()
        home.close()
        return ended - begun

    return once


def with_console(directory: Path) -> Once:
    """The engine in the console, with the queue pane open."""
    return served(directory, SLOTS, sys.executable, "-m", "tests.bench.open_console", str(SLOTS))


def xargs() -> float:
    """The least that any of them could do: no queue, no record."""
    begun = time.perf_counter()
    lines = "\n".join(["x"] * JOBS).encode()
    subprocess.run(["xargs", f"-P{SLOTS}", "-n1", TRUE], input=lines, check=True, timeout=PATIENCE)
    return time.perf_counter() - begun


def task_spooler(program: Path, directory: Path) -> Once:
    """task-spooler, whose queue is in memory; all is queued behind jobs that wait for the word."""
    directory.mkdir()

    def once() -> float:
        env = {**os.environ, "TS_SOCKET": str(directory / "socket"), "TMPDIR": str(directory)}
        with _Gate(directory / "gate") as gate:
            subprocess.run([str(program), "-S", str(SLOTS)], check=True, env=env)
            for argv in [("cat", str(gate.path))] * SLOTS + [(TRUE,)] * JOBS:
                subprocess.run([str(program), *argv], check=True, env=env, stdout=subprocess.DEVNULL)
            gate.taken(SLOTS)
            begun = time.perf_counter()
            gate.open()
            # Its last job may end before the one beside it; that is in its favour.
            subprocess.run([str(program), "-w"], check=True, env=env, timeout=PATIENCE, stdout=subprocess.DEVNULL)
            taken = time.perf_counter() - begun
        subprocess.run([str(program), "-K"], check=True, env=env)
        return taken

    return once


def task_spooler_from_nothing(program: Path, directory: Path) -> Once:
    """task-spooler with nothing in its queue yet: a command for each job, which it starts meanwhile."""
    directory.mkdir()

    def once() -> float:
        env = {**os.environ, "TS_SOCKET": str(directory / "socket"), "TMPDIR": str(directory)}
        subprocess.run([str(program), "-S", str(SLOTS)], check=True, env=env)
        begun = time.perf_counter()
        for _ in range(JOBS):
            subprocess.run([str(program), TRUE], check=True, env=env, stdout=subprocess.DEVNULL)
        subprocess.run([str(program), "-w"], check=True, env=env, timeout=PATIENCE, stdout=subprocess.DEVNULL)
        taken = time.perf_counter() - begun
        subprocess.run([str(program), "-K"], check=True, env=env)
        return taken

    return once


def nq(program: Path, directory: Path) -> Once:
    """nq, which knows no slots: two queues of half the jobs each."""
    directory.mkdir()
    counter = iter(range(1_000_000))

    def once() -> float:
        place = directory / f"{next(counter)}"
        queues = [place / str(slot) for slot in range(SLOTS)]
        for queue in queues:
            queue.mkdir(parents=True)
        with _Gate(place / "gate") as gate:
            for queue in queues:
                env = {**os.environ, "NQDIR": str(queue)}
                for argv in [("cat", str(gate.path)), *[(TRUE,)] * (JOBS // SLOTS)]:
                    subprocess.run([str(program), "-q", *argv], check=True, env=env, stdout=subprocess.DEVNULL)
            gate.taken(SLOTS)
            begun = time.perf_counter()
            gate.open()
            for queue in queues:
                env = {**os.environ, "NQDIR": str(queue)}
                subprocess.run([str(program), "-w"], check=True, env=env, timeout=PATIENCE, stdout=subprocess.DEVNULL)
            return time.perf_counter() - begun

    return once


def python_peer(python: Path, name: str, directory: Path) -> Once:
    """A peer in Python, which measures itself: its queue is a SQLite file, its jobs call `subprocess.run`."""
    directory.mkdir()
    counter = iter(range(1_000_000))

    def once() -> float:
        argv = [str(python), str(PEERS_SCRIPT), name, str(directory / f"{next(counter)}.db"), str(JOBS), str(SLOTS)]
        done = subprocess.run(argv, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=PATIENCE)
        return float(done.stdout)

    return once


def results(directory: Path, peers: Peers) -> Iterator[Result]:
    """All of them in turns."""
    contenders: dict[str, Once] = {
        "xargs -P2": xargs,
        "serve": served(directory / "serve"),
        "serve, from nothing": served_from_nothing(directory / "from-nothing"),
        "console": with_console(directory / "console"),
    }
    if "tsp" in peers.programs:
        contenders["task-spooler"] = task_spooler(peers.programs["tsp"], directory / "tsp")
        nothing = task_spooler_from_nothing(peers.programs["tsp"], directory / "tsp-from-nothing")
        contenders["task-spooler, from nothing"] = nothing
    if "nq" in peers.programs:
        contenders["nq"] = nq(peers.programs["nq"], directory / "nq")
    if peers.python is not None:
        for name in ("huey", "APScheduler"):
            contenders[name] = python_peer(peers.python, name.lower(), directory / name)
    taken = in_turns(contenders)

    def speed(what: str, against: str, least: float | None = None, aim: float | None = None) -> Line:
        found = ratio(taken[against], taken[what])
        return Line(f"{JOBS} × {TRUE}, {SLOTS} slots: {what}", against, found, least=least, aim=aim)

    yield speed("serve", "xargs -P2", least=0.40, aim=0.55)
    if "task-spooler" in taken:
        yield speed("serve, from nothing", "task-spooler, from nothing", least=1.0)
        yield speed("serve", "task-spooler")
    for name in ("nq", "huey", "APScheduler"):
        if name in taken:
            yield speed("serve", name)
    yield speed("console", "serve", least=0.8, aim=0.95)
    for name, why in peers.missing.items():
        yield Missing(name, why)


def by_slots(directory: Path) -> Iterator[Result]:
    """The same jobs with more slots."""
    taken = in_turns({str(slots): served(directory / f"slots-{slots}", slots) for slots in (1, 2, 4, 16)})
    for slots in ("2", "4", "16"):
        yield Line(f"{JOBS} × {TRUE}, {slots} slots", "1 slot", ratio(taken["1"], taken[slots]))


class _Gate:
    """A pipe that jobs read from until it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._writer = -1

    def __enter__(self) -> "_Gate":
        self.path.unlink(missing_ok=True)
        os.mkfifo(self.path)
        # Opened for both, so that neither end waits for the other.
        self._writer = os.open(self.path, os.O_RDWR)
        return self

    def __exit__(self, *_: object) -> None:
        self.open()

    def taken(self, readers: int) -> None:
        """Wait until so many jobs read from it."""
        until(lambda: _readers(self.path) >= readers, "the first jobs wait at the gate")

    def open(self) -> None:
        """Let everybody go on."""
        if self._writer >= 0:
            os.close(self._writer)
            self._writer = -1


def _readers(path: Path) -> int:
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "comm").read_text() == "cat\n" and str(path).encode() in (process / "cmdline").read_bytes():
                found += 1
        except OSError:
            continue
    return found
