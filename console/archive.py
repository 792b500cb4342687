"""Jobs written down before they are deleted: compressed JSON lines, a file for each day on which something was."""

import gzip
import json
import os
import zlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from console.cli.jsonout import approval_json, command_json, execution_json, history_json, job_json
from core.refusals import Trouble

if TYPE_CHECKING:
    from store.retention import OldJob

_CHUNK = 1 << 20
_GZIP = 31
"""What zlib calls its gzip format."""


class Archive:
    """A directory that jobs are written to; each call's jobs are on the disk when it returns.

    A file is a row of compressed members, one for each call. One that a crash has cut off is taken away by the next
    call: its jobs were not deleted, and come again. A job may stand in it twice, then, but never not at all.
    """

    def __init__(self, directory: Path, now: datetime) -> None:
        self.path = directory / f"jobdeck-{now:%Y-%m-%d}.jsonl.gz"
        self._whole: int | None = None
        """How many bytes of the file are whole members; None until it was looked at."""

    def __call__(self, jobs: Sequence["OldJob"]) -> None:
        """Write these jobs down."""
        text = "".join(json.dumps(archived_json(job), ensure_ascii=False) + "\n" for job in jobs)
        member = gzip.compress(text.encode(errors="replace"), mtime=0)
        try:
            self._append(member)
        except OSError as error:
            where = error.filename or self.path
            raise Trouble(
                f"the archive {where} can't be written ({(error.strerror or str(error)).lower()}); nothing was deleted"
            ) from error

    def _append(self, member: bytes) -> None:
        directory = self.path.parent
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            if self._whole is None:
                self._whole = _end_of_whole_members(file)
                _sync(directory)
            file.truncate(self._whole)
            file.seek(self._whole)
            file.write(member)
            file.flush()
            os.fsync(file.fileno())
        self._whole += len(member)


def archived_json(old: "OldJob") -> dict[str, Any]:
    """A line of the archive: what `show --json` says of a job, and its history."""
    whole = old.whole
    return {
        **job_json(whole.job),
        "command": command_json(whole.job.command),
        "template": whole.template,
        "schedule": whole.schedule,
        "chain": whole.chain,
        "executions": [execution_json(one) for one in whole.executions],
        "approvals": [approval_json(one) for one in whole.approvals],
        "history": [history_json(one) for one in old.history],
    }


def _end_of_whole_members(file: Any) -> int:
    """Where the last whole member of a file ends."""
    whole = place = 0
    member = zlib.decompressobj(_GZIP)
    file.seek(0)
    while block := file.read(_CHUNK):
        while block:
            try:
                member.decompress(block)
            except zlib.error:
                return whole
            place += len(block) - len(member.unused_data)
            block = member.unused_data
            if member.eof:
                whole = place
                member = zlib.decompressobj(_GZIP)
    return whole


def _sync(directory: Path) -> None:
    """Make sure that a new file is still in its directory after a power cut."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
