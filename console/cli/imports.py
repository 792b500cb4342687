"""`import crontab`: the lines of a crontab become templates and schedules, each explained or refused by its number."""

import os.path
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from console.cli.desk import Desk
from console.cli.group import Entry, Lazy
from console.cli.jsonout import print_json
from console.cli.options import WHOLE, verb
from console.cli.output import RED, aside, counted, line, painted
from console.plain import plain
from core.cron import Cron
from core.crontab import Entry as Line
from core.crontab import Refused as RefusedLine
from core.crontab import read_crontab
from core.crontab_jobs import command_for, name_for
from core.jobs import NewJob, NewSchedule
from core.jsontext import format_bytes
from core.refusals import BadInput, JobdeckError
from core.schedules import CatchUp, Overlap
from core.when import parse_zone

if TYPE_CHECKING:
    from store.work import Work

_INSTEAD = "name a file instead: jobdeck import crontab FILE"
SIZE_LIMIT = 4 * 1024 * 1024
TAG = {"from": "crontab"}

VERBS = {"crontab": Entry("imports:crontab", "A crontab's lines, as templates and schedules.")}

import_ = Lazy(
    "import",
    sections={"Verbs": VERBS},
    examples=("jobdeck import crontab --dry-run",),
    help="Bring what another scheduler has.",
    no_args_is_help=True,
)


@dataclass(frozen=True)
class Taken:
    """A line that is taken over, under a name for its template and its schedule."""

    line: Line
    new: NewJob
    schedule: NewSchedule
    words: str
    """When it fires, for people."""


@verb(
    "crontab",
    "jobdeck import crontab --dry-run",
    "jobdeck import crontab mycrontab --timezone Europe/Paris",
    "jobdeck import crontab /etc/crontab --system --skip-refused --disabled",
    "ssh other crontab -l | jobdeck import crontab - --prefix other-",
)
@click.argument("file", metavar="[FILE|-]", required=False)
@click.option("--dry-run", is_flag=True, help="Only say what each line would become.")
@click.option("--skip-refused", is_flag=True, help="Take over the other lines where some are refused.")
@click.option("--system", is_flag=True, help="It has a user before each command, as /etc/crontab does.")
@click.option("--timezone", metavar="TZ", help="The zone of lines above any CRON_TZ; the default is this machine's.")
@click.option("--prefix", default="", metavar="TEXT", help="What the names begin with.")
@click.option("--disabled", is_flag=True, help="Add the schedules, but do not let them fire yet.")
@click.option("--overlap", type=click.Choice([str(one) for one in Overlap]), default="allow", help="As cron: allow.")
@click.option("--catch-up", type=click.Choice([str(one) for one in CatchUp]), default="none", help="As cron: none.")
@click.option("--max-retries", type=WHOLE, default=0, metavar="N", help="How often it is tried again; as cron: 0.")
@click.pass_obj
def crontab(
    desk: Desk,
    file: str | None,
    dry_run: bool,
    skip_refused: bool,
    system: bool,
    timezone: str | None,
    prefix: str,
    disabled: bool,
    overlap: str,
    catch_up: str,
    max_retries: int,
) -> None:
    """Take over a crontab, your own when no FILE is named: all of its lines or, with one that is refused, none.

    Each becomes a template and a schedule of the same name, run by the shell of the crontab in its environment and, as
    cron does, in your home directory. Imported again, lines that are there already stay as they are.
    """
    zone = _zone(desk, timezone)
    found = read_crontab(_text(file), zone, with_users=system)
    options = {"enabled": not disabled, "overlap": overlap, "catch_up": catch_up}
    taken, refused = _taken([one for one in found if isinstance(one, Line)], prefix, max_retries, options)
    refused = sorted([*(one for one in found if isinstance(one, RefusedLine)), *refused], key=lambda one: one.number)
    stored = not dry_run and bool(taken) and (skip_refused or not refused)
    there: set[str] = set()
    if stored:
        with desk.write() as work:
            there = {one.schedule.name for one in taken if not _add(work, one)}
    if desk.json:
        print_json(_json(taken, refused, there, stored))
    else:
        _tell(taken, refused, there, stored=stored)
    if refused and not dry_run and not skip_refused:
        raise BadInput(
            f"{counted(len(refused), 'line')} can't be taken over, so nothing was; --skip-refused takes the others"
        )
    if stored and not disabled and len(there) < len(taken):
        aside("cron still fires these lines, too, until they are taken out of the crontab: crontab -e")


def _zone(desk: Desk, named: str | None) -> str:
    zone = named or desk.zone.key
    try:
        parse_zone(zone)
    except BadInput as error:
        if named is not None:
            raise
        raise BadInput("this machine's time zone has no name that others know; name it: --timezone") from error
    return zone


