"""Between the leader and the setting that it is kept in."""

from core.jobs import Json
from core.leading import Leader
from core.limits import Limits
from store.rows import from_us, to_us


def leader_json(leader: Leader) -> Json:
    """The leader as the settings keep it."""
    limits = leader.limits
    return {
        "owner": leader.owner,
        "host": leader.host,
        "pid": leader.pid,
        "store": leader.store,
        "since": to_us(leader.since),
        "until": to_us(leader.until),
        "beat": leader.beat,
        "slots": limits.slots,
        "per_type": dict(limits.per_type),
        "per_key_default": limits.per_key_default,
        "per_key": dict(limits.per_key),
        "locked": leader.locked,
    }


def leader_of(value: Json) -> Leader:
    """The leader from what the settings keep."""
    return Leader(
        owner=value["owner"],
        host=value["host"],
        pid=value["pid"],
        store=value["store"],
        since=from_us(value["since"]),
        until=from_us(value["until"]),
        beat=value["beat"],
        limits=Limits(value["slots"], value["per_type"], value["per_key_default"], value["per_key"]),
        locked=value["locked"],
    )
