"""A lively throw-away store: believable work that never ends, for a first look."""
