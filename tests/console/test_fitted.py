"""Columns that give way: whatever they hold, a table is never wider than its room, and gives up the least it can."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.cli.output import LONGEST_CELL, line_width
from console.cli.tables import Column, print_facts, print_table
from console.columns import fitted
from console.home import local_zone
from console.moments import exact
from console.plain import width
from tests.conftest import START

GAP = 2
Cells = list[str]


def column(at: int, *, title: str = "", right: bool = False, least: int | None = None, drop: int = 0) -> Column[Cells]:
    return Column(title, lambda row: row[at], right, least, drop)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[Column[Cells]], list[Cells]]:
    texts = st.text(st.sampled_from("ab \t\x1b日é\u0301"), max_size=12)
    columns = [
        column(at, title=title, right=right, least=least, drop=drop)
        for at, (title, right, least, drop) in enumerate(
            draw(
                st.lists(
                    st.tuples(texts.map(str.strip), st.booleans(), st.none() | st.integers(0, 15), st.integers(0, 3)),
                    min_size=1,
                    max_size=6,
                )
            )
        )
    ]
    rows = draw(st.lists(st.lists(texts, min_size=len(columns), max_size=len(columns)), max_size=3))
    return columns, rows


def taken(widths: list[int]) -> int:
    kept = [one for one in widths if one]
    return sum(kept) + GAP * max(len(kept) - 1, 0)


naturals = st.lists(
    st.tuples(st.integers(0, 250), st.none() | st.integers(0, 30), st.integers(0, 5)), min_size=1, max_size=9
)


@given(naturals, st.integers(1, 300))
def test_columns_never_take_more_than_the_room(drawn: list[tuple[int, int | None, int]], room: int) -> None:
    columns = [column(at, least=least, drop=drop) for at, (_, least, drop) in enumerate(drawn)]
    natural = [wide for wide, _, _ in drawn]
    widths = fitted(columns, natural, room)
    assert taken(widths) <= room
    assert all(0 <= got <= wanted for got, wanted in zip(widths, natural, strict=True))
    # Something is shown as long as there is something to show.
    assert any(widths) == any(natural)
    if taken(natural) <= room:
        assert widths == natural


@given(naturals, st.integers(1, 300))
def test_a_column_is_dropped_only_after_all_that_matter_less(
    drawn: list[tuple[int, int | None, int]], room: int
) -> None:
    columns = [column(at, least=least, drop=drop) for at, (_, least, drop) in enumerate(drawn)]
    natural = [wide for wide, _, _ in drawn]
    widths = fitted(columns, natural, room)
    gone = [one.drop for one, got, wanted in zip(columns, widths, natural, strict=True) if wanted and not got]
    kept = [one.drop for one, got in zip(columns, widths, strict=True) if got]
    assert not gone or not kept or min(gone) >= max(kept) or min(gone) == 0


@pytest.mark.parametrize(
    ("room", "expected"),
    [
        (100, [10, 40, 20, 5]),
        (81, [10, 40, 20, 5]),
        (80, [10, 39, 20, 5]),
        (61, [10, 20, 20, 5]),
        (50, [10, 14, 15, 5]),
        (37, [10, 8, 8, 5]),
        # Now something has to go: the third column leaves first, and the others grow back.
        (36, [10, 17, 0, 5]),
        (27, [10, 8, 0, 5]),
        (26, [10, 14, 0, 0]),
        (20, [10, 8, 0, 0]),
        (19, [10, 0, 0, 0]),
        (10, [10, 0, 0, 0]),
        (4, [4, 0, 0, 0]),
        (1, [1, 0, 0, 0]),
    ],
)
def test_columns_give_way_in_turn(room: int, expected: list[int]) -> None:
    columns = [column(0), column(1, least=8, drop=1), column(2, least=8, drop=3), column(3, drop=2)]
    assert fitted(columns, [10, 40, 20, 5], room) == expected


def test_columns_that_all_stay_are_cut_from_the_right() -> None:
    columns = [column(0), column(1), column(2)]
    assert fitted(columns, [4, 4, 4], 15) == [4, 4, 3]
    assert fitted(columns, [4, 4, 4], 12) == [4, 4, 0]
    assert fitted(columns, [4, 4, 4], 8) == [4, 2, 0]
    assert fitted(columns, [4, 4, 4], 3) == [3, 0, 0]
    # Where there is no room at all, one column is the least that a line can be.
    assert fitted(columns, [4, 4, 4], 0) == [1, 0, 0]


@given(tables(), st.integers(1, 40), st.sampled_from(["", "  "]))
def test_no_line_of_a_table_is_wider_than_the_screen(
    table: tuple[list[Column[Cells]], list[Cells]], screen: int, indent: str
) -> None:
    columns, rows = table
    with pytest.MonkeyPatch.context() as patch:
        printed: list[str] = []
        patch.setenv("COLUMNS", str(screen))
        patch.setattr("sys.stdout", _Lines(printed))
        print_table(rows, columns, indent)
    lines = "".join(printed).split("\n")[:-1]
    assert len(lines) == len(rows) + 1
    assert max(map(width, lines)) <= screen


class _Lines:
    """Where lines go."""

    def __init__(self, printed: list[str]) -> None:
        self.write = printed.append

    def isatty(self) -> bool:
        return False


def test_without_a_screen_only_endless_cells_are_cut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    columns: list[Column[Cells]] = [column(0, title="A", right=True), column(1, title="B")]
    print_table([["x", "y" * 150], ["long", "z" * 5_000]], columns)
    title, first, second = capsys.readouterr().out.splitlines()
    assert title == "   A  B"
    assert first == "   x  " + "y" * 150
    assert second == "long  " + "z" * (LONGEST_CELL - 1) + "…"


def test_an_empty_table_has_its_titles_and_empty_columns_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    columns: list[Column[Cells]] = [column(0, title="A"), column(1, title=""), column(2, title="C")]
    print_table([], columns)
    print_table([["1", "", "3"]], columns)
    assert capsys.readouterr().out == "A  C\nA  C\n1  3\n"


def test_facts_are_aligned_plain_and_never_empty(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("a", "1"), ("long name", "x\x1b[31m\ny"), ("nothing", "")])
    assert capsys.readouterr().out == "a          1\nlong name  x␛[31m␊y\n"
    print_facts([])
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(("columns", "expected"), [("80", 80), ("1", 1), ("9" * 40, 999_999_999)])
def test_the_screen_s_width_can_be_told(monkeypatch: pytest.MonkeyPatch, columns: str, expected: int) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert line_width() == expected


@pytest.mark.parametrize("columns", ["", "0", "-5", "wide", "８０"])
def test_a_width_that_is_none_is_not_taken(monkeypatch: pytest.MonkeyPatch, columns: str) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert line_width() is None


def test_an_instant_is_told_by_the_clock_here_and_by_its_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Paris")
    assert exact(START, local_zone(), START) == "2026-03-02 10:00:00 CET (now)"
