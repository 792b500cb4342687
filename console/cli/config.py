"""`config`: what the config file settles."""

import click

from console.cli.desk import Desk
from console.cli.jsonout import config_json, print_json
from console.cli.options import verb
from console.cli.output import line
from console.cli.tables import Column, print_facts, print_table
from core.config import Config
from core.job_types import JobType
from core.jsontext import format_bytes
from core.retention import Retention
from core.when import exact_duration


@verb("config", "jobdeck config", "jobdeck config --json")
@click.pass_obj
def config(desk: Desk) -> None:
    """Show where the config file is, the settings that hold, and the types that are declared."""
    path, found = desk.places.config, desk.config
    there = path.exists()
    if desk.json:
        print_json({"path": str(path), "exists": there, **config_json(found)})
        return
    print_facts(
        [
            ("config", f"{path}{'' if there else '  (not there, so the defaults hold)'}"),
            ("slots", "not set" if found.slots is None else str(found.slots)),
            ("grace", exact_duration(found.grace)),
            ("lease", exact_duration(found.lease)),
            ("log limit", format_bytes(found.log_limit)),
            ("keys", _keys(found)),
            ("told", ", ".join(f"{one.name} at {one.where}" for one in found.targets.values())),
            ("retention", _retention(found.retention)),
        ]
    )
    line()
    if not found.types:
        line("no types are declared; a job of any type runs the command that it is given")
        return
    columns: list[Column[JobType]] = [
        Column("TYPE", lambda one: one.name, least=8),
        Column("KIND", lambda one: one.kind.value, drop=1),
        Column("RUNS", _runs, least=12),
        Column("AT ONCE", lambda one: "" if one.concurrency is None else str(one.concurrency), right=True, drop=4),
        Column("TIMEOUT", lambda one: "" if one.timeout is None else exact_duration(one.timeout), right=True, drop=3),
        Column("RETRIES", _retries, least=7, drop=2),
        Column("ASKS FIRST", lambda one: "" if one.approval is None else one.approval.message, least=10, drop=5),
    ]
    print_table(found.types.values(), columns)


def _retention(found: Retention) -> str:
    """What becomes of finished jobs, in one line."""
    bounds = []
    if found.older_than is not None:
        bounds.append(f"older than {exact_duration(found.older_than)}")
    if found.keep is not None:
        bounds.append(f"beyond the last {found.keep:,}")
    if not bounds:
        return "finished jobs are kept for ever"
    return f"finished jobs go: {', '.join(bounds)}" + (f"; archived in {found.archive}" if found.archive else "")


def _keys(found: Config) -> str:
    """The limits of concurrency keys in one line."""
    named = [f"{name} {limit}" for name, limit in found.per_key.items()]
    return ", ".join([*named, f"any other {found.per_key_default}" if named else f"{found.per_key_default} at once"])


def _runs(one: JobType) -> str:
    """What a job of this type runs when it brings nothing of its own."""
    return one.function or " ".join(one.command)


def _retries(one: JobType) -> str:
    new = one.new_job()
    return f"{new.max_retries}, {new.backoff}"
