"""Lives without end, or so many: `python -m tests.engine.soak [HOW_MANY [FIRST_SEED]]`; it stops at one that fails."""

import random
import sys
import tempfile
import traceback
from itertools import count
from pathlib import Path

from store.store import Store
from tests.engine.simulation import simulate


def main(arguments: list[str]) -> int:
    how_many = int(arguments[0]) if arguments else None
    first = int(arguments[1]) if len(arguments) > 1 else random.SystemRandom().randrange(10**9)
    with tempfile.TemporaryDirectory() as directory:
        blank = Path(directory) / "blank.db"
        Store(blank).close()
        for done in count():
            if done == how_many:
                print(f"{done} lives, every promise kept")
                return 0
            seed = first + done
            try:
                with tempfile.TemporaryDirectory(dir=directory) as place:
                    simulate(seed, blank, Path(place) / "home")
            except Exception:
                traceback.print_exc()
                return 1
            if done % 20 == 19:
                print(f"{done + 1} lives, up to seed {seed}", flush=True)
    raise AssertionError("there is always another life")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
