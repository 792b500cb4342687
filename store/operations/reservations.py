"""Direct reservations: one caller at a time may take the next free slot."""

from collections.abc import Callable
from datetime import timedelta

from core.ids import uuid7
from core.jobs import Reservation
from core.jsontext import check_text
from core.owners import shown_owner
from core.refusals import BadInput, Busy, NoSuchThing
from core.reservations import DEFAULT_EXPIRY, MAX_EXPIRY, ReservationStatus
from core.when import format_duration, iso
from store.operations.cancelling import Stopping
from store.rows import Row, from_us, reservation_of, to_us

ACTIVE = "SELECT * FROM direct_reservations WHERE status = 'ACTIVE'"
RESERVATION = "SELECT * FROM direct_reservations WHERE reservation_id = :reservation_id"
RESERVE = """
INSERT INTO direct_reservations (reservation_id, reserved_at, reserved_by, status, expires_at)
VALUES (:reservation_id, :now, :reserved_by, 'ACTIVE', :expires_at)
"""
END = """
UPDATE direct_reservations SET status = :status, ended_at = :now
WHERE reservation_id = :reservation_id AND status = 'ACTIVE'
"""
# One that has run before and waits for another attempt had its slot; it is not thrown away.
NEVER_CLAIMED = """
SELECT * FROM jobs WHERE reservation_id = :reservation_id AND status = 'QUEUED' AND attempt = 0 ORDER BY id
"""


class Reservations(Stopping):
    """Making and ending direct reservations."""

    def reserve(self, reserved_by: str, expiry: timedelta = DEFAULT_EXPIRY) -> Reservation:
        """Take the next free slot for a direct job; refused as busy while someone else has it."""
        check_text(reserved_by, "the owner of a reservation", 200)
        if not timedelta(0) < expiry <= MAX_EXPIRY:
            raise BadInput(f"a reservation lasts more than 0s and at most {format_duration(MAX_EXPIRY)}")
        active = self.one(ACTIVE)
        if active is not None:
            if active["expires_at"] > self.now_us:
                until = iso(from_us(active["expires_at"]))
                raise Busy(
                    f"busy: {shown_owner(active['reserved_by'])} has the next free slot, until {until} at the latest"
                )
            self._end(active, ReservationStatus.EXPIRED)
        reservation_id = uuid7(self.now_us // 1000)
        expires_at = to_us(self.now + expiry)
        self.run(RESERVE, reservation_id=reservation_id, reserved_by=reserved_by, expires_at=expires_at)
        return reservation_of(self.one(RESERVATION, reservation_id=reservation_id))

    def release_reservation(self, reservation_id: str) -> bool:
        """Give the slot back to the queue; False when it was given back already."""
        row = self.one(RESERVATION, reservation_id=reservation_id)
        if row is None:
            raise NoSuchThing(f"there is no reservation {reservation_id[:40]}")
        if row["status"] != ReservationStatus.ACTIVE:
            return False
        self._end(row, ReservationStatus.RELEASED)
        return True

    def expire_reservations(self, dead: Callable[[str], bool]) -> list[str]:
        """End what has run out or whose owner is gone, so that the queue goes on."""
        expired = []
        for row in self.all(ACTIVE):
            if row["expires_at"] <= self.now_us or dead(row["reserved_by"]):
                self._end(row, ReservationStatus.EXPIRED)
                expired.append(str(row["reservation_id"]))
        return expired

    def active_reservation(self) -> Reservation | None:
        """The reservation that stands now, if one does."""
        row = self.one(ACTIVE)
        return None if row is None else reservation_of(row)

    def _end(self, row: Row, status: ReservationStatus) -> None:
        """End a reservation; its job that was never started could never be claimed any more, so it goes too."""
        for job in self.all(NEVER_CLAIMED, reservation_id=row["reservation_id"]):
            self.stop(job, f"its reservation was {status.lower()} before it could start")
        self.run(END, reservation_id=row["reservation_id"], status=status)
