"""Files full of jobs: one transaction, a bad line named by its number, nothing stored when there is one."""

import json
from pathlib import Path

import pytest

from tests.console.conftest import Cli


@pytest.fixture
def write(tmp_path: Path) -> Path:
    return tmp_path / "jobs.jsonl"


def test_many_jobs_become_a_range_of_ids(cli: Cli, write: Path) -> None:
    write.write_text(
        "".join(json.dumps({"argv": ["echo", str(n)], "type": "etl", "key": f"k{n}"}) + "\n" for n in range(2_000))
    )
    assert cli("submit", "--from", str(write)).out == "2,000 jobs queued: 1–2000\n"
    jobs = cli("list", "--json").json
    assert [job["job_key"] for job in jobs] == [f"k{n}" for n in range(2_000)]


def test_a_line_takes_every_option_by_its_name(cli: Cli, write: Path) -> None:
    cli("template", "add", "t", "--param", "a=1", "--", "from-template")
    wanted = {
        "template": "t", "key": "k", "priority": 3, "at": "2026-03-05", "hold": True, "approval": "Go?",
        "max_retries": 1, "backoff": "fixed:2s", "timeout": 90, "deadline": "2026-03-09", "concurrency_key": "disk",
        "tags": {"x": "y"}, "params": {"b": [1, 2.5, None]}, "cwd": "/tmp", "env": {"A": "b"},
    }  # fmt: skip
    write.write_text(
        "\ufeff" + json.dumps(wanted) + "\r\n\n" + json.dumps({"argv": ["a | b"], "shell": True, "draft": True})
    )
    assert cli("submit", "--from", str(write), "--json").json == {"count": 2, "first_id": 1, "last_id": 2}
    job = cli("show", "1", "--json").json
    assert job["params"] == {"a": 1, "b": [1, 2.5, None]}
    assert (job["priority"], job["held"], job["max_retries"], job["tags"]) == (3, True, 1, {"x": "y"})
    assert job["command"] == {"argv": ["from-template"], "cwd": "/tmp", "env": {"A": "b"}, "shell": False}
    draft = cli("show", "2", "--json").json
    assert (draft["status"], draft["command"]["shell"]) == ("CREATED", True)


def test_options_are_defaults_for_every_line(cli: Cli, write: Path) -> None:
    write.write_text('{"argv": ["a"]}\n{"argv": ["b"], "priority": 1, "tags": {"b": "2"}}\n')
    cli("submit", "--from", str(write), "--priority", "9", "--tag", "a=1")
    assert [(job["priority"], job["tags"]) for job in cli("list", "--json").json] == [
        (9, {"a": "1"}),
        (1, {"a": "1", "b": "2"}),
    ]


GOOD = '{"argv": ["a"]}'
BAD = [
    ("{", 2, "not valid JSON"),
    ("[1]", 2, "must be an object"),
    ('{"argv": "echo"}', 2, "argv must be a list"),
    ('{"argv": [1]}', 2, "argv"),
    ('{"argv": []}', 2, "empty"),
    ("{}", 2, "no command"),
    ('{"argv": ["a"], "prioritty": 1}', 2, "did you mean priority?"),
    ('{"argv": ["a"], "priority": "1"}', 2, "priority must be a whole number"),
    ('{"argv": ["a"], "priority": true}', 2, "priority must be a whole number"),
    ('{"argv": ["a"], "priority": 99999999999999999999}', 2, "priority"),
    ('{"argv": ["a"], "priority": 1, "priority": 2}', 2, "twice"),
    ('{"argv": ["a\\u0000"]}', 2, "NUL"),
    ('{"argv": ["a\\ud800"]}', 2, "UTF-8"),
    ('{"argv": ["a"], "params": {"x": NaN}}', 2, "NaN"),
    ('{"argv": ["a"], "params": {"x": 1e999}}', 2, "too large"),
    ('{"argv": ["a"], "params": ' + '{"x":' * 80 + "1" + "}" * 80 + "}", 2, "nested"),
    ('{"argv": ["a"], "params": {"x": "' + "y" * 1_100_000 + '"}}', 2, "limit"),
    ('{"argv": ["a"], "tags": {"x": 1}}', 2, "tags"),
    ('{"argv": ["a"], "at": "someday"}', 2, "not a time"),
    ('{"argv": ["a"], "hold": "yes"}', 2, "true or false"),
    ('{"argv": ["a", "b"], "shell": true}', 2, "exactly one"),
    ('{"argv": ["a"], "template": "none"}', 4, "none"),
    ('{"argv": ["a"], "key": "k"}\n{"argv": ["a"], "key": "k"}', 3, "already"),
]


@pytest.mark.parametrize(("line", "code", "words"), BAD, ids=[case[0][:40] for case in BAD])
def test_a_bad_line_names_its_number_and_nothing_is_stored(
    cli: Cli, write: Path, line: str, code: int, words: str
) -> None:
    write.write_text(f"{GOOD}\n\n{line}\n{GOOD}\n")
    ran = cli("submit", "--from", str(write))
    number = 3 + line.count("\n")
    assert ran.code == code
    assert f"jobs.jsonl:{number}: " in ran.err
    assert words in ran.err
    assert cli("list", "--json").json == []


def test_broken_utf_8_names_its_line(cli: Cli, write: Path) -> None:
    write.write_bytes(b'{"argv": ["a"]}\n{"argv": ["\xff"]}\n')
    ran = cli("submit", "--from", str(write))
    assert ran.code == 2
    assert ":2: the line is not valid UTF-8" in ran.err
