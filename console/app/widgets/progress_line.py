"""One line that says what is under way, and how to stop it; it is there only while something is."""

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip
from textual.widget import Widget

from console.plain import padded, plain


class ProgressLine(Widget):
    """Words, as wide as the screen."""

    DEFAULT_CSS = """
    ProgressLine { height: 1; background: $panel; color: $accent; display: none; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._words = ""

    def show(self, words: str) -> None:
        """Show these words; without any the line is gone."""
        if words != self._words:
            self._words = words
            self.display = bool(words)
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line."""
        room = self.size.width
        text = f" {plain(self._words)} · esc stops it" if y == 0 else ""
        return Strip([Segment(padded(text, room), self.rich_style + Style(bold=True))], room)
