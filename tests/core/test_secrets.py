"""Secrets: references keep their value out of the store, and what an operator hides is hidden."""

import os
import re
from pathlib import Path

import pytest

from core.machine.lookup import SIZE_LIMIT, resolved
from core.refusals import BadInput
from core.secrets import Secrets, kept_environment


def test_a_reference_is_kept_as_one_with_a_path_that_is_the_same_everywhere() -> None:
    env = {"A": "@file:token", "B": "@file:/run/x/../y", "C": "@env:TOKEN", "D": "plain @file:x", "E": "@@file:x"}
    assert kept_environment(env, "/srv") == {
        "A": "@file:/srv/token", "B": "@file:/run/y", "C": "@env:TOKEN", "D": "plain @file:x", "E": "@@file:x",
    }  # fmt: skip
    assert kept_environment({"A": "@file:~/token"}, None) == {"A": "@file:" + os.path.expanduser("~/token")}


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("@file:", "the variable A: @file: needs the path of a file"),
        ("@file:a\nb", "the variable A: @file: needs the path of a file"),
        ("@file:x", 'the variable A: "x" depends on where one stands'),
        ("@env:", "the variable A: @env: needs the name of a variable"),
        ("@env:not one", "the variable A: @env: needs the name of a variable"),
    ],
)
def test_a_reference_to_nothing_is_refused(value: str, words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        kept_environment({"A": value}, None)


def test_a_reference_becomes_what_it_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "token"
    file.write_text(" s3cret \n")
    monkeypatch.setenv("TOKEN", "from the engine")
    env = {"A": f"@file:{file}", "B": "@env:TOKEN", "C": "plain", "D": "@@file:x", "E": "@@env:x", "F": "@@x"}
    assert resolved(env) == {
        "A": " s3cret ", "B": "from the engine", "C": "plain", "D": "@file:x", "E": "@env:x", "F": "@@x",
    }  # fmt: skip


def test_a_value_that_is_not_there_is_told_with_its_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOKEN", raising=False)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nul").write_bytes(b"a\0b")
    (tmp_path / "long").write_bytes(b"x" * (SIZE_LIMIT + 1))
    for value, words in (
        ("@env:TOKEN", "the variable A comes from the engine's own TOKEN, which is not set there"),
        (f"@file:{tmp_path / 'gone'}", "which can't be read: no such file or directory"),
        (f"@file:{tmp_path}", "which is not a file"),
        # Nobody writes to it; a reader that waited would wait for ever.
        (f"@file:{tmp_path / 'pipe'}", "which is not a file"),
        (f"@file:{tmp_path / 'nul'}", "which holds a NUL character"),
        (f"@file:{tmp_path / 'long'}", "which is longer than a variable can be"),
    ):
        with pytest.raises(BadInput, match=re.escape(words)):
            resolved({"A": value})


def test_patterns_keep_their_flags_beside_others() -> None:
    expression = Secrets(("(?i)bearer [a-z]+", "ghp_[0-9]{3}", "a|b")).expression
    assert expression is not None
    assert [found[0] for found in expression.finditer("BEARER Xyz GHP_123 ghp_123")] == ["BEARER Xyz", "ghp_123"]
    assert Secrets().expression is None


def test_names_are_told_by_stars_whatever_their_case() -> None:
    secrets = Secrets(names=("*password*", "API_KEY"))
    assert secrets.hides("db_PassWord_2")
    assert secrets.hides("api_key")
    assert not secrets.hides("api_key_2")
