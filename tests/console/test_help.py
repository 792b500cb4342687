"""Every verb explains itself, with an example that names it."""

import click
import pytest

from console.cli.group import Lazy, jobdeck
from tests.console.conftest import Cli


def _paths(group: Lazy, before: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name in group.entries:
        command = group.get_command(click.Context(group), name)
        found.append((*before, name))
        if isinstance(command, Lazy):
            found += _paths(command, (*before, name))
    return found


PATHS = _paths(jobdeck)


@pytest.mark.parametrize("path", PATHS, ids=[" ".join(path) for path in PATHS])
def test_the_help_of_every_verb_has_an_example(cli: Cli, path: tuple[str, ...]) -> None:
    ran = cli(*path, "--help")
    assert ran.code == 0
    assert f"jobdeck {' '.join(path)}" in ran.out.partition("Examples:")[2]


def test_the_overview_lists_only_what_is_there(cli: Cli) -> None:
    out = cli("--help").out
    for verb in ("submit", "schedule", "serve", "wait", "logs", "direct", "doctor", "completion", "demo"):
        assert f"\n  {verb} " in out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script(cli: Cli, shell: str) -> None:
    assert f"_JOBDECK_COMPLETE={shell}_complete" in cli("completion", shell).out.replace('"', "")
