"""What the kernel tells about processes: when they started, to whom they belong, what they use."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.owners import Owner

_PROC = Path("/proc")
_MARK = b"JOBDECK_EXEC_ID="
_STOPPED, _ENDED = "Tt", "ZX"


@cache
def boot_id() -> str:
    """The name of this boot of the machine; empty where the kernel gives none."""
    try:
        return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


@cache
def host() -> str:
    """The name of this machine, told apart from another of the same name."""
    name = os.uname().nodename or "localhost"
    try:
        mark = Path("/etc/machine-id").read_text().strip()[:6]
    except OSError:
        mark = ""
    return f"{name.replace(':', '-').replace('@', '-')[:60]}{'-' if mark else ''}{mark}"


def started(pid: int) -> int | None:
    """When a process started, in the kernel's own count; None when there is no such process."""
    stat = _stat(pid)
    return None if stat is None else stat.started


def this_process(name: str, mark: str = "") -> Owner:
    """This very process as an owner."""
    pid = os.getpid()
    return Owner(name, host(), pid, started(pid) or 0, boot_id(), mark)


def alive(owner: Owner) -> bool:
    """Whether that very process still runs here."""
    if owner.host != host() or owner.boot != boot_id():
        return False
    stat = _stat(owner.pid)
    return stat is not None and stat.started == owner.started and stat.state not in _ENDED


@dataclass(frozen=True, slots=True)
class Stat:
    """The part of /proc/PID/stat that is used here."""

    pid: int
    state: str
    group: int
    session: int
    started: int
    ticks: int
    """Processor time used, in clock ticks."""
    pages: int
    """Memory in use, in pages."""


def _stat(pid: int) -> Stat | None:
    return _stat_at(f"/proc/{pid}/stat")


def _stat_at(path: str) -> Stat | None:
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return None
    # The name stands in brackets and may hold anything, brackets too.
    fields = text[text.rindex(b")") + 2 :].split()
    return Stat(
        pid=int(text.split(maxsplit=1)[0]),
        state=fields[0].decode(),
        group=int(fields[2]),
        session=int(fields[3]),
        started=int(fields[19]),
        ticks=int(fields[11]) + int(fields[12]),
        pages=int(fields[21]),
    )


def processes() -> Iterator[Stat]:
    """Every process that runs now; those that have ended and wait to be read off are left out."""
    for name in os.listdir(_PROC):
        if name.isdigit():
            stat = _stat(int(name))
            if stat is not None and stat.state not in _ENDED:
                yield stat


def stands_still(pid: int) -> bool:
    """Whether a process does nothing for now: it is stopped, every thread of it, or it has ended."""
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return True
    stats = (_stat_at(f"/proc/{pid}/task/{thread}/stat") for thread in threads)
    return all(stat is None or stat.state in _STOPPED + _ENDED for stat in stats)


def marked_for(pid: int) -> str | None:
    """The execution that a process says it runs for, by the environment that it was started with."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            environment = file.read()
    except OSError:
        return None
    for entry in environment.split(b"\0"):
        if entry.startswith(_MARK):
            return entry[len(_MARK) :].decode("ascii", "replace")
    return None


@dataclass(frozen=True, slots=True)
class Use:
    """What a process tree uses."""

    seconds: float
    """Processor time so far."""
    memory: int
    """Bytes of memory now."""
    processes: int


_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")


def used_by(sessions: set[int]) -> dict[int, Use]:
    """What the trees of these sessions use; one look at every process for all of them."""
    found: dict[int, list[Stat]] = {}
    for stat in processes():
        if stat.session in sessions:
            found.setdefault(stat.session, []).append(stat)
    return {
        session: Use(sum(one.ticks for one in tree) / _TICKS, sum(one.pages for one in tree) * _PAGE, len(tree))
        for session, tree in found.items()
    }
