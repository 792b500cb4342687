"""What was acknowledged to people, and so may never be lost."""

from dataclasses import dataclass, field


@dataclass
class Ledger:
    """Jobs by what was promised about them."""

    submitted: set[int] = field(default_factory=set)
    cancelled: set[int] = field(default_factory=set)
    denied: set[int] = field(default_factory=set)
    reported_done: set[int] = field(default_factory=set)
