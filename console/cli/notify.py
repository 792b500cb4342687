"""`notify`: who is told, what could not be told, trying a target out, and trying again."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.group import Entry, Lazy
from console.cli.jsonout import notification_json, print_json
from console.cli.options import WHOLE, verb
from console.cli.output import GREEN, RED, YELLOW, counted, line, painted
from console.cli.tables import Column, print_table
from console.plain import plain
from console.ringing import rung
from core.config_notify import shown
from core.ids import uuid7
from core.notifications import Notification, Target, Terminal, body, trial
from core.refusals import BadInput, NoSuchThing, Trouble
from core.when import format_relative

if TYPE_CHECKING:
    from store.views import Listener

MOST = 1_000
STATES = {"failed": RED, "retrying": YELLOW, "delivered": GREEN}

VERBS = {
    "list": Entry("notify:list_", "What waits to be told, and what could not be."),
    "test": Entry("notify:test", "Tell a target something now, to see whether it hears."),
    "retry": Entry("notify:retry", "Tell again what could not be told."),
}

notify = Lazy(
    "notify",
    sections={"Verbs": VERBS},
    examples=("jobdeck notify list", "jobdeck notify test ops", "jobdeck notify retry --target ops"),
    help="Webhooks, programs and terminals that are told what happens; they stand in the config, under [notify.NAME].",
    no_args_is_help=True,
)


@verb("list", "jobdeck notify list", "jobdeck notify list --all --limit 20", "jobdeck notify list --json")
@click.option("--all", "everything", is_flag=True, help="Also what was delivered.")
@click.option("--limit", "-n", type=WHOLE, metavar="N", default=MOST, help=f"At most so many; the default is {MOST:,}.")
@click.pass_obj
def list_(desk: Desk, everything: bool, limit: int) -> None:
    """List what could not be told, then what still waits, with the reason of the last failure."""
    if limit < 1:
        raise BadInput(f"--limit is {limit}; use 1 or more")
    targets = desk.config.targets
    with desk.read() as views:
        found = [*views.failed_notifications(limit), *views.waiting_notifications(limit)]
        found += views.delivered_notifications(limit) if everything else []
        listeners = {one.name: one for one in views.listeners()}
    found = found[:limit]
    if desk.json:
        print_json(
            {
                "targets": [_target_json(target, listeners) for target in targets.values()],
                "notifications": [notification_json(one) for one in found],
            }
        )
        return
    for sentence in _about_targets(desk, targets, listeners):
        line(painted(plain(sentence), YELLOW))
    if found:
        _print(desk, found)
    elif targets:
        line("everything was told" if not everything else "nothing has been told yet")


def _about_targets(desk: Desk, targets: Mapping[str, Target], listeners: "Mapping[str, Listener]") -> list[str]:
    """What is to be known before one looks at the list."""
    if not targets:
        return [f"nobody is told anything; name someone under [notify.NAME] in {desk.places.config}"]
    off = [
        f"{one.name} is switched off: {one.off}; go on with: jobdeck notify retry --target {one.name}"
        for one in listeners.values()
        if one.off is not None and one.name in targets
    ]
    new = [name for name in targets if name not in listeners]
    if new:
        off.append(f"{', '.join(new)}: told nothing until an engine has read this config")
    return off


def _print(desk: Desk, found: Sequence[Notification]) -> None:
    columns: list[Column[Notification]] = [
        Column("ID", lambda one: str(one.id), right=True),
        Column("EVENT", lambda one: one.event, least=10, drop=3),
        Column("JOB", lambda one: "" if one.job is None else str(one.job), right=True, drop=2),
        Column("TARGET", lambda one: one.target, least=6),
        Column("STATE", lambda one: one.state, colour=lambda one: STATES.get(one.state)),
        Column("TRIES", lambda one: str(one.attempts), right=True, drop=4),
        Column("AGE", lambda one: format_relative(one.created_at, desk.now), drop=5),
        Column("NEXT", lambda one: _next(one, desk), drop=1),
        Column("WHY", lambda one: one.last_error or "", least=10),
    ]
    print_table(found, columns)


def _next(one: Notification, desk: Desk) -> str:
    return "" if one.next_attempt_at is None else format_relative(one.next_attempt_at, desk.now)


def _target_json(target: Target, listeners: "Mapping[str, Listener]") -> dict[str, object]:
    heard = listeners.get(target.name)
    return {**shown(target), "known": heard is not None, "off": None if heard is None else heard.off}


@verb("test", "jobdeck notify test ops", "jobdeck notify test", "jobdeck notify test ops --json")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@click.pass_obj
def test(desk: Desk, names: tuple[str, ...]) -> None:
    """Tell these targets something now, or all of them; needs no engine and keeps nothing. Exit 1 if one fails."""
    targets = desk.config.targets
    for name in names:
        if name not in targets:
            known = f"there are {', '.join(targets)}" if targets else f"name it in {desk.places.config}"
            raise NoSuchThing(f"there is no target {name}; {known}")
    if not targets:
        raise NoSuchThing(f"nobody is told anything; name someone under [notify.NAME] in {desk.places.config}")
    came_to = {name: _tried(desk, targets[name]) for name in names or targets}
    failed = {name: error for name, error in came_to.items() if error is not None}
    if desk.json:
        print_json([{"target": name, "delivered": error is None, "error": error} for name, error in came_to.items()])
    else:
        for name, error in came_to.items():
            if error is None:
                line(f"{plain(name)} was told, at {plain(targets[name].where)}")
    if failed:
        raise Trouble("; ".join(f"{name} was not told: {error}" for name, error in failed.items()))


def _tried(desk: Desk, target: Target) -> str | None:
    """What went wrong, if anything did."""
    from core.machine.calls import call
    from core.machine.procfs import host

    told = trial(target.name, uuid7(int(desk.now.timestamp() * 1000)), desk.now)
    if isinstance(target, Terminal) and sys.stdout is not None and sys.stdout.isatty():
        sys.stdout.write(rung(target.signal, told.message))
    return call(target).deliver(body(told, host(), None), int(desk.now.timestamp())).error


@verb(
    "retry",
    "jobdeck notify retry 17",
    "jobdeck notify retry --target ops",
    "jobdeck notify retry --all",
)
@click.argument("ids", metavar="[ID]...", nargs=-1, type=WHOLE)
@click.option("--target", metavar="NAME", help="All that this target was not told; it is switched on again.")
@click.option("--all", "everything", is_flag=True, help="All that nobody was told.")
@click.pass_obj
def retry(desk: Desk, ids: tuple[int, ...], target: str | None, everything: bool) -> None:
    """Tell again now what could not be told; the receiver sees the same id as before."""
    if bool(ids) + (target is not None) + everything != 1:
        raise BadInput("say what is to be told again: ids, --target NAME or --all")
    with desk.write() as work:
        for number in ids:
            work.tell_again(number)
        again = list(ids) or work.tell_all_again(target)
    if desk.json:
        print_json({"retried": again})
    elif target is not None and not again:
        line(f"nothing waits for {plain(target)}; it is told from now on")
    elif again:
        line(f"{counted(len(again), 'notification')} will be told again")
    else:
        line("nothing has failed, so nothing is told again")
