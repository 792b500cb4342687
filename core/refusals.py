"""The ways in which jobdeck says no, each a sentence for people with its exit code."""


class JobdeckError(Exception):
    """Something a person has to be told: one sentence, and the exit code that goes with it."""

    exit_code: int = 1


class Trouble(JobdeckError):
    """The thing itself failed: a disk, a file, a store that cannot be used."""


class BadInput(JobdeckError):
    """What was typed or handed in can't be understood or is out of bounds."""

    exit_code = 2


class Refused(JobdeckError):
    """The rules forbid it now: an illegal transition, a taken key, a busy reservation, a wrong token."""

    exit_code = 3


class Busy(Refused):
    """Someone else has it now; asked again later, it may be free."""


class Fenced(Refused):
    """The execution no longer holds its lease, so nothing it says counts any more."""


class Deposed(Fenced):
    """Another engine leads the store now."""


class NoSuchThing(JobdeckError):
    """Nothing goes by that name."""

    exit_code = 4
