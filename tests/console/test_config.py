"""The config file, and what it does to jobs that are handed in."""

import os
import re
import tomllib
from datetime import timedelta
from pathlib import Path

import pytest

from console.config import SIZE_LIMIT, load
from core.config import Config
from core.notifications import Told
from core.refusals import BadInput
from tests.console.conftest import Cli

README = Path(__file__).parents[2] / "README.md"

CONFIG = """
slots = 4

[types.etl]
command = ["load", "--day={day}", "{files}"]
params = { files = ["all"] }
timeout = "2h"
max_retries = 5
backoff = "fixed:9s"
concurrency_key = "db"
approval = "Load?"

[types.here]
cwd = "/srv/here"

[types.report]
kind = "python"
function = "reports:monthly"
"""


@pytest.fixture
def path(store_path: Path) -> Path:
    """Where this home's config is."""
    return store_path.parent / "config.toml"


@pytest.fixture
def declared(path: Path) -> Path:
    """The config above, in its place."""
    path.write_text(CONFIG)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(BadInput) as refused:
        load(path)
    return str(refused.value)


def test_without_a_file_the_defaults_hold(path: Path) -> None:
    assert load(path) == Config()


def test_an_empty_file_settles_nothing(path: Path) -> None:
    path.write_bytes(b"\xef\xbb\xbf\r\n")
    assert load(path) == Config()


def test_what_the_file_says_holds(path: Path) -> None:
    path.write_text('lease = "45s"\r\n[concurrency]\r\ngpu = 2\r\n')
    config = load(path)
    assert (config.lease, dict(config.per_key)) == (timedelta(seconds=45), {"gpu": 2})


