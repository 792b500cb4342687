"""Tables: they fit the terminal, and whatever a job is called stays text."""

import pytest

from console.plain import width
from tests.console.conftest import Cli

HOSTILE = "\x1b]0;owned\x07 [/oops] [@click=app.quit]x \u202eevil \x9b31m \u65e5\u672c\u8a9e line\nbreak"


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    cli("submit", "--type", "\u65e5\u672c\u8a9e" * 5, "--key", "key" * 20, "--", "echo", "\u6f22\u5b57" * 60)
    cli("submit", "--", "ls")
    cli("hold", "1")
    monkeypatch.setenv("COLUMNS", str(columns))
    for verb in (["list"], ["history"], ["chain", "1"]):
        assert max(map(width, cli(*verb).out.splitlines())) <= columns, verb
    assert cli("list").out.startswith("ID")


def test_hostile_text_reaches_the_screen_as_text(cli: Cli) -> None:
    cli("submit", "--param", f"p={HOSTILE}", "--", "echo", HOSTILE)
    for verb in (["list"], ["show", "1"], ["chain", "1"], ["history", "1"]):
        ran = cli(*verb)
        assert ran.code == 0
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(ran.out), verb
    assert "[/oops] [@click=app.quit]x" in cli("list").out


def test_hostile_text_in_a_complaint_is_one_plain_line(cli: Cli) -> None:
    for arguments in (["show", HOSTILE], [HOSTILE], ["template", "show", HOSTILE], ["list", "--filter", HOSTILE]):
        ran = cli(*arguments)
        assert ran.code in (2, 4)
        assert ran.err.count("\n") == 1
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(ran.err), arguments


def test_there_is_no_colour_where_there_is_no_terminal(cli: Cli) -> None:
    cli("submit", "--", "a")
    assert "\x1b" not in cli("list").out


def test_colour_follows_the_terminal_and_no_color(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    cli("submit", "--", "a")
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda _: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert "\x1b[36mQUEUED" in cli("list").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("list").out
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in cli("list").out
