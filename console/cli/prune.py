"""`prune`: what has ended long ago goes, with its history and logs."""

from pathlib import Path

import click

from console.cli.desk import Desk
from console.cli.jsonout import instant, print_json
from console.cli.options import WHOLE, verb
from console.cli.output import counted, line
from console.moments import to_the_minute
from console.plain import plain
from core.refusals import BadInput, Refused
from core.retention import Retention
from core.when import parse_duration


@verb(
    "prune",
    "jobdeck prune --dry-run",
    "jobdeck prune --older-than 30d --archive ~/jobdeck-archive",
    "jobdeck prune --keep 10000",
)
@click.option("--older-than", metavar="DURATION", help="What ended longer ago than that, such as 30d.")
@click.option("--keep", type=WHOLE, metavar="N", help="What is beyond the N finished jobs that ended last.")
@click.option("--archive", metavar="DIR", help="Write the jobs down there first, as compressed JSON lines.")
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@click.option(
    "--compact", is_flag=True, help="Then write the file anew without what is free in it; needs a stopped engine."
)
@click.pass_obj
def prune(
    desk: Desk, older_than: str | None, keep: int | None, archive: str | None, dry_run: bool, compact: bool
) -> None:
    """Delete finished jobs with their history and logs; with both bounds, what either of them lets go.

    Chains of retries go whole, once their last link may go. Without options the bounds are the config's, [retention],
    and an engine that runs does the same by itself.
    """
    from console.housekeeping import prune_alone
    from store.retention import would_prune

    retention = _chosen(desk, older_than, keep, archive)
    if not retention.bounded and not compact:
        raise BadInput(
            "nothing says what may go: use --older-than 30d, --keep 10000 or both, or set them in the config, "
            "under [retention]"
        )
    with desk.store() as store:
        if dry_run:
            found = would_prune(store, retention)
        else:
            done = prune_alone(store, desk.places, retention, desk.now)
            if done is None:
                raise Refused("another prune is at work on this store; it does the same, so wait for it")
            found = done
    if compact and not dry_run:
        _compact(desk)
    if desk.json:
        print_json(
            {
                "dry_run": dry_run,
                "jobs": found.jobs,
                "chains": found.chains,
                "logs": found.logs,
                "oldest": instant(found.oldest),
                "newest": instant(found.newest),
                "archive": retention.archive,
                "compacted": compact and not dry_run,
            }
        )
        return
    if found.jobs == 0 or found.oldest is None or found.newest is None:
        line("nothing is old enough to go")
    else:
        verb_ = "would go" if dry_run else "went"
        span = f"ended {to_the_minute(found.oldest, desk.zone)} to {to_the_minute(found.newest, desk.zone)}"
        line(f"{counted(found.jobs, 'finished job')} {verb_}, with {counted(found.logs, 'log')}; they {span}")
        if retention.archive is not None:
            line(plain(f"{'they would be' if dry_run else 'they are'} archived in {retention.archive}"))
    if compact and not dry_run:
        line("the file was written anew")


def _chosen(desk: Desk, older_than: str | None, keep: int | None, archive: str | None) -> Retention:
    """What the options say; what they leave open comes from the config, but a bound replaces both of its bounds."""
    settled = desk.config.retention
    where = settled.archive if archive is None else str(Path(archive).expanduser().absolute())
    if archive is not None and not archive.strip():
        raise BadInput("--archive is empty; give it a directory")
    if older_than is None and keep is None:
        return Retention(settled.older_than, settled.keep, where)
    return Retention(None if older_than is None else parse_duration(older_than), keep, where)


def _compact(desk: Desk) -> None:
    from console.cli.backup import engine_lock

    lock = engine_lock(desk)
    try:
        with desk.store() as store:
            store.compact()
    finally:
        lock.release()
