"""The palette: every action by its words, and a job by its number."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.command import CommandInput, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from console.app.actions import ACTIONS, Action, shown_key
from console.app.widgets.plain_input import Plainly

if TYPE_CHECKING:
    from console.app.app import JobdeckApp


class ActionProvider(Provider):
    """Finds actions by what they do."""

    async def discover(self) -> Hits:
        """Every action, before anything is typed."""
        for action in ACTIONS.values():
            yield DiscoveryHit(Content(_title(action)), _Chosen(_console(self), action), help=action.words)

    async def search(self, query: str) -> Hits:
        """The actions whose name or words fit, and the job of that number."""
        matcher = self.matcher(query)
        number = query.strip().removeprefix("#")
        if number.isascii() and number.isdigit() and len(number) < 18:
            job = int(number)
            yield Hit(1.0, Content(f"job {job}"), lambda: _console(self).open_job(job, "facts"), help="open it")
        for action in ACTIONS.values():
            title = _title(action)
            score = max(matcher.match(title), matcher.match(action.words))
            if score > 0:
                yield Hit(score, matcher.highlight(title), _Chosen(_console(self), action), help=action.words)


class Palette(CommandPalette):
    """The palette, with a line that shows foreign text as it is."""

    def compose(self) -> ComposeResult:
        """What Textual's own is made of, with another line to type in."""
        for widget in super().compose():
            if isinstance(widget, CommandInput):
                yield _Line(placeholder="an action by its words, or a job's number", select_on_focus=False)
            else:
                yield widget


class _Line(Plainly, CommandInput):
    pass


class _Chosen:
    """An action that was chosen; it is done once the palette has closed."""

    def __init__(self, app: "JobdeckApp", action: Action) -> None:
        self._app = app
        self._action = action

    def __call__(self) -> None:
        self._app.do(self._action)


def _console(provider: Provider) -> "JobdeckApp":
    from console.app.app import JobdeckApp

    app = provider.app
    if not isinstance(app, JobdeckApp):
        raise TypeError("the palette belongs to the console")
    return app


def _title(action: Action) -> str:
    return f"{action.short} ({shown_key(action.key)})"
