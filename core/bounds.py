"""How large the small things may be; the database checks the same bounds."""

PRIORITY_LIMIT = 1_000_000
"""The highest priority, and with a minus the lowest."""
KEY_LIMIT = 200
NAME_LIMIT = 100
TEXT_LIMIT = 65_536
GATE_TEXT_LIMIT = 4_000
DELIVERY_ERROR_LIMIT = 1_000
PATH_LIMIT = 4_096
