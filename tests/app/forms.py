"""Filling in forms as people do, and looking at what comes out."""

import unicodedata
from collections.abc import Iterable

from rich.segment import Segment
from textual.widget import Widget

from console.app.dialogs.form import Form
from console.app.widgets.field import Field
from tests.app.conftest import Console

MARKUP = "build [/oops] [@click=app.quit]x[/] [bold"
ESCAPE = "\x1b]0;title\x07\x1b[31mred\x9b31m"
BIDI = "safe\u202egnp.exe\u2066\u200b"
HOSTILE = [MARKUP, ESCAPE, BIDI, "zalgo e" + "\u0301" * 30, "a\tb\x00c\x85d\ud800"]
"""Texts that would steer a terminal, act, or hide, were they taken for more than text."""


async def opened(at: Console, *keys: str) -> Form:
    """The form that these keys open."""
    await at.press(*keys)
    await at.until(lambda: isinstance(at.screen, Form) and at.screen.focused is not None, "a form is open")
    assert isinstance(at.screen, Form)
    return at.screen


def seen(at: Console) -> str:
    """What is on the terminal, as one reads it: without frames, and not folded."""
    return " ".join(at.text.replace("│", " ").split())


async def put(at: Console, key: str, text: str) -> Field:
    """Have this stand in a field."""
    field = at.screen.query_one(f"#field-{key}", Field)
    field.text = text
    await at.settle()
    return field


async def paste(at: Console, key: str, text: str) -> Field:
    """Paste this into a field instead of what is there."""
    field = at.screen.query_one(f"#field-{key}", Field)
    field.text = ""
    field.entry.focus()
    await at.until(lambda: at.screen.focused is field.entry, f"{key} has the focus")
    await at.paste(text)
    return field


async def reach(at: Console, keys: Iterable[str]) -> None:
    """Go through a form by tab alone: each of these fields and buttons gets the focus, and is in sight then."""
    seen: set[str] = set()
    first = at.screen.focused
    while True:
        focused = at.screen.focused
        assert focused is not None
        await at.until(lambda widget=focused: _in_sight(widget), f"{focused} is in sight")  # type: ignore[misc]
        field = next((one for one in focused.ancestors if isinstance(one, Field)), None)
        seen.add(str(focused.id) if field is None else field.key)
        await at.press("tab")
        if at.screen.focused is first:
            break
    assert set(keys) <= seen


def _in_sight(widget: Widget) -> bool:
    """Whether all of a widget can be seen."""
    frames = [one for one in widget.ancestors if isinstance(one, Widget)]
    return widget.region.area > 0 and all(frame.region.contains_region(widget.region) for frame in frames)


def assert_only_text(at: Console) -> None:
    """What is on the terminal controls nothing, hides nothing, and nothing of it can be clicked into an action."""
    for strip in at.screen._compositor.render_strips():
        for segment in strip:
            assert_harmless(segment)


async def assert_only_text_from_end_to_end(at: Console) -> None:
    """The same, wherever a form is scrolled to."""
    body = at.screen.query_one(".body")
    for place in range(0, body.max_scroll_y + 1, max(1, body.size.height)):
        body.scroll_to(y=place, animate=False, immediate=True)
        await at.settle()
        assert_only_text(at)


def assert_harmless(segment: Segment) -> None:
    """One piece of what is shown."""
    hidden = {unicodedata.category(letter) for letter in segment.text} & {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
    assert not hidden, repr(segment.text)
    assert segment.style is None or "@click" not in (segment.style.meta or {}), repr(segment.text)
    assert segment.style is None or segment.style.link is None, repr(segment.text)
