"""One file per duty: each a class of operations over one transaction, guarded by state, execution and lease."""
