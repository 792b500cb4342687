"""What the config hides is hidden wherever it would be shown, and nothing of it is lost in the store."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from console.ansi import coloured, uncoloured
from console.masking import hide, masked_json
from console.plain import plain, plain_in_place
from core.secrets import HIDDEN, Secrets
from tests.console.conftest import Cli

CONFIG = '[secrets]\npatterns = ["ghp_[A-Za-z0-9]+"]\nnames = ["*password*"]\n'


@pytest.fixture(autouse=True)
def _nothing_hidden_afterwards() -> Iterator[None]:
    yield
    hide(Secrets())


@pytest.fixture
def config(store_path: Path) -> Path:
    path = store_path.with_name("config.toml")
    path.write_text(CONFIG)
    return path


@pytest.fixture
def shown(cli: Cli, config: Path) -> str:
    """All that is said of a job with secrets in it."""
    params = ("db_password=hunter2", 'deep={"password": {"a": 1}, "x": "ghp_abc"}')
    env = ("PASSWORD=hunter2", "TOKEN=ghp_abc", "OTHER=@file:/run/secrets/other")
    options = [word for one in params for word in ("--param", one)] + [word for one in env for word in ("--env", one)]
    ran = cli("submit", "--type", "etl", *options, "--", "run", "ghp_abc")
    assert ran.code == 0
    cli("cancel", "1", "--reason", "leaked ghp_abc")
    verbs = (("show", "1"), ("list",), ("history", "1"), ("events",))
    out = "".join(cli(*verb).out + cli(*verb, "--json").out for verb in verbs)
    assert config.exists()
    return out


def test_neither_patterns_nor_names_let_a_secret_through(shown: str) -> None:
    assert "hunter2" not in shown
    assert "ghp_" not in shown
    assert HIDDEN in shown
    assert '"deep": {"password": "•••", "x": "•••"}' in shown
    # A reference names where a secret is, and is none.
    assert "OTHER=@file:/run/secrets/other" in shown
    assert '"reason": "leaked •••"' in shown


def test_what_is_hidden_is_stored_and_exported_as_it_is(cli: Cli, config: Path) -> None:
    cli("template", "add", "t", "--param", "password=hunter2", "--", "run", "ghp_abc")
    assert "hunter2" not in cli("template", "show", "t").out
    exported = cli("export").out
    assert "hunter2" in exported
    assert "ghp_abc" in exported
    cli("submit", "--template", "t")
    cli("cancel", "1")
    config.unlink()
    assert cli("show", "1", "--json").json["params"] == {"password": "hunter2"}


def test_a_broken_config_is_told_and_keeps_nobody_from_looking(cli: Cli, config: Path) -> None:
    cli("submit", "--", "run")
    config.write_text('[secrets]\npatterns = ["["]\n')
    ran = cli("list")
    assert ran.code == 0
    assert "so nothing of what it hides is hidden: " in ran.err
    assert "is not a regular expression" in ran.err


def test_lines_of_a_log_hide_them_too() -> None:
    hide(Secrets(("ghp_[a-z]+",)))
    assert uncoloured("token ghp_abc used\n") == "token ••• used"
    assert coloured("\x1b[31mghp_abc\x1b[0m") == "\x1b[31m•••\x1b[0m\x1b[0m"


def test_places_stay_where_they_are_in_a_field() -> None:
    hide(Secrets(("ghp_[a-z]+",)))
    assert plain_in_place("a ghp_abc z") == "a ••••••• z"
    assert plain("a ghp_abc z") == "a ••• z"


def test_names_of_our_own_are_no_names_of_secrets() -> None:
    hide(Secrets(names=("*key*",)))
    document = {"job_key": "nightly", "params": {"api_key": "x", "none_key": None, "list": [{"key": 1}]}}
    assert masked_json(document, inside=False) == {
        "job_key": "nightly", "params": {"api_key": HIDDEN, "none_key": None, "list": [{"key": HIDDEN}]},
    }  # fmt: skip


def test_a_reference_is_stored_as_one(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cli("submit", "--env", "A=@file:token", "--env", "B=@env:TOKEN", "--", "run")
    assert cli("show", "1", "--json").json["command"]["env"] == {"A": f"@file:{tmp_path}/token", "B": "@env:TOKEN"}
    cli("edit", "1", "--env", "A=@file:other")
    assert cli("show", "1", "--json").json["command"]["env"]["A"] == f"@file:{tmp_path}/other"
    ran = cli("submit", "--env", "A=@env:", "--", "run")
    assert ran.code == 2
    assert "needs the name of a variable, as in @env:TOKEN" in ran.err
