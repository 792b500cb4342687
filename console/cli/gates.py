"""`approvals`, `approve`, `deny`: what people are asked, and their answers."""

import sys
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import approval_json, print_json
from console.cli.options import WHOLE, id_argument, verb
from console.cli.output import line
from console.cli.tables import Column, print_table
from console.plain import plain
from core.jobs import Approval
from core.refusals import BadInput
from core.when import format_relative

if TYPE_CHECKING:
    from store.store import Store

MOST = 1_000
_TOKEN_LIMIT = 1_000


@verb("approvals", "jobdeck approvals", "jobdeck approvals --json")
@click.option("--limit", "-n", type=WHOLE, metavar="N", default=MOST, help=f"At most so many; the default is {MOST:,}.")
@click.pass_obj
def approvals(desk: Desk, limit: int) -> None:
    """List the gates that wait for an answer, the longest waiting first."""
    if limit < 1:
        raise BadInput(f"--limit is {limit}; use 1 or more")
    with desk.read() as views:
        waiting = views.open_approvals(limit)
    if desk.json:
        print_json([approval_json(approval) for approval in waiting])
        return
    if not waiting:
        line("nothing waits for approval; a job asks for it with: jobdeck submit --approval TEXT -- COMMAND")
        return
    now = desk.now
    columns: list[Column[Approval]] = [
        Column("ID", lambda one: str(one.job), right=True),
        Column("GATE", lambda one: one.name, least=6, drop=3),
        Column("QUESTION", lambda one: one.message, least=12),
        Column("ASKED BY", lambda one: one.requested_by, least=6, drop=2),
        Column("ASKED", lambda one: format_relative(one.requested_at, now), drop=4),
        Column("EXPIRES", lambda one: format_relative(one.expires_at, now) if one.expires_at else "never", drop=1),
        Column("", lambda one: "four eyes" if one.four_eyes else "", drop=5),
    ]
    print_table(waiting, columns)


_token = click.option("--token", metavar="TOKEN", help="The token you were sent; - reads it from stdin.")


@verb(
    "approve", "jobdeck approve 42", 'jobdeck approve 42 --comment "checked with ops"', "jobdeck approve 42 --token -"
)
@id_argument
@_token
@click.option("--comment", metavar="TEXT", help="What to note beside the decision.")
@click.pass_obj
def approve(desk: Desk, ref: str, token: str | None, comment: str | None) -> None:
    """Let a job pass its gate; the next free slot takes it on.

    Whoever owns the store needs no token. Anyone else gives the one that came with the notification.
    """
    with desk.store() as store:
        presented = _presented(store, ref, token)
        with store.write(desk.actor) as work:
            answered = work.approve(ref, presented, comment)
    _tell(desk, answered, f'job {answered.job} may pass gate "{answered.name}"')


@verb("deny", 'jobdeck deny 42 --reason "not during the sale"', 'jobdeck deny 42 --reason "no" --token -')
@id_argument
@click.option("--reason", "-r", required=True, metavar="TEXT", help="Why; it becomes the job's error.")
@_token
@click.pass_obj
def deny(desk: Desk, ref: str, reason: str, token: str | None) -> None:
    """Refuse a job's gate, which fails the job."""
    with desk.store() as store:
        presented = _presented(store, ref, token)
        with store.write(desk.actor) as work:
            answered = work.deny(ref, presented, reason)
    _tell(desk, answered, f'gate "{answered.name}" of job {answered.job} is denied, and the job failed')


def _presented(store: "Store", ref: str, token: str | None) -> str:
    """The token that answers the gate: the one that was given, or the owner's own."""
    if token == "-":  # noqa: S105 - not a token but the way to hand one in
        given = sys.stdin.readline(_TOKEN_LIMIT).strip() if sys.stdin is not None else ""
        if not given:
            raise BadInput("there was no token on stdin")
        return given
    if token is not None:
        return token.strip()
    with store.read() as views:
        gates = views.whole_job(ref).approvals
    # Without a gate the answer itself is refused, with the reason.
    return store.token_of(gates[-1].approval_id) if gates else ""


def _tell(desk: Desk, answered: Approval, sentence: str) -> None:
    if desk.json:
        print_json(approval_json(answered))
    else:
        line(plain(sentence))
