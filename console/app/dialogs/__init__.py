"""Questions that are asked before something is done: each is pinned to what it asks about."""
