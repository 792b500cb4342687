"""The log view and its file: missing, growing, cut, replaced, trimmed, enormous, and out of sight."""

import os
from pathlib import Path

import pytest

from console.log_pages import BLOCK, CHUNK
from tests.app.conftest import SMALL
from tests.app.log_reading import more, numbered, reading


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "x.log"


async def test_a_log_that_is_not_there_is_told_until_it_comes(log: Path) -> None:
    async with reading(log) as at:
        await at.until(lambda: "the log is gone from the disk" in "\n".join(at.lines), "it is told")
        await at.press("home", "down", "pageup", "G", "right", "w", "n")
        await at.press("escape")
        log.write_bytes(b"there it is\n")
        await at.until(lambda: at.lines[0] == "there it is", "it is shown")


async def test_an_empty_log_says_so(log: Path) -> None:
    log.touch()
    async with reading(log) as at:
        await at.until(lambda: "nothing was printed yet" in "\n".join(at.lines), "it is told")
        more(log, b"now\n")
        await at.until(lambda: at.lines[0] == "now", "it is shown")


async def test_no_log_at_all_is_explained() -> None:
    async with reading(None) as at:
        await at.until(lambda: "nothing has run" in "\n".join(at.lines), "it is told")
        await at.press("home", "down", "pageup", "G", "right", "w")


async def test_a_log_that_is_deleted_while_it_is_read_stays_in_sight(log: Path) -> None:
    numbered(log, 100)
    async with reading(log) as at:
        await at.at_bottom("line 99")
        log.unlink()
        await at.says("gone; this is what was read of it")
        assert at.lines[-1] == "line 99"
        await at.press("up")
        assert at.lines[-1] == "line 98"


async def test_a_log_that_is_cut_or_replaced_while_it_is_read_is_read_anew(log: Path) -> None:
    numbered(log, 100)
    async with reading(log) as at:
        await at.press("home")
        await at.at_top("line 0")
        os.truncate(log, 14)
        await at.until(lambda: at.lines[:3] == ["line 0", "line 1", ""], "what is left")
        await at.says("it was cut short or replaced meanwhile")
        new = log.with_suffix(".new")
        new.write_bytes(b"another\nfile\n")
        new.replace(log)
        await at.until(lambda: at.lines[:2] == ["another", "file"], "the new one")


async def test_a_beginning_that_was_given_up_is_told(log: Path) -> None:
    with log.open("wb") as file:
        file.seek(10 * CHUNK)
        file.write(b"the rest\nmore\n")
    async with reading(log, (160, 24)) as at:
        await at.press("home")
        await at.at_top("the rest")
        await at.says("the first 640 KiB were let go")


async def test_three_gigabytes_open_at_once_and_are_jumped_around_in(
    log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = 3 * 1024**3
    with log.open("wb") as file:
        file.write(b"first\n")
        file.seek(size // 2)
        file.write(b"\nin the middle\n")
        file.truncate(size)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    counted: list[int] = []
    pread = os.pread

    def counting(descriptor: int, length: int, offset: int) -> bytes:
        data = pread(descriptor, length, offset)
        counted.append(len(data))
        return data

    monkeypatch.setattr(os, "pread", counting)
    async with reading(log) as at:
        await at.at_bottom("last")
        await at.press("home")
        await at.at_top("first")
        await at.press("end")
        await at.at_bottom("last")
        column = at.view.lines.size.width - 1
        await at.pilot.mouse_down(at.view.lines, offset=(column, at.height // 2))
        await at.says("G follows")
        await at.pilot.mouse_up()
        await at.press("pageup", "pagedown", "up", "down")
    rows = 2 * 3 * SMALL[1] + 1
    # Each of some ten pages holds so many rows of at most two blocks, which are looked at twice.
    assert sum(counted) < 12 * (rows * 2 * BLOCK * 2 + 10 * CHUNK)


async def test_a_log_that_nobody_sees_is_not_looked_at(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbered(log, 100)
    looks: list[str] = []
    opens = os.open

    def counting(path: os.PathLike[str] | str, flags: int, mode: int = 0o777) -> int:
        if Path(path) == log:
            looks.append(str(path))
        return opens(path, flags, mode)

    async with reading(log) as at:
        await at.at_bottom("line 99")
        at.view.display = False
        await at.pilot.pause()
        monkeypatch.setattr(os, "open", counting)
        for _ in range(5):
            at.view.lines._glance()
            await at.pilot.pause()
        assert looks == []
        more(log, b"meanwhile\n")
        at.view.display = True
        await at.at_bottom("meanwhile")
        assert looks
