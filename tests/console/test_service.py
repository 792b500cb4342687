"""`service` and `man`: the unit that systemd reads, and the page that man reads."""

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import click
import pytest

from console.cli.group import Lazy, jobdeck
from console.service import unit_path
from core.refusals import BadInput
from tests.console.conftest import Cli
from tests.console.test_help import PATHS

FAKE = """#!/bin/sh
echo "$@" >> {asked}
case "$2" in
    is-active) cat {active}; test "$(cat {active})" = active ;;
    is-enabled) echo enabled ;;
    restart|start) {start} ;;
esac
"""


class Systemd:
    """A systemctl that writes down what it is asked."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self.asked = place / "asked"
        self.active = place / "active"
        self.active.write_text("active\n")
        self.answers()

    def answers(self, start: str = "true") -> None:
        """What it does when it is to start something."""
        program = self.place / "systemctl"
        program.write_text(FAKE.format(asked=self.asked, active=self.active, start=start))
        program.chmod(0o755)

    def told(self) -> list[str]:
        """What it was asked since this was last asked."""
        found = self.asked.read_text().splitlines() if self.asked.exists() else []
        self.asked.unlink(missing_ok=True)
        return found


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Systemd:
    place = tmp_path / "bin"
    place.mkdir()
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return Systemd(place)


def test_a_dry_run_prints_the_unit_and_touches_nothing(cli: Cli, systemd: Systemd, store_path: Path) -> None:
    ran = cli("service", "install", "--slots", "4", "--metrics", "9464", "--dry-run")
    assert ran.code == 0
    lines = ran.out.splitlines()
    (start,) = [line for line in lines if line.startswith("ExecStart=")]
    program, *words = shlex.split(start.removeprefix("ExecStart="))
    assert Path(program).is_absolute()
    assert words[-9:] == [
        "--home", str(store_path.parent), "--db", str(store_path), "serve", "--slots", "4", "--metrics", "9464",
    ]  # fmt: skip
    assert "KillMode=mixed" in lines
    assert systemd.told() == []
    assert not unit_path("jobdeck").exists()


def test_it_is_written_enabled_and_started_and_only_restarted_for_a_reason(cli: Cli, systemd: Systemd) -> None:
    ran = cli("service", "install")
    assert ran.code == 0
    assert ran.out == f"{unit_path('jobdeck')} written; the service runs\n"
    assert "loginctl enable-linger" in ran.err
    assert systemd.told() == ["--user daemon-reload", "--user enable jobdeck.service", "--user restart jobdeck.service"]
    assert "is as it should be" in cli("service", "install").out
    assert systemd.told()[-1] == "--user start jobdeck.service"
    cli("service", "install", "--slots", "2")
    assert systemd.told()[-1] == "--user restart jobdeck.service"
    assert cli("service", "install", "--no-start", "--json").json == {
        "unit": str(unit_path("jobdeck")), "changed": True, "started": False,
    }  # fmt: skip
    assert systemd.told() == []


def test_its_status_follows_systemd(cli: Cli, systemd: Systemd) -> None:
    ran = cli("service", "status")
    assert ran.code == 1
    assert "make it with: jobdeck service install" in ran.out
    cli("service", "install")
    ran = cli("service", "status", "--json")
    assert ran.code == 0
    assert ran.json == {
        "unit": str(unit_path("jobdeck")), "there": True, "enabled": "enabled", "active": "active",
    }  # fmt: skip
    systemd.active.write_text("failed\n")
    ran = cli("service", "status")
    assert ran.code == 1
    assert "failed" in ran.out


def test_it_can_be_taken_away(cli: Cli, systemd: Systemd) -> None:
    assert cli("service", "uninstall").code == 4
    cli("service", "install")
    systemd.told()
    assert cli("service", "uninstall").code == 0
    assert systemd.told() == ["--user disable --now jobdeck.service", "--user daemon-reload"]
    assert not unit_path("jobdeck").exists()


@pytest.mark.usefixtures("systemd")
def test_a_unit_that_someone_else_has_written_is_left_alone(cli: Cli) -> None:
    path = unit_path("jobdeck")
    path.parent.mkdir(parents=True)
    path.write_text("[Unit]\n")
    assert cli("service", "install").code == 3
    assert cli("service", "uninstall").code == 3
    assert path.read_text() == "[Unit]\n"
    assert cli("service", "install", "--replace").code == 0
    assert cli("service", "install", "--name", "other").code == 0


def test_what_systemd_refuses_is_told(cli: Cli, systemd: Systemd) -> None:
    systemd.answers("echo no bus >&2; exit 1")
    ran = cli("service", "install")
    assert ran.code == 1
    assert f"systemctl --user restart failed for {unit_path('jobdeck')}: no bus" in ran.err


@pytest.mark.usefixtures("systemd")
def test_a_machine_without_systemd_is_told(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    ran = cli("service", "install")
    assert ran.code == 1
    assert "this machine has no systemctl; run jobdeck serve by what starts things here" in ran.err


def test_places_with_odd_names_reach_the_unit_as_they_are(
    cli: Cli, systemd: Systemd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = tmp_path / 'a b%c"d$e\\f'
    monkeypatch.setenv("JOBDECK_HOME", str(odd))
    text = cli("service", "install", "--dry-run", "--json").json["text"]
    escaped = str(odd).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    assert f'"--home" "{escaped}"' in text
    assert systemd.told() == []
    monkeypatch.setenv("JOBDECK_HOME", str(tmp_path / "a\nb"))
    ran = cli("service", "install", "--dry-run")
    assert ran.code == 2
    assert "newline" in ran.err


@pytest.mark.parametrize("name", ["", "../x", "a b", "ü"])
def test_a_name_that_no_unit_can_have_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match="can't be the name of a service"):
        unit_path(name)


def test_the_manual_page_has_every_verb(cli: Cli) -> None:
    page = cli("man").out
    groups = {name for name in jobdeck.entries if isinstance(jobdeck.get_command(click.Context(jobdeck), name), Lazy)}
    for path in PATHS:
        if path[0] not in groups or len(path) > 1:
            assert f".SS jobdeck {' '.join(path)}".replace("-", "\\-") in page
    assert cli("man", "--json").json == {"page": page}


def test_the_manual_page_has_nothing_that_roff_would_stumble_over(cli: Cli) -> None:
    page = cli("man").out
    known = {".TH", ".SH", ".SS", ".PP", ".TP", ".B", ".EX", ".EE"}
    for line in page.splitlines():
        assert not line.startswith("'")
        assert not line.startswith(".") or line.split()[0] in known
    groff = shutil.which("groff")
    if groff is not None:
        done = subprocess.run([groff, "-man", "-ww", "-Tutf8"], input=page, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        assert "jobdeck submit" in done.stdout
