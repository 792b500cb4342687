"""Places to type in that show foreign text as it is: no control byte of a value ever reaches the terminal."""

from typing import cast

from rich.cells import cell_len
from rich.text import Text
from textual.widgets import Input, TextArea

from console.plain import plain_in_place


class Plainly:
    """Makes a line show its value letter for letter where it has it, so that the cursor stays true."""

    def on_mount(self) -> None:
        """A steady cursor: nothing is repainted while nobody types."""
        cast(Input, self).cursor_blink = False

    @property
    def _value(self) -> Text:
        return Text(plain_in_place(cast(Input, self).value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(plain_in_place(cast(Input, self).value[:position]))


class PlainInput(Plainly, Input):
    """One line."""


class PlainArea(TextArea):
    """Several lines."""

    def on_mount(self) -> None:
        """A steady cursor, here too."""
        self.cursor_blink = False

    def get_line(self, line_index: int) -> Text:
        """A line as it is shown."""
        return Text(plain_in_place(self.document.get_line(line_index)), end="", no_wrap=True)