def test_a_tilde_is_the_users_own_directory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ann")
    path.write_text('[types.x]\nkind = "python"\ncwd = "~/etl"\npython = "~/venv/bin/python"\n')
    one = load(path).types["x"]
    assert (one.cwd, one.python) == ("/home/ann/etl", "/home/ann/venv/bin/python")
    path.write_text('[types.x]\ncwd = "~no-such-user/etl"\n')
    assert refusal(path) == f"{path}: types.x.cwd: there is no user for ~no-such-user/etl"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"slots = 1\nslots = = 2\n", " is not valid TOML: invalid value (line 2, column 9)"),
        (b"slots = 1\nslots", " is not valid TOML: expected '=' after a key in a key/value pair (line 2, column 6)"),
        (b"slots = 1\n# \xff\n", " is not valid UTF-8 (line 2)"),
        (b"slots = " + b"9" * 5_000, " holds a number that is too long"),
        (b"slots = " + b"[" * 50_000, " is nested too deeply"),
        (b"#" * (SIZE_LIMIT + 1), " is larger than 1 MiB, the limit"),
        (b"[types.etl]\ntimeout = 'soon'\n", ': types.etl.timeout: "soon" is not a duration; '),
        (b"slot = 4", ": slot: there is no such key; did you mean slots?"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_path_and_the_place(path: Path, text: bytes, words: str) -> None:
    path.write_bytes(text)
    assert refusal(path).startswith(f"{path}{words}")


def test_a_file_of_exactly_the_limit_is_read(path: Path) -> None:
    path.write_bytes(b"#" * SIZE_LIMIT)
    assert load(path) == Config()


def test_what_is_no_file_is_neither_waited_for_nor_taken_for_none(path: Path) -> None:
    os.mkfifo(path)
    assert refusal(path) == f"{path} is not a file"
    path.unlink()
    path.symlink_to("nowhere.toml")
    assert refusal(path) == f"{path} is a link to nothing"


def test_the_example_in_the_readme_is_a_whole_config(path: Path) -> None:
    section = README.read_text().partition("## Types and config")[2].partition("\n## ")[0]
    example = "\n".join(re.findall(r"```toml\n(.*?)```", section, re.DOTALL))
    path.write_text(example)
    config = load(path)
    written = tomllib.loads(example)
    assert config.slots == written["slots"]
    assert list(config.types) == list(written["types"])
    assert [list(one.command) for one in config.types.values()] == [
        one.get("command", []) for one in written["types"].values()
    ]


def test_the_example_of_who_is_told_is_a_whole_config(path: Path) -> None:
    section = README.read_text().partition("## Being told")[2].partition("\n## ")[0]
    path.write_text("\n".join(re.findall(r"```toml\n(.*?)```", section, re.DOTALL)))
    assert list(load(path).targets) == ["ops", "pager", "desk"]
    assert all(f"`{event}`" in section for event in Told)


@pytest.mark.usefixtures("declared")
def test_a_job_starts_from_its_type(cli: Cli) -> None:
    job = cli("submit", "--type", "etl", "--param", "day=17", "--json").json
    assert (job["job_type"], job["max_retries"], job["params"]) == ("etl", 5, {"files": ["all"], "day": 17})
    shown = cli("show", "1", "--json").json
    assert shown["command"] == {"argv": [], "cwd": None, "env": {}, "shell": False}
    facts = cli("show", "1").out
    for fact in ("fixed:9s", "2h", "db", "Load?"):
        assert fact in facts


@pytest.mark.usefixtures("declared")
def test_options_go_over_the_template_and_the_template_over_the_type(cli: Cli) -> None:
    cli("template", "add", "t", "--type", "etl", "--max-retries", "7", "--param", "files=few", "--priority", "2")
    job = cli("submit", "--template", "t", "--param", "day=1", "--priority", "3", "--json").json
    assert (job["job_type"], job["max_retries"], job["priority"]) == ("etl", 7, 3)
    assert job["params"] == {"files": "few", "day": 1}
    facts = cli("show", "1").out
    for fact in ("fixed:9s", "2h", "db", "Load?"):
        assert fact in facts


def test_a_template_that_is_older_than_its_types_settings_gets_them_too(cli: Cli, path: Path) -> None:
    cli("template", "add", "t", "--type", "etl", "--", "load")
    path.write_text(CONFIG)
    assert cli("submit", "--template", "t", "--json").json["params"] == {"files": ["all"]}
    facts = cli("show", "1").out
    for fact in ("2h", "db", "Load?"):
        assert fact in facts


@pytest.mark.usefixtures("declared")
def test_a_type_with_a_directory_of_its_own_runs_there_unless_told_otherwise(cli: Cli) -> None:
    def directory(*options: str) -> str | None:
        job = cli("submit", *options, "--json", "--", "ls").json
        found: str | None = cli("show", str(job["id"]), "--json").json["command"]["cwd"]
        return found

    assert directory("--type", "here") is None
    assert directory("--type", "here", "--cwd", "/tmp") == "/tmp"
    assert directory("--type", "etl") == os.getcwd()


@pytest.mark.usefixtures("declared")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["submit", "--type", "etl"], 'type etl needs the param "day"'),
        (["submit", "--type", "etl", "--param", "day=[1]"], 'the param "day" of type etl is a list'),
        (["submit", "--type", "mail"], "there is no command, and type mail has none of its own"),
        (["submit", "--type", "report", "--", "monthly"], '"monthly" is not a function'),
        (["submit", "--type", "python"], "there is no function"),
        (["template", "add", "t", "--type", "mail"], "there is no command, and type mail has none of its own"),
    ],
)
def test_what_could_never_be_started_is_refused_at_once(cli: Cli, arguments: list[str], words: str) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert words in ran.err
    assert cli("list", "--json").json == []


