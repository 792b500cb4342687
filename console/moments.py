"""Instants and firings as people read them: the clock on the wall, how far away it is, what the clocks do to it."""

from datetime import datetime
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from core.when import format_relative

if TYPE_CHECKING:
    from core.cron import Fire

CHANGES = {"gap": "clocks go forward that day", "overlap": "clocks go back that day"}


def exact(instant: datetime, zone: ZoneInfo, now: datetime) -> str:
    """An instant as the clock here reads it, and how far away that is."""
    local = instant.astimezone(zone)
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzname()} ({format_relative(instant, now)})"


def to_the_minute(instant: datetime, zone: ZoneInfo) -> str:
    """An instant with its weekday, as the clock in a zone reads it."""
    return f"{instant.astimezone(zone):%a %Y-%m-%d %H:%M %Z}"


def note(fire: "Fire") -> str | None:
    """What the clocks do on that day, and to this firing."""
    if fire.dst is None:
        return None
    return CHANGES[fire.dst] + (f": {fire.note}" if fire.note else "")
