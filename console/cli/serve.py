"""`serve`: the engine without a screen."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.options import WHOLE, verb
from console.cli.output import DIM, RED, YELLOW, aside, line, painted
from console.engine_room import make_loop
from console.plain import plain
from core.config import Config
from core.engine.events import Event
from core.limits import Limits
from core.when import iso, parse_duration

if TYPE_CHECKING:
    from core.machine.loop import Loop

COLOURS = {"trouble": RED, "recover": YELLOW, "fire": DIM, "start": DIM}


@verb(
    "serve",
    "jobdeck serve",
    "jobdeck serve --slots 4",
    "jobdeck serve --until-idle --quiet",
    "jobdeck serve --metrics 9464",
)
@click.option("--slots", type=WHOLE, metavar="N", help="How many jobs run at once; the default is the config's.")
@click.option("--until-idle", is_flag=True, help="End once nothing runs and nothing that is queued could run.")
@click.option("--grace", metavar="DURATION", help="How long to wait for running jobs when told to end.")
@click.option("--metrics", metavar="[HOST:]PORT", help="Answer a monitor there: /metrics and /healthz.")
@click.option("--quiet", "-q", is_flag=True, help="Tell only what goes wrong.")
@click.pass_obj
def serve(desk: Desk, slots: int | None, until_idle: bool, grace: str | None, metrics: str | None, quiet: bool) -> None:
    """Run the engine: jobs start, are retried, wait at gates, and schedules fire.

    SIGTERM and Ctrl-C let running jobs end within the grace time; a second one stops them at once.
    If another engine leads this store, this one waits and takes over when that ends. A config that is changed meanwhile
    holds from then on; one that can't be used changes nothing, and what is wrong with it is told.
    """
    if slots is not None:
        Limits(slots)
    wait = desk.config.grace if grace is None else parse_duration(grace)

    def adopt(config: Config) -> None:
        nonlocal wait
        wait = config.grace if grace is None else wait

    loop, store = make_loop(
        desk.places,
        desk.config,
        lambda event: _tell(event, desk, quiet),
        slots=slots,
        until_idle=until_idle,
        adopted=adopt,
    )
    asked = 0

    def leave(_number: int, _frame: FrameType | None) -> None:
        nonlocal asked
        asked += 1
        if asked == 1:
            aside(f"ending: waiting up to {wait.total_seconds():g} s for running jobs; once more stops them now")
            loop.drain(wait)
        else:
            loop.stop_now()

    before = {number: signal.signal(number, leave) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    wakeup = signal.set_wakeup_fd(loop.nudger, warn_on_full_buffer=False)
    try:
        with _answering(desk, loop, metrics):
            loop.run()
    finally:
        signal.set_wakeup_fd(wakeup)
        for number, handler in before.items():
            signal.signal(number, handler)
        store.close()


@contextmanager
def _answering(desk: Desk, loop: "Loop", metrics: str | None) -> Iterator[None]:
    """Answer a monitor meanwhile, if that is wanted."""
    if metrics is None:
        yield
        return
    from console.metrics.server import address_of, serving

    def trouble() -> str | None:
        engine = loop.engine
        return None if engine is None else engine.trouble

    with serving(address_of(metrics), desk.places, desk.config.lease, trouble) as (host, port):
        aside(f"metrics are at http://{host}:{port}/metrics")
        yield


def _tell(event: Event, desk: Desk, quiet: bool) -> None:
    if quiet and event.kind != "trouble":
        return
    about = "" if event.job is None else f"job {event.job} "
    if desk.json:
        from console.cli.jsonout import dumped

        line(dumped({"at": iso(event.at), "kind": event.kind, "job": event.job, "words": event.words}))
    else:
        at = event.at.astimezone(desk.zone)
        line(painted(plain(f"{at:%H:%M:%S} {about}{event.words}"), COLOURS.get(event.kind)))
    import sys

    if sys.stdout is not None:
        sys.stdout.flush()
