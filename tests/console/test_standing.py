"""The config while an engine runs: another holds from when it is written, a broken one changes nothing."""

import os
from pathlib import Path

import pytest

from console.config import load
from console.standing import Standing


class Told(list[tuple[str, str]]):
    def __call__(self, kind: str, words: str) -> None:
        self.append((kind, words))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def write(path: Path, text: str) -> None:
    """Write it with a time of its own, as a clock of any grain would."""
    later = path.stat().st_mtime_ns + 1_000_000_000 if path.exists() else None
    path.write_text(text)
    if later is not None:
        os.utime(path, ns=(later, later))


def test_a_config_that_was_changed_is_read_once(path: Path) -> None:
    told = Told()
    standing = Standing(path, load(path), told)
    assert standing.reread() is None
    write(path, "slots = 3\n[types.etl]\ncommand = ['load']\n")
    config = standing.reread()
    assert config is not None
    assert config is standing.config
    assert config.slots == 3
    assert standing.reread() is None
    assert told == [("config", "the config was read again: slots; types etl")]
    write(path, "slots = 3\n[types.etl]\ncommand = ['load']\n[notify.page]\ncommand = ['page']\n")
    assert standing.reread() is not None
    assert told[1:] == [("config", "the config was read again: targets page")]


def test_a_broken_config_changes_nothing_and_says_where(path: Path) -> None:
    told = Told()
    write(path, "slots = 3\n")
    standing = Standing(path, load(path), told)
    write(path, "slots = 3\nslots = 4\n")
    assert standing.reread() is None
    assert standing.reread() is None
    assert standing.config.slots == 3
    ((kind, words),) = told
    assert kind == "trouble"
    assert words.startswith("the config was changed, but can't be used, so the one before holds: ")
    assert "(line 2, column" in words
    write(path, "slots = 5\n")
    assert standing.reread() is not None


def test_a_config_that_is_taken_away_leaves_the_defaults(path: Path) -> None:
    write(path, "slots = 3\nlease = '9s'\n")
    told = Told()
    standing = Standing(path, load(path), told)
    path.unlink()
    config = standing.reread()
    assert config is not None
    assert config.slots is None
    assert told == [("config", "the config was read again: slots; lease (from the next start on)")]


def test_a_file_that_was_only_touched_is_no_news(path: Path) -> None:
    write(path, "slots = 3\n")
    told = Told()
    standing = Standing(path, load(path), told)
    write(path, "slots = 3  # as before\n")
    assert standing.reread() is None
    assert told == []
