"""The window on a log: it moves as one expects, and never by itself."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from console.app.log_window import LogWindow
from console.app.page_turner import Arrivals, read_page
from console.log_pages import LogPages, Row

HEIGHT = 5


class Reading:
    """A window whose pages come at once."""

    def __init__(self, path: Path, height: int = HEIGHT, tall: int = 1) -> None:
        self.path = path
        self.window = LogWindow(path, lambda row: 1 + len(row.text) % tall)
        self.window.height = height
        self._arrivals = Arrivals()
        self.turn()

    def turn(self) -> None:
        """Bring every page that is asked for."""
        for _ in range(100):
            if not self.window.must_ask():
                return
            self.look(ask=True)
        raise AssertionError("it never has enough")

    def look(self, *, ask: bool = False) -> None:
        """Look whether the log has changed."""
        want = self.window.ask() if ask or self.window._asked is None else self.window._asked
        with LogPages(self.path) as pages:
            self.window.turned(read_page(pages, want, self._arrivals))

    def scroll(self, by: int) -> None:
        self.window.scroll(by)
        self.turn()

    @property
    def lines(self) -> list[str]:
        return [row.text.decode() for row, _ in self.window.in_sight()]


def numbered(path: Path, count: int) -> Reading:
    path.write_bytes(b"".join(b"line %d\n" % number for number in range(count)))
    return Reading(path)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


def names(first: int, count: int = HEIGHT) -> list[str]:
    return [f"line {number}" for number in range(first, first + count)]


def test_it_opens_at_the_end(log: Path) -> None:
    reading = numbered(log, 1_000)
    assert reading.lines == names(995)
    assert reading.window.following


def test_it_goes_anywhere(log: Path) -> None:
    reading = numbered(log, 1_000)
    reading.scroll(-1)
    assert reading.lines == names(994)
    reading.scroll(-500)
    assert reading.lines == names(494)
    reading.scroll(7)
    assert reading.lines == names(501)
    reading.window.first()
    reading.turn()
    assert reading.lines == names(0)
    reading.scroll(-3)
    assert reading.lines == names(0)
    reading.window.jump(0.5)
    reading.turn()
    place = 0.5 * log.stat().st_size
    first = reading.window.in_sight()[0][0]
    assert first.start <= place < first.end
    reading.scroll(100_000)
    assert reading.lines == names(995)
    assert reading.window.following


def test_who_is_not_at_the_end_stays_where_he_is(log: Path) -> None:
    reading = numbered(log, 100)
    reading.scroll(-2)
    with log.open("ab") as file:
        file.write(b"more\n" * 1_234)
    reading.look()
    reading.turn()
    assert reading.lines == names(93)
    assert (reading.window.following, reading.window.came) == (False, 1_234)
    reading.window.follow()
    reading.turn()
    assert reading.lines == ["more"] * HEIGHT
    assert reading.window.came == 0


def test_a_log_that_fits_is_followed_whatever_key_is_pressed(log: Path) -> None:
    reading = numbered(log, 3)
    for by in (-1, 1, -10, 10):
        reading.scroll(by)
        assert reading.window.following
        assert reading.lines == names(0, 3)


def test_a_place_is_shown_with_lines_above_it(log: Path) -> None:
    reading = numbered(log, 1_000)
    with LogPages(log) as pages:
        row = next(row for row in pages.forward(0, 1_000) if row.text == b"line 500")
        last = pages.backward(pages.size, 1)[0]
    reading.window.go(row.start, above=2)
    reading.turn()
    assert reading.lines == names(498)
    reading.window.go(last.start, above=2)
    reading.turn()
    assert reading.lines == names(995)
    assert not reading.window.following


def test_a_log_that_is_cut_short_is_shown_from_its_new_end(log: Path) -> None:
    reading = numbered(log, 100)
    reading.scroll(-20)
    log.write_bytes(b"new\n")
    reading.look()
    reading.turn()
    assert reading.lines == ["new"]
    assert reading.window.cut_short


def test_a_log_that_is_emptied_shows_nothing_and_can_grow_again(log: Path) -> None:
    reading = numbered(log, 100)
    reading.scroll(-20)
    log.write_bytes(b"")
    reading.look()
    reading.turn()
    assert reading.lines == []
    log.write_bytes(b"again\n")
    reading.look()
    assert reading.lines == ["again"]


@given(st.lists(st.integers(-30, 30), max_size=20), st.integers(1, 7))
def test_lines_that_take_several_rows_of_the_screen_are_scrolled_row_by_row(
    tmp_path_factory: pytest.TempPathFactory, steps: list[int], height: int
) -> None:
    path = tmp_path_factory.mktemp("log") / "x.log"
    path.write_bytes(b"".join(b"x" * (number % 9) + b"\n" for number in range(60)))
    reading = Reading(path, height, tall=3)
    with LogPages(path) as pages:
        rows = pages.forward(0, 100)
    every = [(row, line) for row in rows for line in range(1 + len(row.text) % 3)]
    top = len(every) - height
    for step in steps:
        reading.scroll(step)
        top = max(0, min(top + step, len(every) - height))
        assert reading.window.in_sight() == every[top : top + height]


class Moving(RuleBasedStateMachine):
    """Whatever is done to a log and to the window on it."""

    @initialize()
    def begin(self) -> None:
        import tempfile

        self.directory = tempfile.TemporaryDirectory()
        self.path = Path(self.directory.name) / "x.log"
        self.path.write_bytes(b"")
        self.reading = Reading(self.path)
        self.seen: list[tuple[Row, int]] | None = None

    @rule(lines=st.lists(st.text("ab", max_size=12).map(str.encode), max_size=30), closed=st.booleans())
    def grow(self, lines: list[bytes], closed: bool) -> None:
        before = None if self.reading.window.following else self.reading.window.in_sight()
        with self.path.open("ab") as file:
            file.write(b"\n".join(lines) + (b"\n" if closed else b""))
        self.reading.look()
        self.reading.turn()
        if before:
            after = self.reading.window.in_sight()
            # A line that was still being written may have become longer; none has moved.
            assert [(row.start, line) for row, line in after[: len(before)]] == [
                (row.start, line) for row, line in before
            ]

    @rule(by=st.integers(-40, 40))
    def scroll(self, by: int) -> None:
        self.reading.scroll(by)

    @rule(share=st.floats(0, 1))
    def jump(self, share: float) -> None:
        self.reading.window.jump(share)
        self.reading.turn()

    @rule()
    def end(self) -> None:
        self.reading.window.follow()
        self.reading.turn()

    @rule(height=st.integers(1, 12))
    def resize(self, height: int) -> None:
        self.reading.window.height = height
        self.reading.turn()

    @rule(size=st.integers(0, 50))
    def cut(self, size: int) -> None:
        self.path.write_bytes(self.path.read_bytes()[:size])
        self.reading.look()
        self.reading.turn()

    @invariant()
    def what_is_in_sight_is_in_the_log(self) -> None:
        if not hasattr(self, "reading"):
            return
        window = self.reading.window
        shown = [row for row, _ in window.in_sight()]
        with LogPages(self.path) as pages:
            assert shown == (pages.forward(shown[0].start, len(shown)) if shown else [])
            if window.following:
                assert shown == pages.backward(pages.size, window.height)
        first, last = window.span()
        assert 0 <= first <= last <= 1

    def teardown(self) -> None:
        if hasattr(self, "directory"):
            self.directory.cleanup()


TestMoving = Moving.TestCase
