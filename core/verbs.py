"""What an operator can do to a job, from which states, and the sentence when it isn't possible."""

from collections.abc import Callable
from dataclasses import dataclass

from core.status import FINAL, Status
from core.transitions import EDGES, Who


def _sources(verb: str) -> frozenset[Status]:
    """The states from which an operator's verb is an edge of the transition table."""
    return frozenset(
        edge.source for edge in EDGES if edge.verb == verb and Who.OPERATOR in edge.by and edge.source is not None
    )


@dataclass(frozen=True, slots=True)
class Verb:
    """One thing an operator can do to a job."""

    name: str
    sources: frozenset[Status]
    words: str
    """What it does, as help shows it."""
    dangerous: bool = False
    undoable: bool = False


_BEFORE_RUN = frozenset({Status.CREATED, Status.QUEUED, Status.RETRYING})

VERBS: dict[str, Verb] = {
    verb.name: verb
    for verb in (
        Verb("release", _sources("release"), "put a draft into the queue"),
        Verb("hold", _BEFORE_RUN, "keep it from starting", undoable=True),
        Verb("unhold", _BEFORE_RUN, "let it start again", undoable=True),
        Verb("move", frozenset({Status.QUEUED}), "change its place in the queue", undoable=True),
        Verb("priority", _BEFORE_RUN, "change its priority", undoable=True),
        Verb(
            "edit",
            frozenset({Status.CREATED, Status.QUEUED}),
            "change it before its first run",
            undoable=True,
        ),
        Verb("cancel", _sources("cancel"), "stop it for good", dangerous=True),
        Verb("kill", frozenset({Status.RUNNING}), "stop it at once, without time to end by itself", dangerous=True),
        Verb("retry", FINAL | _sources("retry"), "run it again: now if it waits, as a new job if it has ended"),
        Verb("give-up", _sources("give-up"), "cut its remaining retries", dangerous=True),
        Verb("approve", frozenset({Status.WAITING_FOR_APPROVAL}), "let it pass its gate", dangerous=True),
        Verb("deny", _sources("deny"), "refuse its gate, which fails it", dangerous=True),
    )
}


def possible(status: Status) -> tuple[Verb, ...]:
    """What an operator can do to a job in this state."""
    return tuple(verb for verb in VERBS.values() if status in verb.sources)


Way = Callable[[str, str], str]
"""How a verb is done to a job: given both, the words that follow "retry it" or "stop it"."""


def in_a_shell(verb: str, job: str) -> str:
    """How it is done on the command line."""
    return f"with: jobdeck {verb} {job}"


def refusal(name: str, status: Status, job: str, way: Way = in_a_shell) -> str | None:
    """The sentence that refuses a verb for a job in this state and says what would work, or None."""
    verb = VERBS[name]
    if status in verb.sources:
        return None
    if status.final:
        return f"job {job} is {status}, which is final; retry it {way('retry', job)}"
    if status is Status.RUNNING:
        return f"job {job} is RUNNING and can't {_infinitive(name)} now; stop it {way('cancel', job)}"
    works = " or ".join(sorted(source for source in verb.sources))
    return f"job {job} is {status}; {name} works only on a job that is {works}"


def _infinitive(name: str) -> str:
    return {
        "release": "be released",
        "kill": "be killed",
        "hold": "be held",
        "unhold": "be unheld",
        "move": "be moved",
        "priority": "change its priority",
        "edit": "be edited",
        "retry": "be retried",
        "give-up": "give up retries",
        "approve": "be approved",
        "deny": "be denied",
    }.get(name, name)
