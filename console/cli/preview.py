"""`schedule preview`: when a cron expression fires, and what the clocks do to it."""

from typing import Any
from zoneinfo import ZoneInfo

import click

from console.cli.desk import Desk
from console.cli.jsonout import print_json
from console.cli.options import WHOLE, verb
from console.cli.output import YELLOW, line
from console.cli.tables import Column, print_table
from console.moments import note, to_the_minute
from console.plain import plain
from core.cron import Cron, Fire
from core.refusals import BadInput
from core.when import format_relative, iso, parse_instant, parse_zone

MOST = 1_000


@verb(
    "preview",
    "jobdeck schedule preview nightly",
    'jobdeck schedule preview --cron "30 2 * * *" --timezone Europe/Paris --after 2027-03-27 --count 3',
)
@click.argument("name", required=False)
@click.option("--cron", metavar="EXPR", help="Five fields: minute, hour, day, month, weekday.")
@click.option("--timezone", metavar="TZ", help="An IANA name; the default is UTC, or the schedule's own.")
@click.option("--after", metavar="TIME", help="From then on; the default is now.")
@click.option("--count", "-n", type=WHOLE, default=10, metavar="N", help="How many; the default is 10.")
@click.pass_obj
def preview(
    desk: Desk, name: str | None, cron: str | None, timezone: str | None, after: str | None, count: int
) -> None:
    """Show when a schedule, or a cron expression, fires next, with the days on which the clocks change."""
    if (name is None) == (cron is None):
        raise BadInput("name a schedule or give --cron, one of the two")
    if not 1 <= count <= MOST:
        raise BadInput(f"--count is {count}; use 1 to {MOST:,}")
    made = _cron(desk, name, cron, timezone)
    start = desk.now if after is None else parse_instant(after, desk.now, made.zone)
    fires = made.upcoming(start, count)
    if desk.json:
        print_json([fire_json(fire, made.zone) for fire in fires])
        return
    line(plain(f"{made.expression}: {made.describe()}, in {made.zone.key}"))
    if not fires:
        line("it never fires after that")
        return
    columns: list[Column[Fire]] = [
        Column("WHEN", lambda fire: to_the_minute(fire.at, made.zone)),
        Column("UTC", lambda fire: iso(fire.at), drop=2),
        Column("FROM NOW", lambda fire: format_relative(fire.at, desk.now), drop=1),
        Column("NOTE", lambda fire: note(fire) or "", least=12, colour=lambda _: YELLOW),
    ]
    print_table(fires, columns)


def fire_json(fire: Fire, zone: ZoneInfo) -> dict[str, Any]:
    """One firing as scripts get it."""
    return {
        "at": iso(fire.at),
        "local": fire.at.astimezone(zone).isoformat(),
        "dst": fire.dst,
        "note": note(fire),
    }


def _cron(desk: Desk, name: str | None, cron: str | None, timezone: str | None) -> Cron:
    if name is None:
        return Cron.parse(cron or "", parse_zone(timezone or "UTC"))
    with desk.read() as views:
        found = views.schedule(name)
    return Cron.parse(found.cron_expression, parse_zone(timezone or found.timezone))
