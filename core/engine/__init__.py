"""The clockwork: claims jobs, runs them, ends them, and survives whatever happens in between."""
