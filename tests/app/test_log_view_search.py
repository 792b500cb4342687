"""Searching logs: what people see is found, each hit once, in both directions and round the end."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console import log_pages, log_search
from console.log_pages import BLOCK, LogPages
from console.log_search import Needle, find, shown_text


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def on(_done: int) -> bool:
    return True


def hits(path: Path, text: str, *, back: bool = False) -> list[str]:
    """Every hit in the order in which they are met, until the first one comes again."""
    found: list[int] = []
    texts: list[str] = []
    with LogPages(path) as pages:
        place = pages.size if back else 0
        while (row := find(pages, Needle.typed(text), place, on, back=back)) is not None and row.start not in found:
            found.append(row.start)
            texts.append(shown_text(row.text))
            place = row.start if back else row.start + 1
    return texts


def test_case_matters_once_an_upper_case_letter_is_typed(log: Path) -> None:
    log.write_text("Error one\nerror two\nERROR three\nÄrger\n")
    assert hits(log, "error") == ["Error one", "error two", "ERROR three"]
    assert hits(log, "Error") == ["Error one"]
    assert hits(log, "ärger") == ["Ärger"]


def test_it_goes_both_ways(log: Path) -> None:
    log.write_text("a 1\nb\na 2\nb\na 3")
    assert hits(log, "a") == ["a 1", "a 2", "a 3"]
    assert hits(log, "a", back=True) == ["a 3", "a 2", "a 1"]


def test_past_the_end_it_goes_on_at_the_beginning(log: Path) -> None:
    log.write_text("needle\n" + "hay\n" * 10)
    with LogPages(log) as pages:
        after = find(pages, Needle.typed("needle"), 20, on)
        before = find(pages, Needle.typed("needle"), 0, on, back=True)
    assert after is not None
    assert after.start == 0
    assert before == after


def test_colours_in_the_midst_of_a_word_do_not_hide_it_and_are_not_found_themselves(log: Path) -> None:
    log.write_bytes(b"plain\nne\x1b[31med\x1b[0mle\n\x1b]0;a needle\x07x\n" + b"hay \x1b[31mred\x1b[0m\n" * 100)
    assert hits(log, "needle") == ["needle"]
    assert hits(log, "31m") == []


def test_what_a_progress_bar_has_overwritten_is_not_found(log: Path) -> None:
    log.write_bytes(b"10 percent\r20 percent\n")
    assert hits(log, "20") == ["20 percent"]
    assert hits(log, "10") == []


def test_a_hit_across_the_parts_of_a_long_line_is_found(log: Path) -> None:
    log.write_bytes(b"\n" + b"y" * (3 * BLOCK - 4) + b"needle" + b"y" * BLOCK)
    with LogPages(log) as pages:
        row = find(pages, Needle.typed("needle"), 0, on)
    assert row is not None
    assert row.start <= 3 * BLOCK - 3 < row.end


def test_a_search_that_is_not_wanted_any_more_stops(log: Path) -> None:
    with log.open("wb") as file:
        file.truncate(2 * 1024**3)
        file.write(b"x")
        file.seek(0, 2)
        file.write(b"needle")
    asked: list[int] = []

    def going(done: int) -> bool:
        asked.append(done)
        return len(asked) < 3

    with LogPages(log) as pages:
        assert find(pages, Needle.typed("needle"), 0, going) is None
    assert asked == [0, log_search.STRETCH, 2 * log_search.STRETCH]


@given(
    st.lists(st.text("abÄä \x1b", max_size=30), max_size=20),
    st.text("abä", min_size=1, max_size=3),
    st.booleans(),
)
def test_all_lines_that_show_the_text_are_found_once(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], wanted: str, back: bool
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.log"
    path.write_text("\n".join(lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(log_search, "STRETCH", 16)
        found = hits(path, wanted, back=back)
    every = [shown_text(line.encode()) for line in lines]
    expected = [line for line in every if wanted.lower() in line.lower()]
    assert found == (expected[::-1] if back else expected)


@given(st.text("aAbIİıß", max_size=20), st.text("abiß", min_size=1, max_size=2))
def test_hits_are_marked_letter_by_letter(text: str, wanted: str) -> None:
    needle = Needle.typed(wanted)
    for first, last in needle.hits(text):
        assert last - first == len(wanted)
        assert needle.within(text[first:last])
    assert bool(list(needle.hits(text))) == needle.within(text)


def test_short_blocks_hide_nothing(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_pages, "BLOCK", 16)
    monkeypatch.setattr(log_search, "BLOCK", 16)
    monkeypatch.setattr(log_search, "STRETCH", 20)
    log.write_bytes(b"short\n" + b"z" * 61 + b"needle" + b"z" * 40 + b"\nneedle\n")
    with LogPages(log) as pages:
        first = find(pages, Needle.typed("needle"), 0, on)
        assert first is not None
        second = find(pages, Needle.typed("needle"), first.end, on)
    assert second is not None
    assert second.end == log.stat().st_size
