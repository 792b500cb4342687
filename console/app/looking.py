"""What the deck's keys show or choose without changing anything in the store."""

from typing import TYPE_CHECKING

from console.app.actions import Action
from console.app.panes.base import Filtered
from console.app.widgets.prompt import Prompt
from console.plain import plain

if TYPE_CHECKING:
    from console.app.screens.deck import DeckScreen


class Looking:
    """Carries out the actions on the screen; each has its method, under its name."""

    def __init__(self, deck: "DeckScreen") -> None:
        self._deck = deck

    def do(self, action: Action) -> None:
        """Do it."""
        getattr(self, action.name.replace("-", "_"))()

    def open(self) -> None:
        """Show the job whole; of a schedule, let it be changed."""
        self._open("facts")

    def log(self) -> None:
        """Show what the job prints."""
        self._open("log")

    def copy(self) -> None:
        """Copy the job's number and name."""
        target = self._deck.active.target()
        if target is None:
            self._warn("there is no job here to copy")
        else:
            self._deck.app.copy_to_clipboard(plain(target.name))
            self._deck.app.tell(f"copied: {target.name}")

    def mark(self) -> None:
        """Mark what is under the cursor."""
        if self._deck.active.target() is None:
            self._warn("only jobs are marked, and there is none here")
        self._deck.active.toggle_mark()

    def mark_all(self) -> None:
        """Mark all that match, however many they are."""
        pane = self._deck.active
        if pane.whole:
            pane.mark_at_hand()
        elif isinstance(pane, Filtered):
            self._deck.app.underway.gather(pane.filter, pane.scope, pane.mark)

    def filter(self) -> None:
        """Type a filter; a pane that has none leaves it to the queue."""
        if not isinstance(self._deck.active, Filtered):
            self._deck.go_to(self._deck.queue.NUMBER)
        pane = self._deck.active
        assert isinstance(pane, Filtered)  # noqa: S101 - the queue is one
        self._deck.query_one(Prompt).ask_filter(pane.filter)

    def command(self) -> None:
        """Type a command."""
        self._deck.query_one(Prompt).ask_command()

    def zoom(self) -> None:
        """Show this pane alone, or all of them."""
        self._deck.zoom()

    def theme(self) -> None:
        """The next set of colours."""
        self._deck.app.next_theme()

    def outbox(self) -> None:
        """What could not be told, and what waits to be."""
        self._deck.app.open_outbox()

    def help(self) -> None:
        """Every key."""
        self._deck.app.show_help()

    def quit(self) -> None:
        """Leave the console."""
        self._deck.app.engine.leave()

    def _open(self, tab: str) -> None:
        target = self._deck.active.target()
        if target is None:
            self._warn("there is no job here to open")
        else:
            self._deck.app.open_job(target.id, tab)

    def _warn(self, words: str) -> None:
        self._deck.app.tell(words, severity="warning")
