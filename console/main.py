"""The command `jobdeck`: answers at once what needs nothing, and hands the rest to the verb that was named."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    # A job's own words are over before the standard library's typing would be loaded.
    from collections.abc import Callable, Sequence
    from datetime import datetime

_WITH_VALUE = ("--home", "--db")


def main() -> int:
    """Run one command line and give back its exit code."""
    return run(sys.argv[1:])


def run(argv: Sequence[str], now: Callable[[], datetime] | None = None) -> int:
    """Run these arguments; whatever happens, people see a sentence and scripts an exit code."""
    if argv and argv[0] in ("--version", "-V"):
        # Before any import: scripts ask this often, and it needs nothing.
        from console import __version__

        sys.stdout.write(f"jobdeck {__version__}\n")
        return 0
    from console.cli.guard import guarded

    at = _verb_at(argv)
    if at < len(argv) and argv[at] == "job":
        # Jobs call this many times while they run, so it loads neither the parser nor the store.
        from console.cli import inside

        return guarded(lambda: inside.run(argv[at + 1 :]))

    if at < len(argv) and argv[at] == "submit" and now is None:
        # So do scripts, and while an engine runs it can do the work for them.
        from console.cli import errand

        return guarded(lambda: errand.run(argv, at))

    def call() -> int:
        from console.cli.group import call

        return call(list(argv), now)

    return guarded(call)


def _verb_at(argv: Sequence[str]) -> int:
    """Where the verb stands: behind the options that every verb shares."""
    at = 0
    while at < len(argv) and argv[at].startswith("-"):
        at += 2 if argv[at] in _WITH_VALUE else 1
    return at


if __name__ == "__main__":
    sys.exit(main())
