"""What tests of the command line stand on: the whole command in this process, on a store of its own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from console.main import run
from tests.conftest import Clock


@dataclass(frozen=True)
class Ran:
    """What one command line came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The document on stdout, which must be one."""
        return json.loads(self.out)


Cli = Callable[..., Ran]


@pytest.fixture
def cli(store_path: Path, clock: Clock, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run `jobdeck` with these arguments."""
    monkeypatch.setenv("JOBDECK_HOME", str(store_path.parent))
    monkeypatch.setenv("TZ", "UTC")
    for name in ("JOBDECK_DB", "JOBDECK_DEBUG", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(list(arguments), clock)
        out, err = capsys.readouterr()
        return Ran(code, out, err)

    return call
