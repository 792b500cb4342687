"""How the queue is counted: in stretches of positions, so that any depth is found without walking there."""

BUCKET = 409_600
"""How wide a stretch of positions one bucket covers: 4,096 jobs at the usual gap."""
