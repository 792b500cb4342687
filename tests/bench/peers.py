"""The peers: what people would take instead, fetched from the package registries into a place that is thrown away."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

FROM_DEBIAN = {"tsp": "task-spooler", "nq": "nq"}
FROM_PYPI = ("huey", "apscheduler<4", "sqlalchemy")


@dataclass(frozen=True)
class Peers:
    """Which peers could be had."""

    programs: dict[str, Path]
    python: Path | None
    """An interpreter that has the Python peers."""
    missing: dict[str, str]
    """Those that could not be had, and why."""


def fetch(directory: Path) -> Peers:
    """Get them all; each that can't be had is named with its reason."""
    missing: dict[str, str] = {}
    programs = {}
    for program, package in FROM_DEBIAN.items():
        try:
            programs[program] = _from_debian(package, program, directory / package)
        except (OSError, subprocess.SubprocessError) as error:
            missing[package] = _reason(error)
    python: Path | None = None
    try:
        python = _from_pypi(directory / "python")
    except (OSError, subprocess.SubprocessError) as error:
        missing["huey, APScheduler"] = _reason(error)
    return Peers(programs, python, missing)


def _from_debian(package: str, program: str, directory: Path) -> Path:
    installed = shutil.which(program)
    if installed is not None:
        return Path(installed)
    directory.mkdir()
    _run(["apt-get", "download", "-q", package], directory)
    for archive in directory.glob("*.deb"):
        _run(["dpkg", "-x", str(archive), "."], directory)
    found = directory / "usr" / "bin" / program
    if not found.exists():
        raise FileNotFoundError(f"the package {package} has no {program}")
    return found


def _from_pypi(directory: Path) -> Path:
    _run([sys.executable, "-m", "venv", str(directory)], directory.parent)
    python = directory / "bin" / "python"
    _run([str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *FROM_PYPI], directory)
    return python


def _run(argv: list[str], directory: Path) -> None:
    subprocess.run(argv, cwd=directory, check=True, capture_output=True, timeout=300, env=dict(os.environ))


def _reason(error: Exception) -> str:
    if isinstance(error, subprocess.CalledProcessError):
        return (error.stderr or b"").decode(errors="replace").strip().splitlines()[-1:][0][:200] or str(error)
    return str(error)[:200]
