"""`show`: everything about one job."""

import click

from console.cli.attempts import attempts_table
from console.cli.desk import Desk
from console.cli.jsonout import approval_json, command_json, dumped, execution_json, job_json, print_json, why_json
from console.cli.options import id_argument, verb
from console.cli.output import BOLD, line, painted
from console.cli.tables import print_facts
from console.facts import facts, gate_line
from console.plain import plain
from core.status import Status
from core.waiting import why


@verb("show", "jobdeck show 42", "jobdeck show 42 --json", "jobdeck show 0198c2f1")
@id_argument
@click.pass_obj
def show(desk: Desk, ref: str) -> None:
    """Show one job whole: its facts, its executions, its chain and its gates."""
    with desk.read() as views:
        whole = views.whole_job(ref)
        rank = views.queue_rank(whole.job.id) if whole.job.status is Status.QUEUED else None
        flow = views.flow()
    if desk.json:
        print_json(
            {
                **job_json(whole.job),
                "why": why_json(whole.job, flow, desk.now),
                "command": command_json(whole.job.command),
                "executions": [execution_json(execution) for execution in whole.executions],
                "chain": whole.chain,
                "approvals": [approval_json(approval) for approval in whole.approvals],
            }
        )
        return
    waits_for = why(whole.job, flow, desk.now).words if whole.job.status is Status.QUEUED else ""
    print_facts(facts(whole, rank, waits_for, desk.zone, desk.now, dumped))
    if whole.executions:
        line()
        line(painted("Executions", BOLD))
        attempts_table(whole.executions, desk)
    if whole.approvals:
        line()
        line(painted("Gates", BOLD))
        for approval in whole.approvals:
            line(f"  {plain(gate_line(approval, desk.zone, desk.now))}")
