"""A fact: what it is about, and what is so; foreign text stays text, and lines stay lines."""

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from console.plain import plain


class Fact(Horizontal):
    """One fact; without a value it is not there."""

    DEFAULT_CSS = """
    Fact {
        height: auto;
        .label { width: 13; color: $text-muted; }
        .value { width: 1fr; height: auto; }
    }
    """

    def __init__(self, label: str, value: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._label = label
        self.value = value
        self.display = bool(value)
        self._shown = Static(_lines(value), classes="value", markup=False)

    def compose(self) -> ComposeResult:
        """The label and the value."""
        yield Static(Content(plain(self._label)), classes="label", markup=False)
        yield self._shown

    def show(self, value: str) -> None:
        """Tell this from now on."""
        if value != self.value:
            self.value = value
            self.display = bool(value)
            self._shown.update(_lines(value))


def _lines(text: str) -> Content:
    return Content("\n".join(plain(line) for line in text.split("\n")))
