"""The drawings of a job's screen: the states with the way taken, and the bars of its timeline."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.app.canvas import Canvas, Weight
from console.app.state_diagram import StateDiagram, Visit
from console.app.tabs.timeline import Moment, bar
from core.status import Status
from core.transitions import EDGES, onward

ZONE = ZoneInfo("UTC")
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


@st.composite
def walks(draw: st.DrawFn) -> list[Status]:
    """Any way that a job can go."""
    way: list[Status] = []
    at: Status | None = None
    for _ in range(draw(st.integers(1, 12))):
        steps = [edge.target for edge in onward(at)]
        if not steps:
            break
        at = draw(st.sampled_from(steps))
        way.append(at)
    return way


def drawn(way: Sequence[Status]) -> list[str]:
    visits = [Visit(status, NOW + timedelta(seconds=number)) for number, status in enumerate(way)]
    return StateDiagram(visits, ZONE, NOW).content().plain.splitlines()


def line_of(lines: list[str], status: Status) -> str:
    (line,) = [line for line in lines if f" {status} " in f"{line} "]
    return line


@given(walks())
def test_each_state_is_there_once_with_the_steps_that_led_to_it(way: list[Status]) -> None:
    lines = drawn(way)
    for status in Status:
        note = line_of(lines, status).split("  ")[-1]
        orders = [number for number, one in enumerate(way, start=1) if one is status]
        if not orders:
            assert "·" not in note.replace("· QUEUED", "")
            continue
        assert note.strip().startswith(f"{orders[0]}")
        assert f"{NOW + timedelta(seconds=orders[-1] - 1):%H:%M:%S}" in note
        assert note.endswith("· now") == (way[-1] is status)


@given(walks())
def test_thick_lines_are_where_the_job_went_and_nowhere_else(way: list[Status]) -> None:
    thick = set("━┃┏┓┗┛┣┫┳┻╋┯┠┨┷┿╂┡┢┩┪┱┲┹┺●╺╸╻╹┝┥┞┟┦┧┭┮┰┵┶┸┽┾╀╁╃╄╅╆╇╈╉╊")
    lines = drawn(way)
    for status in Status:
        taken_in = any(target is status for target in way[1:])
        taken_out = any(source is status for source in way[:-1])
        if not taken_in and not taken_out:
            # Lines may pass by; none touches it.
            line = line_of(lines, status)
            at = line.index(status.value)
            assert line[at + len(status.value) : at + len(status.value) + 2].strip() not in thick
    assert bool(thick & set("".join(lines))) == (len(way) > 1)


@pytest.mark.parametrize(
    ("source", "target"),
    [(edge.source, edge.target) for edge in EDGES if edge.source is not None],
    ids=str,
)
def test_every_step_of_the_table_is_in_the_drawing(source: Status, target: Status) -> None:
    plain = [line.split("  1 ·")[0] for line in drawn([source])]
    taken = [line.split("  1 ·")[0].split("  2 ·")[0] for line in drawn([source, target])]
    assert [line.rstrip() for line in plain] != [line.rstrip() for line in taken]


def test_lines_join_where_they_meet() -> None:
    canvas = Canvas()
    canvas.across(1, 0, 4, Weight.THIN)
    canvas.down(2, 0, 2, Weight.THICK)
    assert [canvas.text(y, 0, 5) for y in range(3)] == ["  ╻  ", "╶─╂─╴", "  ╹  "]
    assert canvas.crossed(2, 1)
    canvas.write(1, 1, "ab")
    assert canvas.text(1, 0, 5) == "╶ab─╴"


def moment(first: float, last: float | None, *, open_: bool = False) -> Moment:
    until = None if last is None else NOW + timedelta(seconds=last)
    return Moment(1, NOW + timedelta(seconds=first), until, "", "", "", "", "█", open_)


@pytest.mark.parametrize(
    ("first", "last", "expected"),
    [
        (0, 100, "██████████"),
        (0, 50, "█████"),
        (50, 100, "     █████"),
        (20, 40, "  ██"),
        (0, 0.1, "█"),
        (99.9, 100, "         █"),
        (100, 100, "         █"),
        (30, None, "   █"),
    ],
)
def test_bars_are_to_scale(first: float, last: float | None, expected: str) -> None:
    assert bar(moment(first, last), NOW, NOW + timedelta(seconds=100), 10) == expected


def test_what_goes_on_has_an_open_end() -> None:
    assert bar(moment(50, 100, open_=True), NOW, NOW + timedelta(seconds=100), 10) == "     ████▸"


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6), st.integers(1, 200))
def test_no_bar_leaves_its_axis(first: float, long: float, axis: float, wide: int) -> None:
    drawn_bar = bar(moment(first, first + long), NOW, NOW + timedelta(seconds=axis), wide)
    assert 1 <= len(drawn_bar) <= wide
    assert "█" in drawn_bar
