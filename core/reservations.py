"""Direct reservations: one caller at a time may take the next free slot."""

from datetime import timedelta
from enum import StrEnum


class ReservationStatus(StrEnum):
    """Where a direct reservation stands."""

    ACTIVE = "ACTIVE"
    RELEASED = "RELEASED"
    EXPIRED = "EXPIRED"


DEFAULT_EXPIRY = timedelta(minutes=5)
MAX_EXPIRY = timedelta(hours=24)
