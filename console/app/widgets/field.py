"""Fields of a form: each has a label, a place for its value, and below it what is wrong or what it means."""

from collections.abc import Sequence
from typing import ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Checkbox, Input, Static, TextArea

from console.app.widgets.offers import Offer, Offers
from console.app.widgets.plain_input import PlainArea, PlainInput
from console.plain import plain


class Field(Widget):
    """What all fields have in common."""

    DEFAULT_CSS = """
    Field {
        layout: vertical;
        height: auto;
        color: $text-muted;
        &:focus-within { color: $text; text-style: bold; }
        & > * { margin-left: 15; }
        .note { height: auto; color: $text-muted; display: none; }
        .note.wrong { color: $error; }
        Input, TextArea { background: $panel; }
        Input:focus, TextArea:focus { background: $panel-lighten-1; }
        TextArea { height: auto; min-height: 2; max-height: 6; padding: 0; }
        Checkbox { background: transparent; width: auto; }
    }
    """

    class Changed(Message):
        """Its value is another one now."""

    class Entered(Message):
        """Someone is done with it."""

        def __init__(self, field: "Field") -> None:
            super().__init__()
            self.field = field

    def __init__(self, key: str, label: str) -> None:
        super().__init__(id=f"field-{key}")
        self.key = key
        self.label = label
        self.note = ""
        """What stands below it."""
        self.wrong = False
        """Whether that is something to be put right."""
        self._below = Static("", classes="note", markup=False)

    @property
    def text(self) -> str:
        """Its value as text."""
        raise NotImplementedError

    @text.setter
    def text(self, value: str) -> None:
        raise NotImplementedError

    @property
    def entry(self) -> Widget:
        """The part that has the focus."""
        raise NotImplementedError

    def below(self) -> ComposeResult:
        """What stands between the value and the note."""
        return ()

    def compose(self) -> ComposeResult:
        """The value, and the note."""
        yield self.entry
        yield from self.below()
        yield self._below

    def render(self) -> Content:
        """The label, beside all that."""
        return Content(self.label)

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Say what its value means or what is wrong with it; foreign text stays text, and lines stay lines."""
        if (text, wrong) == (self.note, self.wrong):
            return
        self.note, self.wrong = text, wrong
        sign = "✗" if wrong else "→"
        lines = [f"{sign if at == 0 else ' '} {plain(line)}" for at, line in enumerate(text.split("\n"))]
        self._below.update(Content("\n".join(lines) if text else ""))
        self._below.set_class(wrong, "wrong")
        self._below.display = bool(text)


class Line(Field):
    """One line of text, perhaps with offers of what could stand there."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "offer(1)", "next", show=False),
        Binding("up", "offer(-1)", "previous", show=False),
    ]

    def __init__(
        self,
        key: str,
        label: str,
        value: str = "",
        *,
        hint: str = "",
        offers: Sequence[Offer] = (),
        fixed: bool = False,
    ) -> None:
        super().__init__(key, label)
        self._entry = PlainInput(value, placeholder=hint, compact=True, select_on_focus=False, disabled=fixed)
        self._all_offers = offers
        self._typed = value
        self._chosen: str | None = None

    @property
    def text(self) -> str:
        """The line."""
        return self._entry.value

    @text.setter
    def text(self, value: str) -> None:
        self._entry.value = value
        self._entry.cursor_position = len(value)

    @property
    def entry(self) -> PlainInput:
        """The line itself."""
        return self._entry

    def below(self) -> ComposeResult:
        """The offers, where there are any."""
        if self._all_offers:
            yield Offers()

    def action_offer(self, by: int) -> None:
        """Take the next offer, or the one before."""
        for offers in self.query(Offers):
            text = offers.neighbour(by)
            if text is not None:
                self._choose(text)

    @on(Offers.Chosen)
    def _offer_chosen(self, event: Offers.Chosen) -> None:
        event.stop()
        self._choose(event.text)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._chosen:
            self._typed, self._chosen = event.value, None
        self._show_offers()
        self.post_message(self.Changed())

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.post_message(self.Entered(self))

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Offers are there while one types."""
        self._show_offers()

    def on_descendant_blur(self, _event: events.DescendantBlur) -> None:
        """And not longer."""
        for offers in self.query(Offers):
            offers.show((), "")

    def _choose(self, text: str) -> None:
        self._chosen = text
        self.text = text

    def _show_offers(self) -> None:
        if self._all_offers and self._entry.has_focus:
            self.query_one(Offers).show(self._matching(), self.text)

    def _matching(self) -> Sequence[Offer]:
        """The offers that go with what was typed, those that begin with it first; all, once it is one of them."""
        typed = self._typed.strip().casefold()
        if not typed or any(offer.text.casefold() == typed for offer in self._all_offers):
            return self._all_offers
        found = [offer for offer in self._all_offers if typed in offer.text.casefold()]
        return sorted(found, key=lambda offer: not offer.text.casefold().startswith(typed))


class Lines(Field):
    """Several lines of text."""

    def __init__(self, key: str, label: str, value: str = "", *, hint: str = "", fixed: bool = False) -> None:
        super().__init__(key, label)
        self._entry = PlainArea(value, placeholder=hint, compact=True, soft_wrap=False, disabled=fixed)

    @property
    def text(self) -> str:
        """The lines."""
        return self._entry.text

    @text.setter
    def text(self, value: str) -> None:
        self._entry.text = value

    @property
    def entry(self) -> PlainArea:
        """The lines themselves."""
        return self._entry

    @on(TextArea.Changed)
    def _changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())


class Box(Checkbox):
    """A box that shows without colour whether it is ticked."""

    def render(self) -> Content:
        """The box and its words."""
        self.BUTTON_INNER = "✓" if self.value else " "
        return super().render()


class Flag(Field):
    """Yes or no."""

    def __init__(self, key: str, label: str, words: str, *, on: bool = False) -> None:
        super().__init__(key, label)
        self._entry = Box(Content(words), value=on, compact=True)

    @property
    def text(self) -> str:
        """Something for yes, nothing for no."""
        return "yes" if self._entry.value else ""

    @text.setter
    def text(self, value: str) -> None:
        self._entry.value = bool(value)

    @property
    def entry(self) -> Box:
        """The box."""
        return self._entry

    @on(Checkbox.Changed)
    def _changed(self, event: Checkbox.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())
