"""Who leads the store, and what the last recovery did."""

from core.leading import Leader
from store.leader_rows import leader_of
from store.rows import from_us, load
from store.tx import Tx
from store.views.values import RecoveryReport

SETTING = "SELECT value FROM settings WHERE name = :name"
LEADER = "leader"
RECOVERY = "recovery"


class LeaderViews(Tx):
    """The engine, as it has written itself down."""

    def leader(self) -> Leader | None:
        """The engine that leads, or led when it was last heard of."""
        row = self.one(SETTING, name=LEADER)
        return None if row is None else leader_of(load(row["value"]))

    def last_recovery(self) -> RecoveryReport | None:
        """What the latest recovery that had something to do has done."""
        row = self.one(SETTING, name=RECOVERY)
        if row is None:
            return None
        value = load(row["value"])
        return RecoveryReport(from_us(value["at"]), [(job, did) for job, did in value["did"]], value["more"])