@pytest.mark.usefixtures("declared")
def test_each_line_of_a_file_starts_from_its_own_type(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "jobs.jsonl"
    file.write_text(
        '{"params": {"day": 1}}\n{"type": "report"}\n{"type": "mail", "argv": ["a"]}\n{"type": "etl", "argv": ["b"]}\n'
    )
    assert cli("submit", "--from", str(file), "--type", "etl", "--priority", "1").code == 0
    jobs = cli("list", "--json").json
    assert [(job["job_type"], job["max_retries"], job["priority"], job["params"]) for job in jobs] == [
        ("etl", 5, 1, {"files": ["all"], "day": 1}),
        ("report", 3, 1, {}),
        ("mail", 3, 1, {}),
        ("etl", 5, 1, {"files": ["all"]}),
    ]


@pytest.mark.usefixtures("declared")
def test_a_line_that_cannot_fill_its_types_command_is_named(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "jobs.jsonl"
    file.write_text('{"type": "etl", "params": {"day": 1}}\n\n{"type": "etl"}\n')
    ran = cli("submit", "--from", str(file))
    assert ran.code == 2
    assert 'jobs.jsonl:3: type etl needs the param "day"; nothing was stored' in ran.err
    assert cli("list", "--json").json == []


@pytest.mark.usefixtures("declared")
def test_a_directory_given_for_a_whole_file_is_where_its_commands_run(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "jobs.jsonl"
    file.write_text('{"argv": ["a"]}\n{"argv": ["b"], "cwd": "/"}\n{"argv": ["c"], "type": "here"}\n')
    cli("submit", "--from", str(file), "--cwd", "/tmp")
    assert [cli("show", number, "--json").json["command"]["cwd"] for number in "123"] == ["/tmp", "/", "/tmp"]
    file.write_text('{"argv": ["a | b"]}\n')
    cli("submit", "--from", str(file), "--shell")
    assert cli("show", "4", "--json").json["command"]["shell"] is True


def test_a_broken_config_stops_what_depends_on_it_and_nothing_else(cli: Cli, path: Path) -> None:
    cli("submit", "--", "a")
    path.write_text("slots = ")
    for arguments in (["submit", "--", "b"], ["template", "add", "t", "--", "b"], ["config"]):
        ran = cli(*arguments)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"jobdeck: {path} is not valid TOML: ")
    assert [job["id"] for job in cli("list", "--json").json] == [1]


def test_config_shows_the_path_and_the_defaults(cli: Cli, path: Path) -> None:
    out = cli("config").out
    assert f"{path}  (not there, so the defaults hold)" in out
    assert [line.split(None, 1)[1] for line in out.splitlines()[2:4]] == ["10s", "30s"]
    assert "64 MiB" in out
    assert "no types are declared" in out
    assert not path.exists()


def test_config_shows_what_holds_and_what_is_declared(cli: Cli, declared: Path) -> None:
    out = cli("config").out
    assert "not there" not in out
    assert re.search(r"^etl +command +load --day=\{day\} \{files\} +2h +5, fixed:9s +Load\?$", out, re.MULTILINE)
    assert re.search(r"^report +python +reports:monthly +3, fixed:1s$", out, re.MULTILINE)
    shown = cli("config", "--json").json
    assert (shown["path"], shown["exists"], shown["slots"]) == (str(declared), True, 4)
    assert (shown["grace"], shown["lease"], shown["log_limit"]) == (10, 30, 64 * 1024 * 1024)
    etl = shown["types"][0]
    assert (etl["name"], etl["kind"], etl["command"]) == ("etl", "command", ["load", "--day={day}", "{files}"])
    assert etl["approval"] == {"message": "Load?", "four_eyes": False, "expires_after": None}
    assert (etl["timeout"], etl["max_retries"], etl["report_within"]) == (7200, 5, None)


def test_looking_at_the_config_makes_no_store(cli: Cli, tmp_path: Path) -> None:
    home = tmp_path / "elsewhere"
    assert cli("config", "--home", str(home)).code == 0
    assert not home.exists()


def test_hostile_text_in_the_config_does_not_reach_the_terminal(cli: Cli, path: Path) -> None:
    path.write_text('[types.x]\ncommand = ["\\u001b[31mred \\u202e"]\napproval = "\\u202eevil"\n')
    for arguments in (["config"], ["config", "--json"]):
        assert not {"\x1b", "\u202e"} & set(cli(*arguments).out)