def _text(file: str | None) -> str:
    if file is None:
        return _of_this_user()
    try:
        if file == "-":
            found, name = sys.stdin.buffer.read(SIZE_LIMIT + 1), "standard input"
        else:
            with Path(file).expanduser().open("rb") as opened:
                found, name = opened.read(SIZE_LIMIT + 1), file
    except OSError as error:
        raise BadInput(f"{file} can't be read: {(error.strerror or str(error)).lower()}") from error
    if len(found) > SIZE_LIMIT:
        raise BadInput(f"{name} is larger than {format_bytes(SIZE_LIMIT)}, the limit")
    try:
        return found.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{name} is not valid UTF-8 (line {found.count(10, 0, error.start) + 1})") from None


def _of_this_user() -> str:
    try:
        # The system's own, wherever it keeps it.
        done = subprocess.run(
            ["crontab", "-l"],  # noqa: S607
            capture_output=True,
            timeout=30,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise BadInput(f"crontab -l can't be asked ({error}); {_INSTEAD}") from error
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip() or f"exit {done.returncode}"
        raise BadInput(f"crontab -l says: {said}; {_INSTEAD}")
    return done.stdout.decode(errors="replace")


def _taken(
    lines: list[Line], prefix: str, max_retries: int, options: dict[str, Any]
) -> tuple[list[Taken], list[RefusedLine]]:
    """What each line becomes; names follow from the crontab alone, so that a second import finds them again."""
    taken: list[Taken] = []
    refused: list[RefusedLine] = []
    home = os.path.expanduser("~")
    names: set[str] = set()
    for one in lines:
        try:
            cron = Cron.parse(one.cron, parse_zone(one.timezone))
            name = name_for(one.command, names, prefix)
            new = NewJob(command=command_for(one, home), tags=TAG, max_retries=max_retries)
        except BadInput as error:
            refused.append(RefusedLine(one.number, f"{one.cron} {one.command}"[:200], str(error)))
            continue
        names.add(name)
        schedule = NewSchedule(name, name, one.cron, one.timezone, **options)
        taken.append(Taken(one, new, schedule, f"{cron.describe()} ({one.timezone})"))
    return taken, refused


def _add(work: "Work", one: Taken) -> bool:
    """Add a line's template and schedule; False when they are there just so."""
    name = one.schedule.name
    template = next((found for found in work.templates() if found.name == name), None)
    schedule = next((found for found in work.schedules() if found.name == name), None)
    if template is not None and schedule is not None:
        same = template.new_job.command == one.new.command and schedule.cron_expression == one.schedule.cron_expression
        if same and schedule.timezone == one.schedule.timezone:
            return False
    try:
        work.add_template(name, one.new)
        work.add_schedule(one.schedule)
    except JobdeckError as error:
        raise type(error)(
            f"line {one.line.number}: {error}; --prefix gives the lines other names; nothing was imported"
        ) from error
    return True


def _tell(taken: list[Taken], refused: list[RefusedLine], there: set[str], *, stored: bool) -> None:
    lines: list[Taken | RefusedLine] = [*taken, *refused]
    for one in sorted(lines, key=_number):
        if isinstance(one, RefusedLine):
            line(painted(plain(f"line {one.number}: refused: {one.reason}"), RED))
            line(plain(f"    {one.line}"))
            continue
        name = one.schedule.name
        line(plain(f"line {one.line.number}: {name}: {one.words}{'; there already' if name in there else ''}"))
        line(plain(f"    {one.line.command}"))
        notes = [*one.line.notes, *(["what stands behind the % is piped into it"] if one.line.input else [])]
        for note in notes:
            line(plain(f"    {note}"))
    if not taken and not refused:
        line("there is no line in it that fires")
    else:
        could = "would be" if not stored else "was" if len(taken) == 1 else "were"
        line(f"{counted(len(taken), 'line')} {could} taken over, {len(refused):,} refused")


def _number(one: Taken | RefusedLine) -> int:
    return one.number if isinstance(one, RefusedLine) else one.line.number


def _json(taken: list[Taken], refused: list[RefusedLine], there: set[str], stored: bool) -> dict[str, Any]:
    return {
        "imported": stored,
        "lines": [
            {
                "line": one.line.number,
                "name": one.schedule.name,
                "cron": one.schedule.cron_expression,
                "timezone": one.schedule.timezone,
                "means": one.words,
                "command": one.line.command,
                "input": one.line.input,
                "env": dict(one.line.env),
                "notes": list(one.line.notes),
                "there_already": one.schedule.name in there,
            }
            for one in taken
        ],
        "refused": [{"line": one.number, "text": one.line, "why": one.reason} for one in refused],
    }
