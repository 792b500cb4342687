"""The names of tabs in a line, each with the number that is its key; a click is as good."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from console.plain import width


class TabLine(Widget):
    """One line; the tab that is open stands out."""

    DEFAULT_CSS = """
    TabLine { height: 1; background: $surface; color: $text-muted; }
    """

    class Chosen(Message):
        """Someone clicked on a name."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = names
        self._current = 0
        self._spans: list[tuple[int, int, int]] = []

    def show(self, current: int) -> None:
        """That one is open now."""
        self._current = current
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """The names side by side."""
        base = self.rich_style
        if y:
            return Strip.blank(self.size.width, base)
        segments: list[Segment] = []
        used = 0
        self._spans = []
        for number, name in enumerate(self._names):
            text = f" {number + 1} {name} "
            style = Style(reverse=True, bold=True) if number == self._current else Style.null()
            segments.append(Segment(text, base + style))
            self._spans.append((used, used + width(text), number))
            used += width(text)
        return Strip(segments, used).adjust_cell_length(self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        """A click on a name is its number."""
        for start, end, number in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(number))
