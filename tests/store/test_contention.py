"""Several processes on one store at once: nothing lost, nothing twice, nobody told that the database is locked."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from core.status import Status
from store.doctor import examine
from store.store import Store

SECONDS = 4


def test_processes_that_submit_move_and_claim_at_once_lose_and_repeat_nothing(store_path: Path) -> None:
    contenders = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.store.contender", str(store_path), name, str(SECONDS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("A", "B", "C")
    ]
    answers = []
    for contender in contenders:
        output, errors = contender.communicate(timeout=120)
        assert (contender.returncode, errors) == (0, "")
        answers.append(json.loads(output))
    submitted = [ref for answer in answers for ref in answer["submitted"]]
    claimed = [ref for answer in answers for ref, _ in answer["claimed"]]
    finished = sum(answer["did"].get("finish", 0) for answer in answers)
    assert max(Counter(submitted).values()) == 1
    assert max(Counter(claimed).values()) == 1
    assert all(answer["did"]["submit"] > 5 and answer["did"]["claim"] > 5 for answer in answers)
    with Store(store_path) as store, store.read() as views:
        counts = views.counts()
        stored = {row["id"] for row in views.all("SELECT id FROM jobs")}
    assert stored == set(submitted)
    assert counts[Status.SUCCEEDED] == finished
    assert counts[Status.SUCCEEDED] + counts[Status.RUNNING] == len(claimed)
    assert examine(store_path, store_path.with_name("jobdeck.key"), store_path.parent).findings == []
