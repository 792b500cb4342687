"""A few harmless jobs for an empty store: something to watch, something that fails at first, something to approve."""

from console.app.done import Done
from core.jobs import Command, Gate, NewJob
from store.work import Work

_COUNT = "for i in 1 2 3 4 5 6 7 8; do echo step $i of 8; jobdeck job progress $((i * 100 / 8)); sleep 1; done"
_FLAKY = 'echo attempt $JOBDECK_ATTEMPT; test "$JOBDECK_ATTEMPT" -ge 3'

SAMPLES = (
    NewJob("sample", "count-to-eight", Command(("sh", "-c", _COUNT))),
    NewJob("sample", "count-again", Command(("sh", "-c", _COUNT))),
    NewJob("sample", "works-the-third-time", Command(("sh", "-c", _FLAKY)), backoff="fixed:2s"),
    NewJob("sample", "asks-first", Command(("echo", "thank you")), approval=Gate("Shall this sample job run?")),
    NewJob("sample", "hello", Command(("echo", "hello"))),
)


def queue_samples(work: Work) -> Done:
    """Queue those that are not there already."""
    made = [work.submit(sample, "return") for sample in SAMPLES]
    fresh = sum(one.created for one in made)
    return Done(f"{fresh} sample jobs are queued" if fresh else "the sample jobs are there already")
