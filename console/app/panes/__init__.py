"""The panes: one file each."""
