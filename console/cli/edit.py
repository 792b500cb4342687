"""`edit`: a job changed before its first run."""

from collections.abc import Sequence
from typing import Any

import click

from console.cli.desk import Desk
from console.cli.job_options import ENV_LIMIT
from console.cli.jsonout import job_json, print_json
from console.cli.options import WHOLE, id_argument, verb
from console.cli.output import line
from console.wishes import laid_over
from core.edits import UNSET_PARAM, Edit
from core.jobs import Gate, Job, NewJob
from core.jsontext import check_text, parse_pairs, parse_params
from core.refusals import BadInput, Refused
from core.secrets import kept_environment

NOTHING = "none"
"""What takes an optional value away."""

_REMOVABLE = ("at", "deadline", "timeout", "approval", "cwd", "concurrency_key")
_FIELDS = {
    "at": "scheduled_run_time",
    "deadline": "deadline_at",
    "timeout": "timeout",
    "max_retries": "max_retries",
    "backoff": "backoff",
    "concurrency_key": "concurrency_key",
}


@verb(
    "edit",
    "jobdeck edit 42 --param date=2031-05-01 --unset-param dry_run",
    'jobdeck edit 42 --at "tomorrow 6:00" --timeout 2h',
    "jobdeck edit 42 --at none",
    "jobdeck edit 42 -- ./other-command.sh",
)
@id_argument
@click.option("--param", "params", multiple=True, metavar="K=V", help="Set a param; repeatable.")
@click.option("--unset-param", "unset_params", multiple=True, metavar="K", help="Take a param away; repeatable.")
@click.option("--tag", "tags", multiple=True, metavar="K=V", help="Set a tag; repeatable.")
@click.option("--unset-tag", "unset_tags", multiple=True, metavar="K", help="Take a tag away; repeatable.")
@click.option("--env", multiple=True, metavar="K=V", help="Set a variable; repeatable.")
@click.option("--unset-env", multiple=True, metavar="K", help="Take a variable away; repeatable.")
@click.option("--at", metavar="TIME|none", help="Not before then.")
@click.option("--deadline", metavar="TIME|none", help="Fail if it has not started by then.")
@click.option("--timeout", metavar="DURATION|none", help="Stop a run that takes longer.")
@click.option("--max-retries", type=WHOLE, metavar="N", help="How often it is tried again.")
@click.option("--backoff", metavar="RULE", help="Wait before a retry: fixed:1s or exponential:1s:5m.")
@click.option("--approval", metavar="TEXT|none", help="Ask this before it runs.")
@click.option("--concurrency-key", metavar="KEY|none", help="Jobs with the same key take turns.")
@click.option("--cwd", metavar="DIR|none", help="Where it runs.")
@click.option("--key", hidden=True)
@click.option("--type", "job_type", hidden=True)
@click.argument("argv", nargs=-1, metavar="[-- ARGV...]")
@click.pass_obj
def edit(desk: Desk, /, ref: str, **given: Any) -> None:
    """Change a job before its first run; what is not named stays as it is."""
    for fixed in ("key", "job_type"):
        if given.pop(fixed) is not None:
            name = fixed.removeprefix("job_")
            raise Refused(f"a job's {name} never changes; cancel it and submit another with: jobdeck submit --{name}")
    changes = _changes(given, desk)
    if not changes:
        raise BadInput("there is nothing to change; name it, as in: jobdeck edit 42 --timeout 2h")
    with desk.write() as work:
        if given["approval"] not in (None, NOTHING):
            changes["approval"] = _gate(work.job(ref), given["approval"])
        job = work.edit(ref, Edit(**changes))
    if desk.json:
        print_json(job_json(job))
    else:
        line(f"job {job.id} is changed")


def _changes(given: dict[str, Any], desk: Desk) -> dict[str, Any]:
    """The fields of an edit that were asked for."""
    changes: dict[str, Any] = {}
    pairs: dict[str, tuple[dict[str, Any], Sequence[str]]] = {
        "params": (parse_params(given["params"]), given["unset_params"]),
        "tags": (parse_pairs(given["tags"], "tag"), given["unset_tags"]),
        "env": (
            kept_environment(
                parse_pairs(given["env"], "env", value_limit=ENV_LIMIT, allow_newlines=True), desk.here.cwd
            ),
            given["unset_env"],
        ),
    }
    for field, (to_set, to_unset) in pairs.items():
        if to_set or to_unset:
            changes[field] = _merged(field, to_set, to_unset)
    plain_values = {name: given[name] for name in (*_FIELDS, "cwd") if given[name] is not None}
    for name in [name for name in plain_values if name in _REMOVABLE and plain_values[name] == NOTHING]:
        del plain_values[name]
        changes[_FIELDS.get(name, name)] = "" if name == "concurrency_key" else None
    if given["argv"]:
        plain_values["argv"] = given["argv"]
    new = laid_over(NewJob(), plain_values, desk.here)
    for name in plain_values:
        changes[_FIELDS.get(name, name)] = getattr(new if name in _FIELDS else new.command, _FIELDS.get(name, name))
    if given["approval"] is not None:
        changes["approval"] = None
    return changes


def _gate(job: Job, message: str) -> Gate:
    """The question in its new words, with what else the old one asked for."""
    if job.approval is None:
        return Gate(message)
    return Gate(message, job.approval.four_eyes, job.approval.expires_after)


def _merged(field: str, to_set: dict[str, Any], to_unset: Sequence[str]) -> dict[str, Any]:
    for name in to_unset:
        check_text(name, f"the name of the {field.removesuffix('s')} to take away", 200)
        if name in to_set:
            raise BadInput(f"{field.removesuffix('s')} {name} is both set and taken away")
    return {**to_set, **dict.fromkeys(to_unset, UNSET_PARAM)}
