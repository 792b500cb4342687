"""Pages of a log: the same rows whichever way one comes, from any place, at a cost that its size has no part in."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console import log_pages
from console.log_pages import BLOCK, CHUNK, LogPages, Row

LINES = st.lists(
    st.one_of(
        st.text("ab ", max_size=6).map(str.encode),
        st.text("aä€😀", max_size=40).map(str.encode),
        st.binary(max_size=40).map(lambda junk: junk.replace(b"\n", b"\0")),
    ),
    max_size=30,
)


@pytest.fixture(scope="module")
def short_blocks() -> Iterator[None]:
    """Blocks and chunks of a few bytes, so that small files have many of them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_pages, "BLOCK", 16)
        patch.setattr(log_pages, "CHUNK", 24)
        yield


@pytest.fixture(scope="module")
def any_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "x.log"


def written(path: Path, lines: list[bytes], *, closed: bool) -> bytes:
    content = b"\n".join(lines) + (b"\n" if closed and lines else b"")
    path.write_bytes(content)
    return content


def all_rows(pages: LogPages) -> list[Row]:
    return pages.forward(0, 10_000)


def joined(rows: list[Row]) -> bytes:
    return b"".join(row.text + (b"\n" if row.closed else b"") for row in rows)


@pytest.mark.usefixtures("short_blocks")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(LINES, st.booleans(), st.integers(-5, 700), st.integers(0, 40))
def test_pages_forward_and_backward_from_anywhere_are_the_rows_of_the_log(
    any_log: Path, lines: list[bytes], closed: bool, place: int, count: int
) -> None:
    content = written(any_log, lines, closed=closed)
    with LogPages(any_log) as pages:
        rows = all_rows(pages)
        before = [row for row in rows if row.start < place]
        behind = [row for row in rows if row.start >= place]
        assert joined(rows) == content
        assert pages.backward(place, 10_000) == before
        assert pages.forward(place, count) == behind[:count]
        assert pages.backward(place, count) == before[max(0, len(before) - count) :]
        if 0 <= place < len(content):
            holding = next(row for row in rows if row.start <= place < row.end)
            assert holding in pages.around(place, 0, 0)


@pytest.mark.usefixtures("short_blocks")
@given(LINES, st.booleans())
def test_rows_are_lines_unless_a_line_is_too_long(any_log: Path, lines: list[bytes], closed: bool) -> None:
    content = written(any_log, lines, closed=closed)
    with LogPages(any_log) as pages:
        rows = all_rows(pages)
    assert all(b"\n" not in row.text and row.end - row.start < 2 * 16 + 4 for row in rows)
    # Put together again where no line begins, they are the lines.
    again: list[bytes] = []
    for row in rows:
        if row.begins:
            again.append(row.text)
        else:
            again[-1] += row.text
    wanted = content.split(b"\n")
    assert again == (wanted[:-1] if wanted[-1] == b"" else wanted)
    assert [row.text for row in rows if row.begins and row.closed and len(row.text) < 16] == [
        line for line in content.split(b"\n")[:-1] if len(line) < 16
    ]


@pytest.mark.usefixtures("short_blocks")
@given(st.text("aä€😀", max_size=200))
def test_no_letter_is_cut_in_two(any_log: Path, text: str) -> None:
    any_log.write_bytes(text.encode())
    with LogPages(any_log) as pages:
        assert "".join(row.text.decode() for row in all_rows(pages)) == text


@pytest.mark.usefixtures("short_blocks")
@given(LINES, LINES, st.integers(0, 500))
def test_rows_that_were_closed_stay_as_they_are_while_the_log_grows(
    any_log: Path, first: list[bytes], more: list[bytes], place: int
) -> None:
    written(any_log, first, closed=False)
    with LogPages(any_log) as pages:
        before = [row for row in pages.backward(place, 10_000) if row.closed]
    with any_log.open("ab") as file:
        file.write(b"\n".join(more))
    with LogPages(any_log) as pages:
        assert set(before) <= set(all_rows(pages))


def test_a_beginning_that_was_given_up_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    with log.open("wb") as file:
        file.seek(10 * CHUNK)
        file.write(b"\0\0\0the rest\nmore\n")
    with LogPages(log) as pages:
        assert pages.begins_at == 10 * CHUNK + 3
        assert [row.text for row in pages.forward(0, 5)] == [b"the rest", b"more"]
        assert [row.text for row in pages.backward(pages.size, 5)] == [b"the rest", b"more"]


def test_a_log_that_is_cut_short_while_it_is_read_has_only_what_is_left(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"one\ntwo\nthree\n")
    with LogPages(log) as pages:
        os.truncate(log, 5)
        assert [row.text for row in pages.forward(0, 10)] == [b"one", b"t"]
        assert pages.size == 5


def test_what_is_no_file_is_refused_instead_of_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "."):
        with pytest.raises(OSError, match="is not a file"):
            LogPages(tmp_path / name)


def test_lines_are_counted(tmp_path: Path) -> None:
    log = tmp_path / "x.log"
    log.write_bytes(b"line\n" * 50_000)
    with LogPages(log) as pages:
        assert pages.newlines(5, pages.size) == 49_999


def test_three_gigabytes_are_paged_through_by_reading_little(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "x.log"
    size = 3 * 1024**3
    with log.open("wb") as file:
        file.write(b"first\nsecond\n")
        for place in range(0, size, size // 4):
            file.seek(place + 100)
            file.write(b"\nhere are some lines\n" * 100)
        file.truncate(size)
        file.seek(0, os.SEEK_END)
        file.write(b"\nnext to last\nlast\n")
    read = 0
    pread = os.pread

    def counted(descriptor: int, length: int, offset: int) -> bytes:
        nonlocal read
        data = pread(descriptor, length, offset)
        read += len(data)
        return data

    monkeypatch.setattr(os, "pread", counted)
    pages_made = 0
    with LogPages(log) as pages:
        assert [row.text for row in pages.backward(pages.size, 2)] == [b"next to last", b"last"]
        assert [row.text for row in pages.forward(0, 2)] == [b"first", b"second"]
        for percent in range(0, 100, 5):
            rows = pages.around(size * percent // 100, 50, 50)
            assert len(rows) >= 51
            assert rows == pages.forward(rows[0].start, len(rows))
            pages_made += 2
    # A page of 101 rows: every row is at most two blocks, looked at for its newlines and then for its text.
    assert read < (pages_made + 2) * (101 * 2 * BLOCK * 2 + 6 * CHUNK)
