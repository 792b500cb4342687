"""Completion: the scripts that shells load, and the words that they get when they ask."""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from console.cli.group import jobdeck
from tests.console.conftest import Cli
from tests.console.test_processes import python


def completed(home: Path, *words: str) -> list[str]:
    """What bash is offered for the last of these words."""
    ran = python(
        "-m", "console.main", home=home, _JOBDECK_COMPLETE="bash_complete",
        COMP_WORDS=" ".join(("jobdeck", *words)), COMP_CWORD=str(len(words)),
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, b"")
    return [line.partition(",")[2] for line in ran.stdout.decode().splitlines() if line]


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["sub"], ["submit"]),
        (["s"], [name for name in jobdeck.entries if name.startswith("s")]),
        (["schedule", "re"], ["remove"]),
        (["schedule", "edit", "x", "--overlap", "re"], ["replace"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["submit", "--if-exists", "r"], ["return", "replace"]),
        (["list", "--li"], ["--limit"]),
        (["frobnicate", "x"], []),
        (["job", ""], []),
    ],
    ids=" ".join,
)
def test_words_are_completed(store_path: Path, words: list[str], offered: list[str]) -> None:
    assert completed(store_path.parent, *words) == offered


def test_asking_for_completion_makes_no_store(tmp_path: Path) -> None:
    completed(tmp_path / "new", "list", "--f")
    assert not (tmp_path / "new").exists()


def test_an_empty_question_is_none(store_path: Path) -> None:
    ran = python("-m", "console.main", "list", "--nonsense", home=store_path.parent, _JOBDECK_COMPLETE="")
    assert (ran.returncode, ran.stdout, ran.stderr.count(b"\n")) == (2, b"", 1)
    assert ran.stderr.startswith(b"jobdeck: ")


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_loads_its_script_and_completes_with_it(cli: Cli, store_path: Path, tmp_path: Path) -> None:
    command = tmp_path / "jobdeck"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m console.main "$@"\n')
    command.chmod(0o755)
    ask = (
        "COMP_WORDS=(jobdeck unh); COMP_CWORD=1; _jobdeck_completion jobdeck; echo ${COMPREPLY[@]}; complete -p jobdeck"
    )
    ran = subprocess.run(
        ["bash", "--norc", "-c", f"{cli('completion', 'bash').out}\n{ask}"],
        capture_output=True,
        check=False,
        timeout=60,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "JOBDECK_HOME": str(store_path.parent)},
    )
    words, registered = ran.stdout.decode().splitlines()
    assert words == "unhold"
    assert "-F _jobdeck_completion jobdeck" in registered


@pytest.mark.parametrize(
    ("shell", "registers"), [("zsh", "compdef _jobdeck_completion jobdeck"), ("fish", "complete --no-files")]
)
def test_each_shell_s_script_registers_itself(cli: Cli, shell: str, registers: str) -> None:
    ran = cli("completion", shell)
    assert (ran.code, ran.err) == (0, "")
    assert registers in ran.out
