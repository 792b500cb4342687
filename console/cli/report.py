"""`report`: the result of a job that runs elsewhere, mapped back by its type and key."""

import sys
from random import SystemRandom

import click

from console.cli.desk import Desk
from console.cli.jsonout import job_json, print_json
from console.cli.options import verb
from console.cli.output import line
from core.jobs import Json
from core.jsontext import RESULT_LIMIT, loads
from core.refusals import BadInput


@verb(
    "report",
    "jobdeck report export 2031-05-01 succeeded --result '{\"rows\": 1200}'",
    'jobdeck report export 2031-05-01 failed --error "the bucket is gone"',
)
@click.argument("job_type", metavar="TYPE")
@click.argument("job_key", metavar="KEY")
@click.argument("outcome", metavar="succeeded|failed", type=click.Choice(["succeeded", "failed"]))
@click.option("--result", metavar="JSON", help="What it brought, for succeeded; - reads stdin.")
@click.option("--error", metavar="TEXT", help="What went wrong, for failed.")
@click.pass_obj
def report(desk: Desk, job_type: str, job_key: str, outcome: str, result: str | None, error: str | None) -> None:
    """Report how a job that runs elsewhere has ended."""
    succeeded = outcome == "succeeded"
    if succeeded and error is not None:
        raise BadInput("--error goes with failed, not with succeeded")
    if not succeeded and result is not None:
        raise BadInput("--result goes with succeeded, not with failed")
    value = _value(result)
    with desk.write() as work:
        job = work.report(job_type, job_key, succeeded=succeeded, result=value, error=error, rng=SystemRandom())
    if desk.json:
        print_json(job_json(job))
    else:
        line(f"job {job.id} is {job.status}")


def _value(text: str | None) -> Json:
    if text is None:
        return None
    if text == "-":
        return loads(sys.stdin.buffer.read(RESULT_LIMIT + 1), "--result", RESULT_LIMIT)
    return loads(text, "--result", RESULT_LIMIT)
