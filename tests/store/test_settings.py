"""Settings, and the pause that is one of them."""

import pytest

from core.refusals import BadInput
from store.rows import to_us
from store.store import Store
from tests.conftest import START
from tests.store.raw import RawStore


def test_a_pause_says_who_when_and_why_and_is_made_once(store: Store) -> None:
    with store.write("ann") as work:
        assert work.pause("deploying")
    with store.write("bob") as work:
        assert not work.pause("me too")
        assert work.setting("paused") == {"by": "ann", "at": to_us(START), "reason": "deploying"}
        assert work.resume()
        assert not work.resume()
        assert work.setting("paused") is None


def test_a_pause_needs_no_reason(store: Store) -> None:
    with store.write("ann") as work:
        work.pause()
    with store.read() as views:
        paused = views.paused()
    assert paused is not None
    assert (paused.by, paused.at, paused.reason) == ("ann", START, None)


def test_a_setting_is_read_back_and_can_be_changed(store: Store, raw: RawStore) -> None:
    with store.write("ann") as work:
        assert work.setting("slots") is None
        work.set_setting("slots", {"etl": [1, 2]})
    with store.write("bob") as work:
        work.set_setting("slots", {"etl": "ü"})
        assert work.setting("slots") == {"etl": "ü"}
    row = raw.run("SELECT * FROM settings").fetchone()
    assert (row["name"], row["updated_by"], row["updated_at"]) == ("slots", "bob", to_us(START))


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("", 1, "the name of a setting is empty"),
        ("x", {1, 2}, "JSON does not know"),
        ("x", "y" * 70_000, "the setting x is 68.4 KiB; the limit is 64 KiB"),
    ],
)
def test_what_can_not_be_kept_is_refused(store: Store, name: str, value: object, words: str) -> None:
    with pytest.raises(BadInput, match=words), store.write("ann") as work:
        work.set_setting(name, value)
