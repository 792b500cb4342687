"""The line at the bottom: the keys that matter here and now; one that isn't possible is dimmed, never hidden."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from console.app.actions import Action, shown_key
from console.plain import width


class KeyBar(Widget):
    """Keys with their words; a click is as good as a key."""

    DEFAULT_CSS = """
    KeyBar { height: 1; background: $panel; color: $text; }
    """

    class Chosen(Message):
        """Someone clicked on a key."""

        def __init__(self, action: Action) -> None:
            super().__init__()
            self.action = action

    def __init__(self) -> None:
        super().__init__()
        self._actions: Sequence[tuple[Action, bool]] = ()
        self._keys: dict[str, str] = {}
        self._spans: list[tuple[int, int, Action]] = []

    def show(self, actions: Sequence[tuple[Action, bool]], keys: dict[str, str]) -> None:
        """Show these, each with whether it is possible now; `keys` has those that the operator has changed."""
        if (actions, keys) != (self._actions, self._keys):
            self._actions, self._keys = actions, keys
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """The line, ending where the screen does."""
        base = self.rich_style
        if y:
            return Strip.blank(self.size.width, base)
        segments: list[Segment] = [Segment(" ", base)]
        used = 1
        self._spans = []
        for action, possible in self._actions:
            key = shown_key(self._keys.get(action.name, action.key))
            wide = width(key) + width(action.short) + 3
            if used + wide > self.size.width:
                break
            dim = Style(dim=True) if not possible else Style.null()
            segments.append(Segment(key, base + Style(bold=True) + dim))
            segments.append(Segment(f" {action.short}  ", base + dim))
            self._spans.append((used, used + wide, action))
            used += wide
        return Strip(segments, used).adjust_cell_length(self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        """A click on a key is the key."""
        for start, end, action in self._spans:
            if start <= event.x < end:
                self.post_message(self.Chosen(action))
