"""`backup` and `restore`: a copy of the store while everything goes on, and the way back."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.options import verb
from console.cli.output import aside, line
from console.plain import plain
from core.jsontext import format_bytes
from core.refusals import NoSuchThing, Refused

if TYPE_CHECKING:
    from core.machine.leadlock import FileLock


@verb("backup", "jobdeck backup /mnt/backups/jobdeck-2031-05-01.db")
@click.argument("file", metavar="FILE")
@click.pass_obj
def backup(desk: Desk, file: str) -> None:
    """Copy the store, as it is at one instant, to a new file; jobs go on meanwhile.

    The copy is checked as doctor does before it counts. Its key, which open gates are answered with, goes beside it.
    """
    from store.backup import back_up

    places = desk.places
    if not places.db.exists():
        raise NoSuchThing(f"there is no store at {places.db}")
    target = Path(file).expanduser().absolute()
    size = back_up(places.db, places.key, target)
    if desk.json:
        print_json({"file": str(target), "bytes": size})
    else:
        line(plain(f"{format_bytes(size)} backed up to {target}"))


@verb("restore", "jobdeck restore /mnt/backups/jobdeck-2031-05-01.db", "jobdeck restore old.db --replace")
@click.argument("file", metavar="FILE")
@click.option("--replace", "replacing", is_flag=True, help="Move the store that is there aside first.")
@click.pass_obj
def restore(desk: Desk, file: str, replacing: bool) -> None:
    """Put a backup in the store's place, once it was checked as doctor does. No engine may run meanwhile.

    Jobs that ran when the backup was made count as lost, and are tried again.
    """
    from store.backup import restore

    places = desk.places
    if places.db.exists() and not replacing:
        raise Refused(f"there is a store at {places.db}; --replace moves it aside and takes the backup instead")
    lock = engine_lock(desk)
    try:
        before = places.db.with_name(f"{places.db.name}.before-{desk.now:%Y%m%d-%H%M%S}")
        was_there = restore(Path(file).expanduser().absolute(), places.db, places.key, before)
    finally:
        lock.release()
    if desk.json:
        print_json({"db": str(places.db), "before": str(before) if was_there else None})
        return
    line(plain(f"restored to {places.db}"))
    if was_there:
        aside(f"what was there before is now {before}")


def engine_lock(desk: Desk) -> "FileLock":
    """The lock that an engine would hold, so that none starts in between."""
    from core.machine.leadlock import FileLock

    desk.places.run.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = FileLock(desk.places.run / "lock")
    if not lock.acquire():
        raise Refused("an engine runs on this store; stop it first")
    return lock
