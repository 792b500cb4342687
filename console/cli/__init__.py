"""The command line: one file for each group of verbs, loaded only when one of them is called."""
