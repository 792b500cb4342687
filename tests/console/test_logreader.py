"""Reading logs: whole lines, the last ones without reading the first, and files whose beginning was given up."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.logreader import CHUNK, LogReader


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def last_lines(path: Path, count: int) -> list[bytes]:
    with LogReader(path) as reader:
        reader.seek_last(count)
        return list(reader.lines(last=True))


def test_lines_come_as_they_were_written(log: Path) -> None:
    log.write_bytes(b"one\n\ntwo\r\nthree")
    with LogReader(log) as reader:
        assert list(reader.lines()) == [b"one\n", b"\n", b"two\r\n"]
        assert list(reader.lines(last=True)) == [b"three"]


def test_a_log_that_grows_is_read_on_from_where_it_was_left(log: Path) -> None:
    log.write_bytes(b"one\nhal")
    with LogReader(log) as reader:
        assert list(reader.lines()) == [b"one\n"]
        with log.open("ab") as file:
            file.write(b"f\nthree\n")
        assert list(reader.lines()) == [b"half\n", b"three\n"]


LINES = st.lists(st.text("ab ", max_size=9).map(str.encode), max_size=30)


@given(LINES, st.booleans(), st.integers(0, 40))
def test_the_last_lines_are_the_end_of_all_lines(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], closed: bool, count: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.log"
    text = b"\n".join(lines) + (b"\n" if closed and lines else b"")
    path.write_bytes(text)
    every = text.splitlines(keepends=True)
    assert last_lines(path, count) == every[len(every) - min(count, len(every)) :]


def test_the_last_lines_of_a_large_log_are_found_without_reading_it(log: Path) -> None:
    with log.open("wb") as file:
        file.truncate(50 * 1024**3)
        file.seek(0, os.SEEK_END)
        file.write(b"x" * (CHUNK - 5) + b"\nnext to last\nlast\n")
    assert last_lines(log, 2) == [b"next to last\n", b"last\n"]


def test_a_beginning_that_was_given_up_is_told_and_skipped(log: Path) -> None:
    with log.open("wb") as file:
        file.seek(10 * CHUNK)
        file.write(b"\0\0\0the rest\nmore\n")
    with LogReader(log) as reader:
        assert reader.begins_at == 10 * CHUNK
        assert list(reader.lines()) == [b"the rest\n", b"more\n"]


def test_a_line_that_never_ends_comes_in_parts(log: Path) -> None:
    log.write_bytes(b"y" * 2_500_000)
    with LogReader(log) as reader:
        parts = list(reader.lines(last=True))
    assert b"".join(parts) == b"y" * 2_500_000
    assert max(map(len, parts)) <= 1_100_000
