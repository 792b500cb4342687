"""The people side of jobdeck: the command line and the console."""

__version__ = "0.1.0"
