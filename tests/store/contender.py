"""One of several processes that work on the same store at once; says as JSON what it was told it did."""

import json
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from random import Random

from core.jobs import Command, NewJob
from core.limits import Limits
from core.positions import Move
from core.refusals import Refused
from core.status import Status
from store.store import Store


def contend(path: Path, name: str, seconds: float) -> dict[str, object]:
    """Submit, move, reprioritise, claim and finish, all mixed, as fast as the store lets it."""
    rng = Random(name)
    did: Counter[str] = Counter()
    submitted: list[int] = []
    claimed: list[tuple[int, str]] = []
    end = time.monotonic() + seconds
    with Store(path) as store:
        while time.monotonic() < end:
            choice = rng.choice(["submit", "submit", "move", "priority", "claim"])
            try:
                with store.write(name) as work:
                    if choice == "submit":
                        submitted.append(work.submit(NewJob(command=Command(("true",)))).id)
                    elif choice == "move" and submitted:
                        work.move(rng.choice(submitted), rng.choice([Move.UP, Move.DOWN, Move.TOP, Move.BOTTOM]))
                    elif choice == "priority" and submitted:
                        work.set_priority(rng.choice(submitted), rng.randint(-1, 1))
                    elif choice == "claim":
                        for one in work.claim(name, timedelta(minutes=5), Limits(slots=4)):
                            claimed.append((one.job.id, one.exec_id))
                            work.start(one.exec_id, name)
                did[choice] += 1
            except Refused:
                did["refused"] += 1
            if choice == "claim" and claimed and rng.random() < 0.7:
                with store.write(name) as work:
                    mine = [one for one in claimed if work.job(one[0]).status is Status.RUNNING]
                    for _, exec_id in mine:
                        work.finish(exec_id, name)
                        did["finish"] += 1
    return {"did": did, "submitted": submitted, "claimed": claimed}


if __name__ == "__main__":
    print(json.dumps(contend(Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]))))
