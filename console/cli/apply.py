"""`apply` and `export`: templates and schedules as a file that can be kept, compared and carried elsewhere."""

import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.cli.desk import Desk
from console.cli.jsonout import dumped, print_json
from console.cli.options import verb
from console.cli.output import GREEN, RED, YELLOW, counted, line, painted
from console.plain import plain
from core.jsontext import format_bytes
from core.refusals import BadInput

if TYPE_CHECKING:
    from console.setup.changes import Change

_SIGNS = {"add": ("+", GREEN), "change": ("~", YELLOW), "remove": ("-", RED)}
_LONGEST = 120
"""How much of a value a line of the difference shows."""


class _OnlyTried(Exception): ...


@verb(
    "apply",
    "jobdeck apply setup.toml --dry-run",
    "jobdeck apply setup.toml",
    "jobdeck apply setup.toml --prune",
    "jobdeck export | ssh other jobdeck apply -",
)
@click.argument("file", metavar="FILE|-")
@click.option("--prune", is_flag=True, help="Remove the templates and schedules that the file does not have.")
@click.option("--dry-run", is_flag=True, help="Only show the difference.")
@click.pass_obj
def apply(desk: Desk, file: str, prune: bool, dry_run: bool) -> None:
    """Make templates and schedules what a TOML file says, all of it or nothing, and show the difference.

    \b
    [templates.nightly]
    type = "backup"
    argv = ["pg_dump", "main"]
    timeout = "2h"
    [schedules.nightly-backup]
    template = "nightly"
    cron = "30 2 * * *"
    timezone = "Europe/Paris"

    A template's keys are those of a line of submit --from. Types and limits belong to the config file.
    """
    from console.setup.changes import REMOVE, carry_out, changes, current
    from console.setup.reading import read_set_up

    name, directory, found = _read(file)
    wanted = read_set_up(name, found, directory, desk.config, desk.places.config)
    with desk.store() as store, suppress(_OnlyTried), store.write(desk.actor) as work:
        before = current(work, desk.config)
        done = carry_out(work, wanted, desk.config, prune=prune)
        if dry_run:
            # All of it was done, so that whatever would go wrong has been said; and all of it is undone.
            raise _OnlyTried
    left = [] if prune else [one for one in changes(before, wanted.documents) if one.does == REMOVE]
    if desk.json:
        print_json({"dry_run": dry_run, "changes": [_json(one) for one in done], "not_in_file": [
            {"kind": one.kind, "name": one.name} for one in left]})  # fmt: skip
        return
    for one in done:
        for text in _lines(one):
            line(text)
    for one in left:
        line(plain(f"  {one.kind} {one.name} is not in the file and stays; --prune removes it"))
    if not done:
        line("everything is as the file says")
    else:
        line(f"{counted(len(done), 'difference')}, nothing was changed" if dry_run else counted(len(done), "change"))


@verb("export", "jobdeck export", "jobdeck export > setup.toml", "jobdeck export --json")
@click.pass_obj
def export(desk: Desk) -> None:
    """Print the templates and schedules as a file that apply reads."""
    from console.setup.changes import current

    with desk.read() as views:
        found = current(views, desk.config)
    if desk.json:
        print_json({"templates": dict(found.templates), "schedules": dict(found.schedules)})
    elif not (found.templates or found.schedules):
        line("# there are no templates and no schedules yet")
    elif sys.stdout is not None:
        sys.stdout.write(found.text())


def _read(file: str) -> tuple[str, Path, bytes]:
    """The name of the file, the directory that its relative words are relative to, and what is in it."""
    from console.setup.reading import SIZE_LIMIT

    path = Path(file).expanduser().absolute()
    try:
        if file == "-":
            found, name, directory = sys.stdin.buffer.read(SIZE_LIMIT + 1), "standard input", Path.cwd()
        else:
            with path.open("rb") as opened:
                found, name, directory = opened.read(SIZE_LIMIT + 1), file, path.parent
    except OSError as error:
        raise BadInput(f"{file} can't be read: {(error.strerror or str(error)).lower()}") from error
    if len(found) > SIZE_LIMIT:
        raise BadInput(f"{name} is larger than {format_bytes(SIZE_LIMIT)}, the limit")
    return name, directory, found


def _lines(one: "Change") -> Iterator[str]:
    sign, colour = _SIGNS[one.does]
    yield painted(plain(f"{sign} {one.kind} {one.name}"), colour)
    if one.does != "remove":
        for key, old, new in one.fields():
            was = "" if one.does == "add" else f"{_shown(old)} → "
            yield f"    {key}: {was}{_shown(new)}"


def _shown(value: Any) -> str:
    if value is None:
        return "as usual"
    text = plain(dumped(value))
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _json(one: "Change") -> dict[str, Any]:
    return {
        "kind": one.kind,
        "name": one.name,
        "change": one.does,
        "fields": {key: {"from": old, "to": new} for key, old, new in one.fields()},
    }
