"""What the first paint doesn't need: loaded behind it, so that no key that opens something waits for that."""

import threading
from functools import cache
from importlib import import_module

LATER = (
    "console.app.screens.job",
    "console.app.screens.help",
    "console.app.dialogs.gate_dialog",
    "console.app.dialogs.job_form",
    "console.app.dialogs.job_editor",
    "console.app.dialogs.schedule_form",
    "console.app.dialogs.direct_dialog",
    "console.app.dialogs.quit_dialog",
    "console.app.dialogs.engine_dialog",
    "console.app.screens.outbox",
    "console.app.evidence",
)


@cache
def begin() -> None:
    """Load it in a thread of its own, once."""
    threading.Thread(target=_load, name="ahead", daemon=True).start()


def _load() -> None:
    for name in LATER:
        import_module(name)
