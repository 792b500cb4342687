"""The log view: what its keys do, what it shows, and what no log can do to it."""

import unicodedata
from pathlib import Path

import pytest
from textual.events import MouseScrollUp

from tests.app.conftest import LARGE, SMALL
from tests.app.forms import assert_harmless
from tests.app.log_reading import Reader, more, numbered, reading

SIZES = pytest.mark.parametrize("size", [SMALL, LARGE], ids=["small", "large"])


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


@SIZES
async def test_keys_go_through_a_log(log: Path, size: tuple[int, int]) -> None:
    numbered(log, 100_000)
    async with reading(log, size) as at:
        high = at.height
        await at.at_bottom("line 99999")
        await at.says("following")
        await at.press("up", "k")
        await at.at_bottom("line 99997")
        await at.press("pageup")
        await at.at_bottom(f"line {99997 - (high - 2)}")
        await at.press("home")
        await at.at_top("line 0")
        await at.says("0% · G follows")
        await at.press("down", "j")
        await at.at_top("line 2")
        await at.press("pagedown")
        await at.at_top(f"line {2 + high - 2}")
        await at.press("end")
        await at.at_bottom("line 99999")
        await at.press("g")
        await at.at_top("line 0")
        await at.press("G")
        await at.at_bottom("line 99999")
        await at.says("following")


async def test_the_end_is_followed_as_it_grows(log: Path) -> None:
    numbered(log, 100)
    async with reading(log) as at:
        await at.at_bottom("line 99")
        more(log, b"fresh\n")
        await at.at_bottom("fresh")
        more(log, b"half a li")
        await at.at_bottom("half a li")
        more(log, b"ne\n")
        await at.at_bottom("half a line")


async def test_a_reader_elsewhere_is_told_how_much_has_come_and_left_alone(log: Path) -> None:
    numbered(log, 100)
    async with reading(log) as at:
        await at.at_bottom("line 99")
        await at.press("up")
        await at.at_bottom("line 98")
        more(log, b"more\n" * 1_234)
        await at.says("+1,234 lines · G follows")
        assert at.lines[-1] == "line 98"
        await at.press("down")
        assert at.lines[-1] == "line 99"
        await at.press("G")
        await at.at_bottom("more")
        await at.says("following")


