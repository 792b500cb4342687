"""The Textual console: panes that read snapshots, actions that write, one change signal between them."""
