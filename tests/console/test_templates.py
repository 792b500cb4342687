"""`template`: named kinds of jobs, listed and shown."""

from tests.console.conftest import Cli
from tests.console.test_show import facts

KEYS = [
    "name", "template_id", "job_type", "command", "params", "tags", "priority", "timeout", "approval", "max_retries",
    "backoff", "concurrency_key", "created_at", "created_by", "updated_at",
]  # fmt: skip


def add_nightly(cli: Cli, *more: str) -> None:
    options = (
        "--type etl --priority 2 --timeout 1h30m --max-retries 5 --backoff fixed:2s --concurrency-key disk "
        "--tag env=prod --param n=3 --param s=text --param flag=true --param none=null --cwd /tmp --env A=b "
        "--approval sure? --approval-expires 90s --four-eyes"
    )
    assert cli("template", "add", "nightly", *more, *options.split(), "--", "./nightly.sh", "x").code == 0


def test_adding_says_how_to_use_it(cli: Cli) -> None:
    ran = cli("template", "add", "greet", "--", "echo", "hello")
    assert ran.out == "template greet added; use it with: jobdeck submit --template greet\n"
    ran = cli("template", "add", "greet", "--replace", "--", "echo", "goodbye")
    assert ran.out.startswith("template greet replaced; ")
    assert cli("template", "show", "greet", "--json").json["command"]["argv"] == ["echo", "goodbye"]
    assert cli("template", "add", "greet", "--replace", "--json", "--", "echo", "again").json["name"] == "greet"


def test_the_list_is_by_name(cli: Cli) -> None:
    cli("template", "add", "b", "--type", "mail", "--", "send")
    cli("template", "add", "a", "--priority", "-3", "--", "echo", "hello")
    assert [" ".join(line.split()) for line in cli("template", "list").out.splitlines()] == [
        "NAME TYPE PRI COMMAND CHANGED",
        "a command -3 echo hello now",
        "b mail 0 send now",
    ]
    assert [one["name"] for one in cli("template", "list", "--json").json] == ["a", "b"]


def test_a_template_is_shown_whole(cli: Cli) -> None:
    add_nightly(cli)
    told = facts(cli("template", "show", "nightly").out)
    assert (told["template"], told["type"], told["command"]) == ("nightly", "etl", "./nightly.sh x")
    assert (told["directory"], told["environment"], told["priority"]) == ("/tmp", "A=b", "2")
    assert (told["retries"], told["timeout"], told["takes turns on"]) == ("at most 5, fixed:2s", "1h30m", "disk")
    assert (told["approval"], told["tags"]) == ("sure?", "env=prod")
    assert told["created"].startswith("2026-03-02 09:00:00 UTC (now) by ")
    assert told["changed"] == "2026-03-02 09:00:00 UTC (now)"


def test_params_are_shown_as_they_can_be_typed(cli: Cli) -> None:
    add_nightly(cli)
    told = facts(cli("template", "show", "nightly").out)
    assert told["params"] == '{"n": 3, "s": "text", "flag": true, "none": null}'


def test_what_a_template_does_not_say_is_not_shown(cli: Cli) -> None:
    cli("template", "add", "bare", "--", "true")
    told = facts(cli("template", "show", "bare").out)
    assert not {"timeout", "approval", "tags", "params", "environment", "takes turns on"} & set(told)
    bare = cli("template", "show", "bare", "--json").json
    assert (bare["timeout"], bare["approval"], bare["params"]) == (None, None, {})


def test_scripts_get_a_template_key_by_key(cli: Cli) -> None:
    add_nightly(cli)
    shown = cli("template", "show", "nightly", "--json").json
    assert list(shown) == KEYS
    assert (shown["timeout"], shown["max_retries"], shown["backoff"]) == (5400, 5, "fixed:2s")
    assert shown["approval"] == {"message": "sure?", "four_eyes": True, "expires_after": 90}
    assert shown["params"] == {"n": 3, "s": "text", "flag": True, "none": None}
    cli("template", "add", "quick", "--timeout", "1.5s", "--", "true")
    assert cli("template", "show", "quick", "--json").json["timeout"] == 1.5


def test_a_removed_template_is_gone(cli: Cli) -> None:
    add_nightly(cli)
    assert cli("template", "remove", "nightly").out == "template nightly removed\n"
    assert cli("template", "remove", "nightly").code == 4
    add_nightly(cli)
    assert cli("template", "remove", "nightly", "--json").json == {"removed": "nightly"}
    assert cli("template", "list", "--json").json == []


def test_a_template_needs_something_to_run(cli: Cli) -> None:
    ran = cli("template", "add", "empty")
    assert ran.code == 2
    assert "no command" in ran.err
    ran = cli("template", "add", "fetched", "--type", "etl")
    assert ran.code == 2
    assert "type etl has none of its own" in ran.err


def test_without_a_verb_the_group_explains_itself(cli: Cli) -> None:
    for group in ("template", "schedule"):
        ran = cli(group)
        assert "Verbs:" in ran.out + ran.err
