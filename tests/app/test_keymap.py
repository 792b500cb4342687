"""Keys that the operator has changed."""

import pytest
from textual.keys import _character_to_key

from console.app.actions import ACTIONS, On, keys_of, shown_key
from console.app.keymap import key_name, keymap
from console.app.snapshot import PaneNumber


def test_a_changed_key_is_taken_by_the_name_it_goes_by_inside() -> None:
    assert keymap({"hold": "H", "cancel": "ctrl+x", "retry": "!"}) == (
        {"hold": "H", "cancel": "ctrl+x", "retry": "exclamation_mark"},
        [],
    )


@pytest.mark.parametrize("character", list("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"))
def test_the_name_of_a_printed_key_is_the_one_that_the_terminal_reports(character: str) -> None:
    assert key_name(character) == _character_to_key(character)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"fly": "F"}, 'there is no action "fly"'),
        ({"hold": ""}, "can't be on"),
        ({"hold": "tab"}, "taken for moving around"),
        ({"hold": "1"}, "taken for moving around"),
        ({"hold": "c"}, "hold and cancel would share c; hold stays as it was"),
        ({"up": "t"}, "up and top would share t; up stays as it was"),
    ],
)
def test_a_key_that_can_t_be_used_is_reported_and_left_as_it_was(keys: dict[str, str], words: str) -> None:
    changed, complaints = keymap(keys)
    assert changed == {}
    assert len(complaints) == 1
    assert words in complaints[0]


def test_two_keys_can_change_places() -> None:
    assert keymap({"hold": "c", "cancel": "h"}) == ({"hold": "c", "cancel": "h"}, [])


def test_a_pane_s_own_key_may_hide_a_common_one() -> None:
    assert keymap({"trigger": "q"}) == ({"trigger": "q"}, [])


def test_no_two_actions_share_a_key_where_both_work() -> None:
    for action in ACTIONS.values():
        others = [one for one in ACTIONS.values() if one.key == action.key and one.name != action.name]
        for other in others:
            assert other.panes != action.panes
            assert not other.panes & action.panes


def test_dangerous_actions_ask_or_have_an_upper_case_key() -> None:
    for action in ACTIONS.values():
        if action.dangerous:
            assert action.asks or action.key.isupper(), action.name


def test_every_action_has_its_binding_once() -> None:
    bound = [binding.id for pane in (None, *PaneNumber) for binding in keys_of(pane)]  # type: ignore[union-attr]
    assert set(bound) == set(ACTIONS)
    for action in ACTIONS.values():
        assert bound.count(action.name) == max(1, len(action.panes))
        assert action.words
        assert shown_key(action.key)
        assert action.changes == (action.on is not On.VIEW)
