"""Where jobdeck lives, who is asking, and what time it is there."""

import os
import zoneinfo
from datetime import datetime
from pathlib import Path

import pytest

from console import home
from console.home import local_zone, operator, places
from core.refusals import BadInput
from tests.console.conftest import Cli

PARIS = zoneinfo.ZoneInfo("Europe/Paris")
SUMMER = datetime(2027, 7, 1, 12)


@pytest.fixture(autouse=True)
def _no_places_given(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("JOBDECK_HOME", "JOBDECK_DB", "TZ", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def tzif(tmp_path: Path) -> Path:
    """The rules of Paris in a file whose name says nothing."""
    for directory in zoneinfo.TZPATH:
        if (found := Path(directory, "Europe/Paris")).exists():
            path = tmp_path / "rules"
            path.write_bytes(found.read_bytes())
            return path
    pytest.skip("this machine has no time zone files")


def test_without_a_word_it_lives_where_this_system_keeps_data(tmp_path: Path) -> None:
    found = places()
    assert found.home == tmp_path / ".local" / "share" / "jobdeck"
    assert found.db == found.home / "jobdeck.db"
    assert found.logs == found.home / "logs"


def test_an_option_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_HOME", "/env/home")
    assert places().home == Path("/env/home")
    assert places().db == Path("/env/home/jobdeck.db")
    assert places("/option").home == Path("/option")
    assert places("/option").db == Path("/option/jobdeck.db")


def test_a_store_of_its_own_leaves_the_home_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_HOME", "/env/home")
    monkeypatch.setenv("JOBDECK_DB", "/env/other.db")
    assert (places().home, places().db) == (Path("/env/home"), Path("/env/other.db"))
    assert places(None, "/option.db").db == Path("/option.db")
    assert places("/option").db == Path("/env/other.db")


def test_an_empty_variable_counts_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("JOBDECK_HOME", "")
    monkeypatch.setenv("JOBDECK_DB", "")
    assert places().db == tmp_path / ".local" / "share" / "jobdeck" / "jobdeck.db"


def test_places_are_absolute_and_know_the_tilde(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert places("here").home == tmp_path / "here"
    assert places("~/x").home == tmp_path / "x"


@pytest.mark.parametrize(
    ("option", "words"),
    [("", "--home is empty"), ("  ", "--home is empty"), ("~nobody-of-that-name/x", "--home can't be used")],
)
def test_a_place_that_is_none_is_refused(option: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        places(option)


def test_a_blank_variable_is_refused_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOBDECK_DB", " ")
    with pytest.raises(BadInput, match="JOBDECK_DB is empty; give it a path"):
        places()


@pytest.mark.parametrize("option", ["--home", "--db"])
def test_an_empty_option_does_not_mean_the_usual_place(cli: Cli, option: str) -> None:
    for arguments in ((option, "", "list"), ("list", option, "")):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert f"{option} is empty" in ran.err


def test_a_relative_place_below_a_directory_that_is_gone_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    with pytest.raises(BadInput, match="--home can't be used"):
        places("here")


def test_the_operator_is_the_user_of_this_process() -> None:
    import pwd

    assert operator() == pwd.getpwuid(os.getuid()).pw_name


@pytest.mark.parametrize("name", ["Europe/Paris", ":Europe/Paris"])
def test_the_zone_is_the_one_that_was_set(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TZ", name)
    assert local_zone() is PARIS


@pytest.mark.parametrize("name", ["Mars/Base", "Europe", "../etc/passwd", "CET-1CEST,M3.5.0", "/none", ":/etc/passwd"])
def test_a_zone_that_nobody_knows_is_read_as_utc(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("TZ", name)
    assert local_zone().key == "UTC"


@pytest.mark.parametrize("prefix", ["", ":"])
def test_the_zone_may_be_set_as_a_file(monkeypatch: pytest.MonkeyPatch, tzif: Path, prefix: str) -> None:
    monkeypatch.setenv("TZ", f"{prefix}{tzif}")
    found = local_zone()
    assert found.key == "localtime"
    assert SUMMER.replace(tzinfo=found).utcoffset() == SUMMER.replace(tzinfo=PARIS).utcoffset()


def test_a_link_carries_the_name_of_the_zone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, tzif: Path) -> None:
    named = tmp_path / "zoneinfo" / "Europe" / "Paris"
    named.parent.mkdir(parents=True)
    tzif.rename(named)
    link = tmp_path / "localtime"
    link.symlink_to(named)
    monkeypatch.setattr(home, "_LOCALTIME", str(link))
    assert local_zone() is PARIS


def test_a_machine_without_a_zone_is_in_utc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(home, "_LOCALTIME", str(tmp_path / "none"))
    assert local_zone().key == "UTC"
