"""`make bench`: ratios measured side by side in one run, since absolute times mean nothing on a shared machine."""

import os
import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import chores, console, growth, peers, pickup, plot, startup, submitting, throughput
from tests.bench.measure import ROUNDS, Line, Result

RESULTS = Path(__file__).with_name("RESULTS.md")
PICTURE = Path(__file__).parents[2] / "screenshots" / "growth.svg"

Part = Callable[[Path], Iterator[Result]]
METHOD = f"""# Results

Made by `make bench`, in one run on one machine ({{machine}}). What is compared takes turns, {ROUNDS} rounds after one
that doesn't count; shown are the median and the lowest and highest round. A ratio compares medians. Everything runs
with `synchronous=FULL`, history, triggers and logs switched on, through the same doors that people use.

The peers come from Debian and PyPI into a directory that is thrown away. Their queue is filled before the clock starts
(*from a full queue*), or filling it counts too (*from nothing*): by `submit --from` here, by a command for each job
there.
"""


def main() -> int:
    """Measure everything, print a line for each comparison, and fail if a promise was not kept."""
    broken = 0
    # People's programs are compiled once, and not at each start.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    wanted = os.environ.get("PARTS", "").split()
    with tempfile.TemporaryDirectory(prefix="jobdeck-bench-") as name:
        found: dict[str, list[Result]] = {}
        for title, part in _parts(Path(name)).items():
            if wanted and title.split()[0].lower() not in wanted:
                continue
            print(f"\n{title}", flush=True)
            found[title] = []
            for result in part(Path(name) / title.split()[0].lower()):
                found[title].append(result)
                broken += isinstance(result, Line) and not result.kept
                print(_shown(result), flush=True)
    if not wanted:
        RESULTS.write_text(METHOD.format(machine=_machine()) + "".join(map(_table, found, found.values())))
    if os.environ.get("PLOT"):
        PICTURE.write_text(plot.picture(found["Growing with the store"], found["More slots"]))
    print(f"\n{broken} promises were not kept" if broken else "\nevery promise was kept")
    return 1 if broken else 0


def _parts(directory: Path) -> dict[str, Part]:
    return {
        "Throughput": lambda place: throughput.results(_made(place), peers.fetch(_made(directory / "peers"))),
        "Submitting": lambda place: submitting.results(_made(place)),
        "Waking": lambda place: pickup.results(_made(place)),
        "Starting": lambda _place: startup.results(),
        "Growing with the store": lambda place: growth.results(_made(place)),
        "Console": lambda place: console.results(_made(place)),
        "Chores": lambda place: chores.results(_made(place)),
        "More slots": lambda place: throughput.by_slots(_made(place)),
    }


def _made(directory: Path) -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    return directory


def _shown(result: Result) -> str:
    if not isinstance(result, Line):
        return f"  {result.what}: missing, {result.why}"
    promise = f"  must be {result.promise}" if result.promise else ""
    return f"  {result.what:<52} {result.shown:<26} of {result.against}{promise}{'' if result.kept else '  NOT KEPT'}"


def _table(title: str, results: list[Result]) -> str:
    rows = [f"\n## {title}\n", "| what | found | against | promised | kept |", "| --- | --- | --- | --- | --- |"]
    for result in results:
        if isinstance(result, Line):
            kept = "" if not result.promise else "yes" if result.kept else "**no**"
            rows.append(f"| {result.what} | {result.shown} | {result.against} | {result.promise} | {kept} |")
        else:
            rows.append(f"| {result.what} | missing: {result.why} | | | |")
    return "\n".join(rows) + "\n"


def _machine() -> str:
    return f"{os.cpu_count()} cores, {platform.system()} {platform.release()}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
