"""What could stand in a line, to choose from: below the line while that is typed in, the chosen one marked."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from console.plain import cut, padded, plain, width

LINES = 6
"""So many are shown at once."""


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to choose."""

    text: str
    """What stands in the line once it is chosen."""
    words: str = ""
    """What it is."""


class Offers(Widget):
    """A short list without a focus of its own: the line's keys move through it, and a click chooses.

    It lies above what is below the line, so that nothing moves away from under the mouse when it goes.
    """

    DEFAULT_CSS = """
    Offers {
        overlay: screen;
        constrain: none inside;
        width: 1fr;
        height: auto;
        color: $text;
        background: $panel-lighten-2;
        display: none;
    }
    """

    class Chosen(Message):
        """Someone clicked on an offer."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self) -> None:
        super().__init__()
        self._offers: Sequence[Offer] = ()
        self._at: int | None = None

    def show(self, offers: Sequence[Offer], chosen: str) -> None:
        """Offer these."""
        place = next((at for at, offer in enumerate(offers) if offer.text == chosen), None)
        if (offers, place) != (self._offers, self._at):
            layout = len(offers) != len(self._offers)
            self._offers, self._at = offers, place
            self.display = bool(offers)
            self.refresh(layout=layout)

    def neighbour(self, by: int) -> str | None:
        """The offer before or after the chosen one; past the ends it goes round."""
        if not self._offers:
            return None
        start = (-1 if by > 0 else 0) if self._at is None else self._at
        return self._offers[(start + by) % len(self._offers)].text

    def get_content_height(self, *_: object) -> int:
        """As many lines as there are offers, within bounds."""
        return min(LINES, len(self._offers))

    def render_line(self, y: int) -> Strip:
        """One offer; in the last line, how many more there are."""
        base, room = self.rich_style, self.size.width
        at = self._first + y
        if at >= len(self._offers):
            return Strip.blank(room, base)
        offer = self._offers[at]
        more = len(self._offers) - at - 1 if y == LINES - 1 else 0
        tail = f" … {more:,} more" if more else ""
        chosen = at == self._at
        text = f"{'▸' if chosen else ' '} {plain(offer.text)}{'  ' if offer.words else ''}{plain(offer.words)}"
        style = base + (Style(bold=True, reverse=True) if chosen else Style.null())
        return Strip([Segment(padded(cut(text, room - width(tail)), room - width(tail)), style), Segment(tail, base)])

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        at = self._first + event.y
        if 0 <= at < len(self._offers):
            self.post_message(self.Chosen(self._offers[at].text))

    @property
    def _first(self) -> int:
        return max(0, min((self._at or 0) - LINES // 2, len(self._offers) - LINES))
