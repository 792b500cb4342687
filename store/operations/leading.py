"""Who leads this store: taking the lead, showing that one is still there, giving it up."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from core.leading import Leader
from core.limits import Limits
from core.refusals import Deposed
from store.leader_rows import leader_json
from store.operations.settings import Settings
from store.rows import to_us
from store.views.leading import LEADER, LeaderViews

SLOTS = "slots"
LEADS = "SELECT 1 FROM settings WHERE name = 'leader' AND json_extract(value, '$.owner') = :owner"
# Not refused for a lease that ran out meanwhile: a machine that slept wakes up with its processes as they were, and
# that nobody else took the lead is proof that nobody took their jobs.
KEEP = """
UPDATE executions SET lease_expires_at = :until
WHERE exec_id = :exec_id AND lease_owner = :owner AND handed_over_at IS NULL
  AND status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED')
"""
HELD_BY = """
SELECT exec_id FROM executions WHERE status IN ('LEASED', 'IN_PROGRESS', 'COMMITTED') AND lease_owner = :owner
"""


class Leading(Settings, LeaderViews):
    """The lead of one engine at a time."""

    def take_lead(self, leader: Leader, slots: int | None) -> None:
        """Lead from now on; a number of slots that was chosen in an earlier engine's time ends with it."""
        self.set_setting(LEADER, leader_json(leader))
        self.choose_slots(slots)

    def choose_slots(self, slots: int | None) -> None:
        """Run so many jobs at once from now on, whatever the config says; None goes back to that."""
        if slots is None:
            self.forget_setting(SLOTS)
        else:
            Limits(slots)
            self.set_setting(SLOTS, slots)

    def chosen_slots(self) -> int | None:
        """The number of slots that was chosen while an engine ran."""
        value = self.setting(SLOTS)
        return None if value is None else int(value)

    def must_lead(self, owner: str) -> None:
        """Refuse everything to an engine that no longer leads: what it knows may be long past."""
        if self.one(LEADS, owner=owner) is None:
            leader = self.leader()
            who = "nobody leads" if leader is None else f"pid {leader.pid} on {leader.host} leads"
            raise Deposed(f"this engine no longer leads the store: {who} now")

    def beat(self, leader: Leader, lease: timedelta) -> Leader:
        """Show that the leader is still there, and under which limits it works."""
        shown = replace(leader, beat=leader.beat + 1, until=self.now + lease)
        self.set_setting(LEADER, leader_json(shown))
        return shown

    def keep(self, exec_ids: Iterable[str], owner: str, lease: timedelta) -> list[str]:
        """Hold on to what the leader runs; those that someone ended meanwhile come back as lost."""
        until = to_us(self.now + lease)
        return [one for one in exec_ids if not self.run(KEEP, exec_id=one, owner=owner, until=until)]

    def held_by(self, owner: str) -> set[str]:
        """The live executions under that owner's leases."""
        return {str(row["exec_id"]) for row in self.all(HELD_BY, owner=owner)}

    def resign(self, owner: str) -> bool:
        """Give the lead up, so that the next one need not wait; False when it was lost before."""
        if self.one(LEADS, owner=owner) is None:
            return False
        return self.forget_setting(LEADER)