async def test_the_wheel_and_the_bar_move_it(log: Path) -> None:
    numbered(log, 10_000)
    async with reading(log) as at:
        await at.at_bottom("line 9999")
        column = at.view.lines.size.width - 1
        assert [line[-1] for line in at.screen[: at.height]] == [*"│" * (at.height - 1), "█"]
        await at.pilot._post_mouse_events([MouseScrollUp], at.view.lines, offset=(5, 5))
        await at.at_bottom("line 9996")
        await at.pilot.mouse_down(at.view.lines, offset=(column, 0))
        await at.at_top("line 0")
        await at.pilot.hover(at.view.lines, offset=(column, at.height // 2))
        await at.until(lambda: at.screen[at.height // 2][-1] == "█", "the bar follows the mouse")
        await at.pilot.mouse_up(at.view.lines, offset=(column, at.height // 2))
        await at.pilot.hover(at.view.lines, offset=(column, 2))
        assert at.screen[at.height // 2][-1] == "█"
        await at.pilot.mouse_down(at.view.lines, offset=(column, at.height - 1))
        await at.at_bottom("line 9999")


@SIZES
async def test_a_search_shows_its_hits_with_the_lines_around_them(log: Path, size: tuple[int, int]) -> None:
    log.write_bytes(b"".join(b"Needle %d\n" % n if n % 1_000 == 0 else b"hay %d\n" % n for n in range(5_000)))
    async with reading(log, size) as at:
        await at.search("needle 2000")
        place = at.height // 3
        await at.until(lambda: at.lines[place] == "Needle 2000", "the hit is in sight")
        assert at.lines[place - 1 : place + 2] == ["hay 1999", "Needle 2000", "hay 2001"]
        assert [line[0] for line in at.screen[place - 1 : place + 2]] == [" ", "▌", " "]
        assert reversed_text(at, place) == "Needle 2000"
        await at.search("Needle")
        await at.says('"Needle": n next')
        await at.press("n")
        await at.until(lambda: at.lines[place] == "Needle 3000", "the next hit")
        await at.press("N", "N")
        await at.until(lambda: at.lines[place] == "Needle 1000", "the one before")
        await at.press("N", "N")
        await at.until(lambda: at.lines[place] == "Needle 4000", "round the beginning")
        await at.search("nothing like it")
        await at.says('"nothing like it": no hit')
        assert at.lines[place] == "Needle 4000"


def reversed_text(at: Reader, y: int) -> str:
    """What stands out in a line without regard to colour."""
    strip = at.app.screen._compositor.render_strips()[y]
    return "".join(segment.text for segment in strip if segment.style is not None and segment.style.reverse).strip()


async def test_escape_leaves_the_search_step_by_step(log: Path) -> None:
    with log.open("wb") as file:
        file.truncate(3 * 1024**3)
    async with reading(log) as at:
        await at.press("slash")
        assert at.view.leave_search()
        await at.until(lambda: at.view.lines.has_focus, "the lines have the focus again")
        await at.search("needle")
        await at.says("searching")
        assert at.view.leave_search()
        await at.says('"needle": stopped')
        assert at.view.leave_search()
        await at.until(lambda: "needle" not in at.bar, "it is forgotten")
        assert not at.view.leave_search()


async def test_a_hit_far_to_the_right_is_brought_into_sight(log: Path) -> None:
    log.write_bytes(b"first\n" + b"x" * 500 + b" needle " + b"x" * 500 + b"\n")
    async with reading(log) as at:
        await at.search("needle")
        await at.until(lambda: any("needle" in line for line in at.lines), "it is seen")


async def test_long_lines_are_cut_and_can_be_followed_sideways_or_folded(log: Path) -> None:
    text = "".join(f"{number:5}" for number in range(40))
    log.write_text(f"short\n{text}\n")
    async with reading(log) as at:
        await at.until(lambda: at.lines[0] == "short", "it is read")
        room = at.view.lines.size.width - 2
        assert at.lines[1] == text[: room - 1] + "→"
        await at.press("right")
        assert at.lines[1] == "←" + text[11 : 10 + room - 1] + "→"
        await at.press(*["right"] * 14)
        assert at.lines[1] == "←" + text[-room + 1 :]
        await at.press(*["left"] * 14)
        assert at.lines[1] == text[: room - 1] + "→"
        await at.press("w")
        folded = [text[at_ : at_ + room].rstrip() for at_ in range(0, len(text), room)]
        assert at.lines[1 : 1 + len(folded)] == folded
        await at.says("wrapped")
        await at.press("w")
        assert at.lines[2] == ""


async def test_wide_letters_are_never_halved(log: Path) -> None:
    log.write_text("漢字" * 200 + "\n")
    async with reading(log) as at:
        await at.until(lambda: at.lines[0].startswith("漢"), "it is read")
        for key in ("right", "right", "w", "down", "down"):
            await at.press(key)
            for strip in at.app.screen._compositor.render_strips():
                assert strip.cell_length == SMALL[0]


async def test_colours_are_shown_and_nothing_else_acts(log: Path) -> None:
    log.write_bytes(
        b"\x1b[31mred\x1b[0m \x1b[1;38;2;1;2;3mtrue\x1b[m \x1b[8mhidden\x1b[0m \x1b]0;title\x07\x1b[2Jend\n"
    )
    async with reading(log) as at:
        await at.until(lambda: at.lines[0] == "red true hidden end", at.lines[0])
        spans = {segment.text: segment.style for segment in at.app.screen._compositor.render_strips()[0]}
        true = next(style for text, style in spans.items() if text == "true")
        assert true is not None
        assert true.bold
        assert true.color is not None
        assert true.color.triplet == (1, 2, 3)
        hidden = next(style for text, style in spans.items() if text == "hidden")
        assert hidden is not None
        assert not hidden.conceal


HOSTILE = (
    b"[/oops] [@click=app.quit]x[/] [bold\n"
    b"\x1b]8;;http://evil\x07link\x1b]8;;\x07 \x1b]52;c;aGk=\x07 \x1bP+q\x1b\\ \x1b[999;999H \x1b[?1049h \x1b\n"
    b"\x9b31m \xc2\x9b31m \x85 \xe2\x80\xa8 \xff\xfe\xfa bytes\n"
    + "safe\u202egnp.exe \u2066\u200b zalgo e".encode()
    + "\u0301".encode() * 500
    + b"\nnul \0\0 bell \a back \b\b tab \t cr \r\n"
    + b"\x1b[" * 5_000
    + b"\n"
    + bytes(range(256)) * 40
    + b"\n"
    + b"\x1b[38;5;999999999999999999999m \x1b[48;2m \x1b[;;;;m odd numbers\n"
    + b"y" * 300_000
)


@SIZES
async def test_no_byte_of_a_log_reaches_the_terminal_as_more_than_text(log: Path, size: tuple[int, int]) -> None:
    log.write_bytes(HOSTILE)
    async with reading(log, size) as at:
        for keys in (["home"], ["w"], ["pagedown"] * 5, ["w"], ["right"] * 8, ["end"], ["pageup"]):
            await at.press(*keys)
            await at.pilot.pause()
            for strip in at.app.screen._compositor.render_strips():
                for segment in strip:
                    assert_harmless(segment)
        await at.search("[/oops]")
        await at.says("n next")
    assert at.app.return_value is None


async def test_what_is_in_sight_can_be_copied(log: Path) -> None:
    log.write_bytes(b"\x1b[31mone\x1b[0m\ntwo needle\n")
    async with reading(log) as at:
        await at.until(lambda: at.lines[1] == "two needle", "it is read")
        assert at.view.lines.text_in_sight() == "one\ntwo needle"
        await at.search("needle")
        await at.until(lambda: at.view.lines.hit is not None, "it is found")
        assert at.view.lines.text_in_sight() == "two needle"


def test_the_hostile_log_is_hostile() -> None:
    text = HOSTILE.decode("utf-8", "replace")
    assert {"Cc", "Cf", "Zl"} <= {unicodedata.category(letter) for letter in text}
