"""Opening the console: on one's own store, or on a lively throw-away one."""

import gc
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.options import verb
from console.cli.output import aside
from console.masking import hide
from core.refusals import BadInput

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


def open_console(desk: Desk, *, read_only: bool = False) -> int:
    """Open the console on this desk's store, and give back its exit code."""
    _need_a_terminal()
    with collected_later():
        from console.app.app import JobdeckApp
        from console.app.deck import Deck

    hide(desk.config.secrets)
    deck = Deck(desk.places, desk.config, desk.actor, desk.zone, read_only=read_only)
    return _run(JobdeckApp(deck))


@contextmanager
def collected_later() -> Iterator[None]:
    """While very much is loaded that stays: looking for garbage in it costs time and finds none, now and later."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _run(app: "JobdeckApp") -> int:
    """Show it until it is left; whatever ended it, its threads are seen out."""
    try:
        code = app.run() or 0
    finally:
        app.see_out(aside)
    if app.failure is not None:
        raise app.failure
    return code


@verb("demo", "jobdeck demo")
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Open the console on a throw-away store full of believable work; it is gone when you leave."""
    desk: Desk = ctx.obj
    _need_a_terminal()
    import random

    with collected_later():
        from console.app.app import JobdeckApp
        from console.app.deck import Deck
        from console.demo.deck import Feeder, config, fill
        from console.home import Places
        from core.machine.bell import ring
        from store.store import Store

    home = Path(tempfile.mkdtemp(prefix="jobdeck-demo-"))
    try:
        places = Places(home, home / "jobdeck.db")
        with Store(places.db) as store:
            fill(store, random.Random(4))  # noqa: S311 - a demo's luck
        feeder = Feeder(places.db, lambda: ring(places.run), seed=4)
        feeder.start()
        try:
            code = _run(JobdeckApp(Deck(places, config(), desk.actor, desk.zone, demo=True)))
        finally:
            feeder.end()
            feeder.join()
    finally:
        shutil.rmtree(home, ignore_errors=True)
    ctx.exit(code)


def _need_a_terminal() -> None:
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()):
        raise BadInput("the console needs a terminal; run the engine alone with: jobdeck serve, or see: jobdeck --help")
