"""`logs`: what a job has printed, attempt by attempt, also while it prints."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.ansi import coloured, uncoloured
from console.cli.desk import Desk
from console.cli.options import WHOLE, id_argument, verb
from console.cli.output import aside, in_colour
from console.logreader import LogReader
from core.jobs import Execution, Job
from core.jsontext import format_bytes
from core.refusals import BadInput, NoSuchThing, Refused

if TYPE_CHECKING:
    from store.store import Store


@verb("logs", "jobdeck logs 42", "jobdeck logs 42 -f", "jobdeck logs 42 --attempt 1 --tail 100")
@id_argument
@click.option("--follow", "-f", is_flag=True, help="Go on as it grows, until the job has ended.")
@click.option("--attempt", type=WHOLE, metavar="N", help="Of that attempt; the default is the latest.")
@click.option("--tail", "-n", type=WHOLE, metavar="N", help="Only the last so many lines.")
@click.pass_obj
def logs(desk: Desk, ref: str, follow: bool, attempt: int | None, tail: int | None) -> None:
    """Print what a job has written. Piped, it comes byte by byte as it was; on a terminal only its colours act."""
    if tail is not None and tail < 0:
        raise BadInput(f"--tail is {tail}; use 0 or more")
    with desk.store() as store:
        job, runs = _runs(store, ref, attempt)
        if not runs and not (follow and attempt is None and not job.status.final):
            raise _nothing(job, attempt)
        if not follow:
            for run in runs:
                _print(run, tail)
            return
        _follow(store, ref, attempt, tail)


def _runs(store: "Store", ref: str, attempt: int | None) -> tuple[Job, list[Execution]]:
    """The job, and the executions of the wanted attempt that have a log."""
    with store.read() as views:
        whole = views.whole_job(ref)
    wanted = whole.job.attempt if attempt is None else attempt
    return whole.job, [one for one in whole.executions if one.attempt == wanted and one.log_path]


def _nothing(job: Job, attempt: int | None) -> NoSuchThing | Refused:
    if attempt is not None and not 1 <= attempt <= job.attempt:
        return NoSuchThing(f"job {job.id} has no attempt {attempt}; it was tried {job.attempt} times")
    return Refused(f"job {job.id} is {job.status} and has not run, so it has printed nothing")


def _print(run: Execution, tail: int | None) -> None:
    with _opened(run) as reader:
        _begin(reader, tail)
        _write(reader.lines(last=True))


def _follow(store: "Store", ref: str, attempt: int | None, tail: int | None) -> None:
    """Print run after run as they come, each from its beginning, until the job has ended."""
    with ExitStack() as stack:
        reader: LogReader | None = None
        seen: set[str] = set()
        while True:
            # Asked before reading: what was printed before the end is then read for certain.
            job, runs = _runs(store, ref, attempt)
            fresh = [run for run in runs if run.exec_id not in seen]
            for run in fresh:
                if reader is not None:
                    _write(reader.lines(last=True))
                    aside(f"— attempt {run.attempt} —")
                reader = stack.enter_context(_opened(run))
                _begin(reader, tail if not seen else None)
                seen.add(run.exec_id)
                _write(reader.lines())
            if reader is not None:
                _write(reader.lines())
            if job.status.final or (attempt is not None and attempt < job.attempt):
                if reader is not None:
                    _write(reader.lines(last=True))
                return
            _pause(store)


def _pause(store: "Store") -> None:
    """Until the store has changed or a log may have grown."""
    import time

    from console.cli.waiting import GLANCE

    time.sleep(GLANCE)
    store.changed()


def _opened(run: Execution) -> LogReader:
    try:
        return LogReader(Path(run.log_path or ""))
    except FileNotFoundError:
        raise NoSuchThing(f"the log of attempt {run.attempt} is gone: {run.log_path}") from None


def _begin(reader: LogReader, tail: int | None) -> None:
    if tail is not None:
        reader.seek_last(tail)
    elif reader.begins_at:
        aside(f"the first {format_bytes(reader.begins_at)} were let go to keep the log within its limit")


def _write(lines: Iterator[bytes]) -> None:
    if sys.stdout is None:
        return
    if not sys.stdout.isatty():
        sys.stdout.flush()
        for line in lines:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return
    shown = coloured if in_colour() else uncoloured
    for line in lines:
        sys.stdout.write(shown(line.decode("utf-8", "replace")) + "\n")
    sys.stdout.flush()
