"""`make bench`: ratios measured side by side in one run, since absolute times mean nothing on a shared machine."""

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.bench import growth, startup
from tests.bench.measure import Line


def main() -> int:
    """Measure everything, print a line for each comparison, and fail if a promise was not kept."""
    broken = 0
    with tempfile.TemporaryDirectory(prefix="jobdeck-bench-") as directory:
        parts: tuple[tuple[str, Iterable[Line]], ...] = (
            ("Starting", startup.results()),
            ("Growing", growth.results(Path(directory))),
        )
        for title, lines in parts:
            print(f"\n{title}")
            for line in lines:
                broken += not line.kept
                print(_shown(line), flush=True)
    print(f"\n{broken} promises were not kept" if broken else "\nevery promise was kept")
    return 1 if broken else 0


def _shown(line: Line) -> str:
    promise = "" if line.must is None else f"  must be ≤ {line.must}×{'' if line.kept else '  NOT KEPT'}"
    return f"  {line.what:<36} {line.ratio!s:<24} of {line.against}{promise}"


if __name__ == "__main__":
    sys.exit(main())
