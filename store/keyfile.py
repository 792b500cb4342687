"""The key that gate tokens are derived from: made once, 0600, beside the store."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from core.refusals import Trouble

KEY_BYTES = 32


def load_key(path: Path) -> bytes:
    """The key in that file, which is made when it isn't there."""
    try:
        if not path.exists():
            _make(path)
        key = path.read_bytes()
    except OSError as error:
        raise Trouble(f"the key file {path} can't be used: {(error.strerror or str(error)).lower()}") from error
    if len(key) != KEY_BYTES:
        raise Trouble(f"the key file {path} is damaged: it has {len(key)} bytes, not {KEY_BYTES}")
    return key


def _make(path: Path) -> None:
    # Written whole under another name first: whoever comes second finds a complete key or none.
    draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
