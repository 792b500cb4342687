"""Texts, pairs and params from the command line: what is taken, as what, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jsontext import MIB, JsonValue, check_text, dumps, parse_pairs, parse_params
from core.refusals import BadInput


@pytest.mark.parametrize("text", ["nightly", "Zoë 🃏", "build [/oops]", " x ", "x" * 10])
def test_plain_text_passes_unchanged(text: str) -> None:
    assert check_text(text, "key", 13) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "key is empty"),
        (" \u3000", "key is empty"),
        ("x" * 14, "key is 14 characters long; the limit is 13"),
        ("a\0b", "key holds a NUL character"),
        ("a\udcff", r"key is not valid UTF-8 \(character 2\)"),
        ("a\x1b[2J", r"key has a control character \(U\+001B\) at character 2"),
        ("\x7f", r"key has a control character \(U\+007F\) at character 1"),
        ("ab\x9b", r"key has a control character \(U\+009B\) at character 3"),
        ("a\nb", r"key has a control character \(U\+000A\) at character 2"),
        ("a\tb", r"key has a control character \(U\+0009\) at character 2"),
    ],
)
def test_text_that_cannot_be_kept_or_shown_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"^{words}$"):
        check_text(text, "key", 13)


def test_lines_and_emptiness_can_be_allowed_but_no_other_control() -> None:
    assert check_text("a\r\n\tb", "message", 99, allow_newlines=True) == "a\r\n\tb"
    assert check_text("", "argument", 99, allow_empty=True) == ""
    with pytest.raises(BadInput, match=r"U\+001B"):
        check_text("a\n\x1b", "message", 99, allow_newlines=True)


def test_pairs_split_at_the_first_equals_sign() -> None:
    assert parse_pairs(["env=prod", "q=a=b", "empty="], "tag") == {"env": "prod", "q": "a=b", "empty": ""}


@pytest.mark.parametrize(
    ("items", "words"),
    [
        (["env"], 'tag "env" has no =; write it as name=value'),
        (["=x"], 'the name of tag "=x" is empty'),
        (["a=1", "a=2"], 'tag "a" is given twice'),
        (["a=\x1b"], r'tag "a" has a control character \(U\+001B\) at character 1'),
        (["a=1\n2"], r'tag "a" has a control character \(U\+000A\) at character 2'),
        (["a\n=1"], r'the name of tag "a\\n=1" has a control character \(U\+000A\) at character 2'),
        (["a=\udcff"], r'tag "a" is not valid UTF-8 \(character 1\)'),
        (["a=" + "x" * 1001], 'tag "a" is 1,001 characters long; the limit is 1,000'),
        (["x" * 201 + "=1"], 'the name of tag "x+…" is 201 characters long; the limit is 200'),
        ([f"n{n}=1" for n in range(101)], "tag can be given at most 100 times"),
    ],
)
def test_pairs_that_are_unclear_or_too_much_are_refused(items: list[str], words: str) -> None:
    with pytest.raises(BadInput, match=f"^{words}$"):
        parse_pairs(items, "tag")


def test_an_environment_value_may_have_lines_and_be_long() -> None:
    pairs = parse_pairs(["A=1\n2", "B=" + "x" * 5000], "env", value_limit=5000, allow_newlines=True)
    assert pairs == {"A": "1\n2", "B": "x" * 5000}


def test_a_param_that_reads_as_json_is_json_and_any_other_is_text() -> None:
    items = ["n=5", "f=-1.5", "yes=true", "nil=null", 'o={"a":[1]}', 'q="5"', "t=hello", "zip=007", "e=", "s=a b"]
    assert parse_params(items) == {
        "n": 5,
        "f": -1.5,
        "yes": True,
        "nil": None,
        "o": {"a": [1]},
        "q": "5",
        "t": "hello",
        "zip": "007",
        "e": "",
        "s": "a b",
    }


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "12e4567", "[x", "{a}", '"', "9" * 5000, "True"])
def test_a_param_that_only_resembles_json_stays_text(text: str) -> None:
    assert parse_params([f"p={text}"]) == {"p": text}


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ('p={"a":1,"a":2}', 'param "p" has the key "a" twice'),
        ('p="\\u0000"', 'param "p" holds a NUL character'),
        ("p=" + "[" * 65 + "]" * 65, 'param "p" is nested deeper than 64 levels'),
        ("p=\udcff", r'param "p" is not valid UTF-8 \(character 1\)'),
        ("p=" + "x" * MIB, "params is 1,048,584 bytes; the limit is 1,048,576 bytes"),
        ("p", 'param "p" has no =; write it as name=value'),
    ],
)
def test_a_param_that_cannot_be_kept_is_refused(item: str, words: str) -> None:
    with pytest.raises(BadInput, match=f"^{words}$"):
        parse_params([item])


def test_params_are_bounded_together() -> None:
    half = "x" * (MIB // 2)
    with pytest.raises(BadInput, match=r"^params is 1,048,591 bytes; the limit is 1,048,576 bytes$"):
        parse_params([f"a={half}", f"b={half}"])


@given(
    st.dictionaries(
        st.text("abc_", min_size=1),
        st.recursive(st.one_of(st.none(), st.integers(), st.booleans(), st.text('a1"{ ')), st.lists),
        max_size=5,
    )
)
def test_params_written_as_json_come_back_as_they_were(params: dict[str, JsonValue]) -> None:
    assert parse_params(f"{name}={dumps(value, 'x', MIB)}" for name, value in params.items()) == params
