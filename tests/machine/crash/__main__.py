"""Kills engines and looks whether every promise was kept: `python -m tests.machine.crash`, all of it or a part.

Without arguments the engine of the scripted run is killed at every statement, before and after it, and six hundred more
die at random moments. Whatever fails says how to see it again.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections.abc import Sequence
from pathlib import Path

from store.store import Store
from tests.machine.crash.kills import Kills, at_random_moments, at_statement, staged, statements_of_a_run

SERIES = 50
"""Kills at random moments on one store."""
MARGIN = 1.1
"""Another run may take a few statements more than the one that was counted."""


def main(arguments: Sequence[str]) -> int:
    """Carry out what is asked for, on all processors; the exit code says whether every promise was kept."""
    asked = _asked(arguments)
    with tempfile.TemporaryDirectory(prefix="jobdeck-crash-") as name:
        directory = Path(name)
        blank = directory / "blank.db"
        Store(blank).close()
        series = _chosen(asked, directory, blank)
        begun = time.monotonic()
        workers = [_fork_worker(series[part :: asked.workers], directory, blank, part) for part in range(asked.workers)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]) for worker in workers]
        kills = sum(int(path.read_text()) for path in directory.glob("kills.*"))
        took = time.monotonic() - begun
        each = took / max(1, kills) * 1000
        kept = "every promise kept" if not any(codes) else "promises were broken"
        print(f"{kills:,} kills in {len(series):,} runs, {took:.0f} s ({each:.0f} ms each): {kept}")
    return int(any(codes))


def _asked(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.machine.crash", description=__doc__)
    parser.add_argument("--at", type=int, help="kill at this statement only")
    parser.add_argument("--after", action="store_true", help="with --at: when it has been carried out")
    parser.add_argument("--every", type=int, help="kill at every so-manieth statement only")
    parser.add_argument("--seed", type=int, help="kill at the random moments of this seed")
    parser.add_argument("--kills", type=int, default=600, help="how many die at random moments")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    return parser.parse_args(arguments)


def _chosen(asked: argparse.Namespace, directory: Path, blank: Path) -> list[Kills]:
    if asked.at is not None:
        return [at_statement(asked.at, after=asked.after)]
    chosen: list[Kills] = []
    if asked.seed is None or asked.every is not None:
        count = int(statements_of_a_run(directory / "counted", blank) * MARGIN)
        every = asked.every or 1
        chosen += [at_statement(at, after=after) for at in range(1, count, every) for after in (False, True)]
    if asked.every is None:
        first = asked.seed or 0
        chosen += [at_random_moments(first + part, SERIES) for part in range(-(-asked.kills // SERIES))]
    return chosen


def _fork_worker(series: list[Kills], directory: Path, blank: Path, part: int) -> int:
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        code = _carry_out(series, directory, blank, part)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _carry_out(series: list[Kills], directory: Path, blank: Path, part: int) -> int:
    """Every series, each on a store of its own; the first that fails ends it."""
    kills, failed = 0, 0
    for number, one in enumerate(series):
        place = directory / f"{part}.{number}"
        with staged(place, blank) as play:
            try:
                one.carry_out(play)
                play.check()
            except Exception:
                failed = 1
                _tell_failure(one, place)
        kills += play.kills
        shutil.rmtree(place)
        if failed:
            break
        if number % 20 == 19:
            print(f"{kills:,} kills, {number + 1} of {len(series)} runs (worker {part})", flush=True)
    (directory / f"kills.{part}").write_text(str(kills))
    return failed


def _tell_failure(one: Kills, place: Path) -> None:
    files = [place / name for name in ("engines.out", "ledger")]
    written = [f"{path.name}:\n{path.read_text()}" for path in files if path.exists()]
    again = f"see it again with: python -m tests.machine.crash {one.replay}\n"
    print("\n".join((traceback.format_exc(), *written, again)), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
