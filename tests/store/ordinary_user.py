"""Being an ordinary user for a while: root may read and write everything, so it can't see what permissions do."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

NOBODY = 65534


@contextmanager
def ordinary_user() -> Iterator[None]:
    """In this block, permissions count."""
    root = os.geteuid() == 0
    if root:
        os.setresuid(NOBODY, NOBODY, 0)
    try:
        yield
    finally:
        if root:
            os.setresuid(0, 0, 0)


@contextmanager
def copy_for_an_ordinary_user(directory: Path) -> Iterator[Path]:
    """A copy that belongs to an ordinary user, at a place that such a user can reach."""
    with TemporaryDirectory() as place:
        copy = Path(place) / directory.name
        shutil.copytree(directory, copy)
        if os.geteuid() == 0:
            for path in (Path(place), copy, *copy.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        yield copy
