"""What the console remembers from one time to the next."""

from pathlib import Path

import pytest

from console.app.memory import NAME, Memory, recall, remember


def test_what_is_remembered_is_recalled(tmp_path: Path) -> None:
    memory = Memory("light", welcomed=True, commands=["hold", "42"])
    remember(tmp_path, memory)
    assert recall(tmp_path) == memory
    assert (tmp_path / NAME).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [NAME]


def test_nothing_is_remembered_at_first(tmp_path: Path) -> None:
    assert recall(tmp_path) == Memory()


@pytest.mark.parametrize("text", ["", "{", "[]", '"x"', '{"theme": 7, "commands": [1, null]}', "\xff", "{" * 100_000])
def test_whatever_stands_in_the_file_is_no_reason_to_fail(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text, encoding="latin-1")
    assert recall(tmp_path) == Memory()


def test_a_directory_that_can_t_be_written_is_no_reason_to_fail(tmp_path: Path) -> None:
    remember(tmp_path / "none", Memory())
    assert not (tmp_path / "none").exists()
