"""Bad input of every kind: one sentence, the right exit code, never a traceback, nothing stored."""

import os

import pytest

from tests.console.conftest import Cli

BAD = [
    (["frobnicate"], 2, "no verb"),
    (["lst"], 2, "did you mean list?"),
    (["schedule", "prewiev"], 2, "did you mean preview?"),
    (["list", "--nonsense"], 2, "--nonsense"),
    (["list", "--limit", "-1"], 2, "--limit"),
    (["list", "--filter", "status:nonsense"], 2, "nonsense"),
    (["list", "--filter", '"open'], 2, ""),
    (["submit"], 2, "no command"),
    (["submit", "--", ""], 2, "empty"),
    (["submit", "--shell", "--", "a", "b"], 2, "exactly one"),
    (["submit", "--priority", "x", "--", "a"], 2, "whole number"),
    (["submit", "--priority", "9" * 30, "--", "a"], 2, "out of range"),
    (["submit", "--priority", "1000001", "--", "a"], 2, "priority"),
    (["submit", "--max-retries", "101", "--", "a"], 2, "101"),
    (["submit", "--backoff", "random", "--", "a"], 2, "backoff"),
    (["submit", "--timeout", "soon", "--", "a"], 2, "duration"),
    (["submit", "--timeout", "0s", "--", "a"], 2, "timeout"),
    (["submit", "--at", "someday", "--", "a"], 2, "not a time"),
    (["submit", "--tag", "x", "--", "a"], 2, "name=value"),
    (["submit", "--param", "x=" + "[" * 100 + "]" * 100, "--", "a"], 2, "nested"),
    (["submit", "--param", "x=" + "y" * 2_000_000, "--", "a"], 2, "limit"),
    (["submit", "--key", "k" * 201, "--", "a"], 2, "key"),
    (["submit", "--key", "a\nb", "--", "a"], 2, "control"),
    (["submit", "--type", "", "--", "a"], 2, "empty"),
    (["submit", "--template", "none", "--", "a"], 4, "template"),
    (["submit", "--four-eyes", "--", "a"], 2, "approval"),
    (["submit", "--if-exists", "explode", "--", "a"], 2, "explode"),
    (["submit", "--from", "/does/not/exist"], 2, "can't be read"),
    (["submit", "--from", "/", "--key", "k"], 2, "--from"),
    (["submit", "--", "a\udcff"], 2, "UTF-8"),
    (["submit", "--home", " ", "--", "a"], 2, "--home"),
    (["show", "1"], 4, "no job 1"),
    (["show", "x y"], 2, "does not name a job"),
    (["show", "9" * 40], 2, "does not name a job"),
    (["show", "0198c2f1"], 4, "no job"),
    (["show"], 2, "ID"),
    (["cancel"], 2, "ID"),
    (["history", "7"], 4, "no job 7"),
    (["chain", "7"], 4, "no job 7"),
    (["priority", "7", "1"], 4, "no job 7"),
    (["priority", "7", "high"], 2, "whole number"),
    (["move", "7", "--top"], 4, "no job 7"),
    (["edit", "7", "--timeout", "1h"], 4, "no job 7"),
    (["approve", "7"], 4, "no job 7"),
    (["deny", "7", "--reason", "x"], 4, "no job 7"),
    (["report", "a", "b", "maybe"], 2, "maybe"),
    (["report", "a", "b", "succeeded"], 4, "no job"),
    (["template", "show", "none"], 4, "none"),
    (["schedule", "show", "none"], 4, "none"),
    (["schedule", "add", "s", "--template", "none", "--cron", "0 6 * * *"], 4, "none"),
    (["schedule", "preview"], 2, "--cron"),
    (["schedule", "preview", "--cron", "0 0 30 2 *"], 2, ""),
    (["schedule", "preview", "--cron", "61 * * * *"], 2, ""),
    (["schedule", "preview", "--cron", "0 6 * * *", "--timezone", "Mars/Base"], 2, "time zone"),
    (["schedule", "preview", "--cron", "0 6 * * *", "--count", "0"], 2, "--count"),
    (["completion", "tcsh"], 2, "tcsh"),
    (["job", "progress"], 2, "how far"),
    (["job", "progress", "101"], 2, "from 0 to 100"),
    (["job", "progress", "half"], 2, "not a number"),
    (["job", "progress", "1", "2"], 2, "too many"),
    (["job", "progress", "50", "--sideways"], 2, "no option --sideways"),
    (["job", "progress", "50"], 3, "inside a running job"),
    (["job", "gate"], 2, "name"),
    (["job", "checkpoint", "{"], 2, "not valid JSON"),
    (["job", "fail", "--retryable", "--terminal"], 2, "either"),
    (["job", "artifact"], 2, "path"),
    (["job", "commit", "--result"], 2, "needs a value"),
    (["logs", "7"], 4, "no job 7"),
    (["wait", "7"], 4, "no job 7"),
    (["wait", "x y"], 2, "does not name a job"),
    (["direct"], 2, "no command"),
    (["slots", "many"], 2, "whole number"),
    (["slots", "4"], 3, "no engine"),
    (["serve", "--slots", "1001"], 2, "slots"),
    (["serve", "--grace", "soon"], 2, "duration"),
    (["submit", "--from", "/dev/null", "--wait"], 2, "--wait"),
    (["job", "progres"], 2, "did you mean progress?"),
]


@pytest.mark.parametrize(("arguments", "code", "words"), BAD, ids=[" ".join(case[0])[:50] for case in BAD])
def test_bad_input_gets_a_sentence_and_its_exit_code(cli: Cli, arguments: list[str], code: int, words: str) -> None:
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith("jobdeck: ")
    assert ran.err.count("\n") == 1
    assert len(ran.err) < 1_000
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert cli("list", "--json").json == []


def test_a_store_that_is_not_ours_is_left_alone(cli: Cli, tmp_path_factory: pytest.TempPathFactory) -> None:
    stranger = tmp_path_factory.mktemp("s") / "notes.txt"
    stranger.write_text("dear diary")
    ran = cli("submit", "--db", str(stranger), "--", "a")
    assert ran.code == 1
    assert "not a jobdeck store" in ran.err
    assert stranger.read_text() == "dear diary"


def test_a_defect_is_a_sentence_too_and_debug_shows_where(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from console.cli.guard import guarded

    def break_down() -> int:
        raise ZeroDivisionError("oh \x1b[31mno")

    monkeypatch.delenv("JOBDECK_DEBUG", raising=False)
    assert guarded(break_down) == 1
    err = capsys.readouterr().err
    assert "JOBDECK_DEBUG=1" in err
    assert "Traceback" not in err
    assert "\x1b" not in err
    monkeypatch.setenv("JOBDECK_DEBUG", "1")
    assert guarded(break_down) == 1
    assert "Traceback" in capsys.readouterr().err


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt(), 130), (BrokenPipeError(), 141)])
def test_interruptions_are_quiet(error: BaseException, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    from console.cli.guard import guarded

    def stop() -> int:
        raise error

    assert guarded(stop) == code
    assert capsys.readouterr().err == ""


def test_an_actor_without_a_name_is_told_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    from console.home import operator

    monkeypatch.setattr(os, "getuid", lambda: 3_999_999_999)
    assert operator() == "uid 3999999999"
