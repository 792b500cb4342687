"""What `submit --from` answers: how many, which, and what was there already; and the values that a line may hold."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.console.conftest import Cli, Ran

Submit = Callable[..., Ran]


@pytest.fixture
def submit(cli: Cli, tmp_path: Path) -> Submit:
    """Submit these lines."""

    def call(*lines: dict[str, object], options: tuple[str, ...] = ()) -> Ran:
        path = tmp_path / "jobs.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return cli("submit", "--from", str(path), *options)

    return call


A, B = {"argv": ["a"], "key": "a"}, {"argv": ["b"], "key": "b"}


def test_the_ids_are_told_as_a_range_and_one_by_itself(submit: Submit) -> None:
    assert submit(A).out == "1 job queued: 1\n"
    assert submit(B, {"argv": ["c"]}).out == "2 jobs queued: 2–3\n"


def test_drafts_are_called_so(submit: Submit) -> None:
    draft = {"argv": ["x"], "draft": True}
    assert submit(draft, draft).out == "2 jobs drafted: 1–2\n"
    assert submit(draft, A).out == "2 jobs recorded: 3–4\n"


def test_an_empty_file_adds_nothing(submit: Submit) -> None:
    assert submit().out == "no jobs were added\n"
    assert submit(options=("--json",)).json == {"count": 0, "first_id": None, "last_id": None}


def test_keys_that_are_taken_can_be_left_alone(submit: Submit) -> None:
    submit(A)
    refused = submit(B, A)
    assert (refused.code, refused.out) == (3, "")
    assert ":2: " in refused.err
    ran = submit(A, B, options=("--if-exists", "return"))
    assert ran.out == "1 job queued: 2\n"
    assert "1 job had a live one with the same key; nothing was added for them" in ran.err
    assert submit(A, options=("--if-exists", "return")).out == "no jobs were added\n"


def test_lines_come_by_a_pipe_too(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(b'{"argv": ["a"]}\n{"argv": 1}\n')))
    ran = cli("submit", "--from", "-")
    assert ran.code == 2
    assert "stdin:2: argv must be a list" in ran.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ({"argv": ["a"], "template": 1}, "template must be the name of one"),
        ({"argv": ["a"], "key": 1}, "key must be text, not a number"),
        ({"argv": ["a"], "type": ["x"]}, "type must be text, not a list"),
        ({"argv": ["a"], "tags": "x"}, "tags must be an object of texts, not text"),
        ({"argv": ["a"], "params": [1]}, "params must be an object, not a list"),
        ({"argv": ["a"], "cwd": ""}, "cwd is empty"),
        ({"argv": ["a"], "hold": 1}, "hold must be true or false, not a number"),
        ({"argv": ["a", None]}, "argv must hold nothing but texts, and it holds nothing"),
        ({"argv": ["a"], "timeout": {}}, "timeout must be text, not an object"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(submit: Submit, line: dict[str, object], words: str) -> None:
    ran = submit(line)
    assert (ran.code, ran.out) == (2, "")
    assert f":1: {words}" in ran.err


def test_a_value_that_is_null_was_not_wished_for(submit: Submit, cli: Cli) -> None:
    assert submit({"argv": ["a"], "priority": None, "timeout": None, "key": None}).code == 0
    (job,) = cli("list", "--json").json
    assert (job["priority"], job["job_key"]) == (0, job["job_id"])


def test_directories_are_relative_to_here(submit: Submit, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/somewhere")
    monkeypatch.chdir("/usr")
    submit({"argv": ["a"], "cwd": "lib/../bin"}, {"argv": ["a"], "cwd": "~/x"})
    assert [cli("show", number, "--json").json["command"]["cwd"] for number in ("1", "2")] == [
        "/usr/bin",
        "/somewhere/x",
    ]


def test_a_command_runs_where_it_was_typed_unless_that_is_gone(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    cli("submit", "--", "a")
    assert cli("show", "1", "--json").json["command"]["cwd"] == str(gone)
    gone.rmdir()
    cli("submit", "--", "a")
    assert cli("show", "2", "--json").json["command"]["cwd"] is None


def test_a_submission_that_was_answered_by_another_says_so(cli: Cli) -> None:
    cli("submit", "--key", "k", "--", "a")
    returned = cli("submit", "--key", "k", "--if-exists", "return", "--", "a")
    assert returned.err == "job 1 was there already, QUEUED; nothing was added\n"
    replaced = cli("submit", "--key", "k", "--if-exists", "replace", "--", "a")
    assert replaced.err == "job 2 takes the place of job 1\n"
