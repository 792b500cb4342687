"""What is typed behind a colon."""

import pytest

from console.app.actions import ACTIONS
from console.app.commands import Colours, Command, Filtering, OpenJob, Perform, parse_command
from core.refusals import BadInput


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("", None),
        ("  :  ", None),
        ("42", OpenJob(42)),
        ("#42", OpenJob(42)),
        ("job 42", OpenJob(42)),
        ("hold", Perform(ACTIONS["hold"])),
        (":hold", Perform(ACTIONS["hold"])),
        ("priority 5", Perform(ACTIONS["priority"], "5")),
        ("slots  4", Perform(ACTIONS["slots"], "4")),
        ("filter type:etl age<1h", Filtering("type:etl age<1h")),
        ("filter", Filtering("")),
        ("drafts", Filtering("status:created")),
        ("theme light", Colours("light")),
        ("theme", Perform(ACTIONS["theme"])),
        ("q", Perform(ACTIONS["quit"])),
    ],
)
def test_a_command_means_what_it_says(text: str, command: Command | None) -> None:
    assert parse_command(text) == command


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hodl", "did you mean hold?"),
        ("frobnicate", "? shows every action"),
        ("theme pink", "use dark, light, colour-blind, monochrome"),
        ("9" * 30, "there is no action"),
    ],
)
def test_nonsense_gets_a_sentence(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words.replace("?", r"\?")):
        parse_command(text)


@pytest.mark.parametrize("name", [name for name in ACTIONS if name != "filter"])
def test_every_action_can_be_typed_by_its_name(name: str) -> None:
    assert parse_command(name) == Perform(ACTIONS[name])
