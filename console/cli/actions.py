"""What is done to one job or several at once: all of them, or none."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import job_json, print_json
from console.cli.options import ids_argument, verb
from console.cli.output import line
from console.plain import plain
from core.jobs import Job
from core.refusals import JobdeckError

if TYPE_CHECKING:
    from store.work import Work


def to_each(desk: Desk, ids: tuple[str, ...], act: Callable[["Work", int], tuple[Job | int, str]]) -> None:
    """Do something to every job in one transaction; if one of them is refused, nothing was done to any."""
    told: list[str] = []
    touched: list[int] = []
    with desk.write() as work:
        for number in _numbers(work, ids):
            try:
                result, sentence = act(work, number)
            except JobdeckError as error:
                raise _named(error, str(number), several=len(ids) > 1) from error
            touched.append(result if isinstance(result, int) else result.id)
            told.append(sentence)
        jobs = [work.job(number) for number in touched] if desk.json else []
    if desk.json:
        print_json([job_json(job) for job in jobs])
        return
    for sentence in told:
        line(plain(sentence))


def _numbers(work: "Work", ids: tuple[str, ...]) -> list[int]:
    """The jobs that are meant, each once, in the order given."""
    numbers: dict[int, None] = {}
    for ref in ids:
        try:
            numbers[int(work.job_row(ref)["id"])] = None
        except JobdeckError as error:
            raise _named(error, ref, several=len(ids) > 1) from error
    return list(numbers)


def _named(error: JobdeckError, ref: str, *, several: bool) -> JobdeckError:
    sentence = str(error) if ref[:40] in str(error) else f"job {ref}: {error}"
    return type(error)(f"{sentence}; nothing was changed" if several else sentence)


_reason = click.option("--reason", "-r", metavar="TEXT", help="Why, for the history.")


@verb("release", "jobdeck release 42", "jobdeck release 42 43 44")
@ids_argument
@click.pass_obj
def release(desk: Desk, ids: tuple[str, ...]) -> None:
    """Put drafts into the queue."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        work.release(number)
        return number, f"job {number} is in the queue"

    to_each(desk, ids, act)


@verb("hold", "jobdeck hold 42", 'jobdeck hold 42 43 --reason "waits for the new disk"')
@ids_argument
@_reason
@click.pass_obj
def hold(desk: Desk, ids: tuple[str, ...], reason: str | None) -> None:
    """Keep jobs from starting; they stay where they are in the queue."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        fresh = work.hold(number, reason)
        return number, f"job {number} is held" if fresh else f"job {number} was held already"

    to_each(desk, ids, act)


@verb("unhold", "jobdeck unhold 42")
@ids_argument
@click.pass_obj
def unhold(desk: Desk, ids: tuple[str, ...]) -> None:
    """Let held jobs start again."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        fresh = work.unhold(number)
        return number, f"job {number} may start" if fresh else f"job {number} was not held"

    to_each(desk, ids, act)


@verb("cancel", "jobdeck cancel 42", 'jobdeck cancel 42 43 --reason "not needed any more"')
@ids_argument
@_reason
@click.pass_obj
def cancel(desk: Desk, ids: tuple[str, ...], reason: str | None) -> None:
    """Stop jobs for good. One that runs is asked to stop; the others end at once."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        stopping = work.cancel(number, reason).stopping
        return number, f"job {number} is asked to stop" if stopping else f"job {number} is cancelled"

    to_each(desk, ids, act)


@verb("kill", "jobdeck kill 42", 'jobdeck kill 42 --reason "it hangs"')
@ids_argument
@_reason
@click.pass_obj
def kill(desk: Desk, ids: tuple[str, ...], reason: str | None) -> None:
    """Stop running jobs at once, without the time to end by themselves that cancel gives them."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        work.kill(number, reason)
        return number, f"job {number} is being killed"

    to_each(desk, ids, act)


@verb("retry", "jobdeck retry 42", 'jobdeck retry 42 43 --reason "the network is back"')
@ids_argument
@_reason
@click.pass_obj
def retry(desk: Desk, ids: tuple[str, ...], reason: str | None) -> None:
    """Run jobs again: at once if they wait for a retry, as a new job behind their chain if they have ended."""

    def act(work: "Work", number: int) -> tuple[Job, str]:
        retried = work.retry(number, reason)
        if retried.new:
            return retried.job, f"job {retried.job.id} retries job {number}"
        return retried.job, f"job {number} is back in the queue"

    to_each(desk, ids, act)


@verb("give-up", "jobdeck give-up 42", 'jobdeck give-up 42 --reason "the source is gone"')
@ids_argument
@_reason
@click.pass_obj
def give_up(desk: Desk, ids: tuple[str, ...], reason: str | None) -> None:
    """Cut the remaining retries of jobs that wait for one; they fail now."""

    def act(work: "Work", number: int) -> tuple[int, str]:
        work.give_up(number, reason)
        return number, f"job {number} failed; its retries are cut"

    to_each(desk, ids, act)
