"""What the console remembers from one time to the next: its colours, its commands, that it was opened before."""

import json
import os
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

NAME = "console.json"
LIMIT = 100_000


@dataclass
class Memory:
    """Small things; losing them is no harm."""

    theme: str | None = None
    welcomed: bool = False
    commands: list[str] = field(default_factory=list)


def recall(home: Path) -> Memory:
    """What was remembered; whatever is wrong with that is forgotten."""
    with suppress(OSError, ValueError, TypeError, AttributeError, RecursionError):
        with (home / NAME).open("rb") as file:
            found = json.loads(file.read(LIMIT))
        commands = found.get("commands", [])
        return Memory(
            theme=found["theme"] if isinstance(found.get("theme"), str) else None,
            welcomed=found.get("welcomed") is True,
            commands=[one for one in commands if isinstance(one, str)][-100:],
        )
    return Memory()


def remember(home: Path, memory: Memory) -> None:
    """Keep it for the next time; a disk that is full is no reason to fail."""
    draft = home / f".{NAME}.{os.getpid()}"
    with suppress(OSError):
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(asdict(memory), file)
            draft.replace(home / NAME)
        except OSError:
            draft.unlink()
