"""Backups: a copy made while everything goes on, and the way back; the doctor looks at both before they count."""

import os
import shutil
from contextlib import suppress
from pathlib import Path

from core.refusals import Refused, Trouble
from store import sqlite
from store.doctor import examine
from store.doctor.findings import Finding
from store.opening import explained

PAGES = 1_000
"""So many pages are copied at a time; between two helpings writers get their turn."""
PAUSE_S = 0.005


def back_up(path: Path, key_path: Path, target: Path) -> int:
    """Copy a store as it is at one instant, and its key beside it; how many bytes the copy has."""
    if target.exists():
        raise Refused(f"{target} exists already; a backup never overwrites anything")
    draft = _draft_of(target)
    try:
        sqlite.create_file(draft)
        source, copy = sqlite.connect(path, read_only=True), sqlite.connect(draft)
        try:
            source.backup(copy, pages=PAGES, sleep=PAUSE_S)
            # A single file is what one wants to carry away.
            copy.execute("PRAGMA journal_mode = DELETE")
        finally:
            source.close()
            copy.close()
        _must_be_well(draft, key_path)
        _sync(draft)
        size = draft.stat().st_size
        draft.replace(target)
        if key_path.exists():
            _copy_key(key_path, key_of(target))
    except sqlite.driver.Error as error:
        raise explained(error, target) from error
    except OSError as error:
        raise _unwritable(error, target) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return size


def restore(backup: Path, path: Path, key_path: Path, aside: Path) -> bool:
    """Put a backup in a store's place; what was there is moved aside, whole. False when nothing was there."""
    if not backup.is_file():
        raise Trouble(f"{backup} is not a file")
    _must_be_well(backup, key_of(backup) if key_of(backup).exists() else key_path)
    draft = _draft_of(path)
    was_there = path.exists()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        sqlite.create_file(draft)
        shutil.copyfile(backup, draft)
        _give_wal(draft)
        _sync(draft)
        if was_there:
            _move_aside(path, aside)
        draft.replace(path)
        if key_of(backup).exists():
            _copy_key(key_of(backup), key_path)
    except OSError as error:
        raise _unwritable(error, path) from error
    finally:
        with suppress(OSError):
            draft.unlink()
    return was_there


def key_of(backup: Path) -> Path:
    """Where the key of a backup is kept."""
    return backup.with_name(backup.name + ".key")


def _must_be_well(path: Path, key_path: Path) -> None:
    """A copy that the doctor doesn't like is no backup."""
    found = [finding for finding in examine(path, key_path, path.parent).findings if not _about_places(finding)]
    if found:
        more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
        raise Trouble(f"{path} is not sound: {found[0].subject}: {found[0].words}{more}")


def _about_places(finding: Finding) -> bool:
    """Where a backup lies and who may read its directory is its owner's business."""
    return finding.subject in {"files", "sqlite"} or "WAL" in finding.words


def _move_aside(path: Path, aside: Path) -> None:
    """The store and what SQLite keeps beside it, under another name."""
    for ending in ("", "-wal", "-shm"):
        part = path.with_name(path.name + ending)
        if part.exists():
            part.replace(aside.with_name(aside.name + ending))


def _give_wal(path: Path) -> None:
    """A backup is one file; a store that several work on has its log beside it."""
    connection = sqlite.connect(path)
    try:
        connection.execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _unwritable(error: OSError, path: Path) -> Trouble:
    return Trouble(f"{error.filename or path} can't be written: {(error.strerror or str(error)).lower()}")


def _copy_key(source: Path, target: Path) -> None:
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.read_bytes())
        file.flush()
        os.fsync(file.fileno())


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
