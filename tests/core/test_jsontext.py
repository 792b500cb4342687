"""JSON and text from outside: what may be stored, and the sentence for what may not."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.jsontext import (
    CHECKPOINT_LIMIT,
    MAX_DEPTH,
    MIB,
    PARAMS_LIMIT,
    RESULT_LIMIT,
    JsonValue,
    dumps,
    format_bytes,
    loads,
)
from core.refusals import BadInput

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
scalars = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), texts)
values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars, lambda inner: st.one_of(st.lists(inner), st.dictionaries(texts, inner)), max_leaves=30
)


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


def test_the_limits_are_one_mebibyte() -> None:
    assert PARAMS_LIMIT == CHECKPOINT_LIMIT == RESULT_LIMIT == 1_048_576


@given(values)
def test_what_is_written_reads_back(value: JsonValue) -> None:
    assert loads(dumps(value, "params", MIB), "params", MIB) == value


@given(values)
def test_what_others_write_reads_as_python_reads_it(value: JsonValue) -> None:
    for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=2)):
        assert loads(text, "params", MIB) == value
        assert loads(text.encode(), "params", MIB) == value


@given(st.one_of(st.text(), st.text('[]{}",:\\u0d8123eE+-. nultrfas', max_size=60), st.binary()))
def test_any_input_is_read_or_refused_with_a_sentence(text: str | bytes) -> None:
    try:
        value = loads(text, "params", MIB)
    except BadInput as refused:
        refusal = str(refused)
    else:
        refusal = ""
        assert loads(dumps(value, "params", MIB), "params", MIB) == value
    assert refusal == "" or refusal.startswith("params ")
    refusal.encode()


def test_text_is_written_compactly_and_readably() -> None:
    assert dumps({"name": "Zoë", "n": [1, 2.5, None, True]}, "x", MIB) == '{"name":"Zoë","n":[1,2.5,null,true]}'


def test_a_text_that_is_too_large_names_its_size_and_the_limit() -> None:
    with pytest.raises(BadInput, match=r"^checkpoint is 1\.2 MiB; the limit is 1 MiB$"):
        loads(b'"' + b"x" * 1_258_289 + b'"', "checkpoint", CHECKPOINT_LIMIT)


def test_the_limit_itself_is_allowed_and_one_byte_more_is_not() -> None:
    text = '"' + "x" * (MIB - 2) + '"'
    assert loads(text, "result", RESULT_LIMIT) == "x" * (MIB - 2)
    assert dumps("x" * (MIB - 2), "result", RESULT_LIMIT) == text
    too_much = "^result is 1,048,577 bytes; the limit is 1,048,576 bytes$"
    with pytest.raises(BadInput, match=too_much):
        loads(text + " ", "result", RESULT_LIMIT)
    with pytest.raises(BadInput, match=too_much):
        dumps("x" * (MIB - 1), "result", RESULT_LIMIT)


def test_size_counts_bytes_not_characters() -> None:
    assert loads('"ééé"', "x", 8) == "ééé"
    with pytest.raises(BadInput, match="x is 8 bytes; the limit is 7 bytes"):
        loads('"ééé"', "x", 7)
    with pytest.raises(BadInput, match="x is 8 bytes; the limit is 7 bytes"):
        dumps("ééé", "x", 7)


def test_many_small_values_count_no_more_than_they_take() -> None:
    assert dumps(1, "x", 1) == "1"
    assert dumps([1, 1, 1], "x", 7) == "[1,1,1]"
    assert loads('["\\u0041",1,1]', "x", 14) == ["A", 1, 1]


def test_nesting_is_allowed_to_the_limit_and_refused_beyond() -> None:
    loads(nested(MAX_DEPTH), "params", MIB)
    for text in (nested(MAX_DEPTH + 1), '{"a":' * 65 + "1" + "}" * 65):
        with pytest.raises(BadInput, match="params is nested deeper than 64 levels"):
            loads(text, "params", MIB)


def test_half_a_million_brackets_are_refused_and_not_followed() -> None:
    for text in ("[" * 500_000, nested(500_000), '[{"":' * 200_000):
        with pytest.raises(BadInput, match="nested deeper"):
            loads(text, "params", MIB)


def test_brackets_inside_a_string_do_not_nest() -> None:
    text = "[" * 500 + '\\"{\\'
    assert loads(json.dumps([text]), "params", MIB) == [text]


@pytest.mark.parametrize("tail", ['\\"' * 250_000, '"' * 500_001, "\\" * 500_001, '\\"[' * 200_000 + "\\"])
def test_strings_that_never_end_are_refused_without_delay(tail: str) -> None:
    # A scan that starts again at every quote would take hours here.
    with pytest.raises(BadInput, match="params is not valid JSON"):
        loads('"' + tail, "params", MIB)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": }', "line 1, column 7"),
        ('{\n "a": 1,\n}', "line 3, column 1"),
        ("[1, 2", "line 1, column 6"),
        ("1 2", "line 1, column 3"),
        ("nul", "line 1, column 1"),
        ('"a\nb"', "line 1, column 3"),
        ("{'a': 1}", "line 1, column 2"),
        ("[}" * 1000, "line 1, column 2"),
    ],
)
def test_broken_json_says_where(text: str, place: str) -> None:
    with pytest.raises(BadInput, match=rf"^params is not valid JSON: [a-z].*\({place}\)$"):
        loads(text, "params", MIB)


@pytest.mark.parametrize("text", ["", "  \n", b""])
def test_nothing_is_not_json(text: str | bytes) -> None:
    with pytest.raises(BadInput, match="params is empty; JSON was expected"):
        loads(text, "params", MIB)


@pytest.mark.parametrize("text", [b'"\xff"', b'"\xed\xa0\x80"', b'"\xc3"'])
def test_bytes_that_are_not_utf8_are_refused_by_place(text: bytes) -> None:
    with pytest.raises(BadInput, match=r"params is not valid UTF-8 \(byte 2\)"):
        loads(text, "params", MIB)


def test_utf16_is_not_guessed() -> None:
    with pytest.raises(BadInput, match="not valid UTF-8"):
        loads('{"a":1}'.encode("utf-16"), "params", MIB)


@pytest.mark.parametrize("text", ['"\\ud800"', '["\\udfff"]', '{"\\udc00": 1}', '"\\udc00\\ud800"', '"\ud800"'])
def test_half_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="params is not valid UTF-8"):
        loads(text, "params", MIB)


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert loads('"\\ud83c\\udccf"', "params", MIB) == "🃏"
    assert loads('"\\\\ud800"', "params", MIB) == "\\ud800"


@pytest.mark.parametrize("text", ['"a\\u0000b"', '{"\\u0000": 1}', '[[["\\u0000"]]]'])
def test_a_nul_character_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="params holds a NUL character"):
        loads(text, "params", MIB)


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": -Infinity}'])
def test_numbers_that_json_does_not_know_are_refused(text: str) -> None:
    with pytest.raises(BadInput, match=r"params holds (NaN|-?Infinity), which JSON does not know"):
        loads(text, "params", MIB)


@pytest.mark.parametrize("text", ["1e999", "[-1.5e400]", "9" * 400 + ".0"])
def test_a_fraction_too_large_to_keep_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="params holds a number that is too large"):
        loads(text, "params", MIB)


def test_long_whole_numbers_are_kept_exactly_up_to_a_bound() -> None:
    assert loads(str(2**64), "params", MIB) == 18_446_744_073_709_551_616
    longest = -(10**4300 - 1)
    assert loads(dumps(longest, "params", MIB), "params", MIB) == longest
    for refused in ("9" * 4301, "-" + "9" * 4301, "9" * 1_000_000):
        with pytest.raises(BadInput, match="params holds a number of more than 4,300 digits"):
            loads(refused, "params", MIB)
    with pytest.raises(BadInput, match="params holds a number of more than 4,300 digits"):
        dumps([10**4300], "params", MIB)


def test_a_key_given_twice_is_refused_at_any_depth() -> None:
    with pytest.raises(BadInput, match='params has the key "a" twice'):
        loads('[{"b": {"a": 1, "a": 1}}]', "params", MIB)
    with pytest.raises(BadInput, match="twice"):
        loads('{"a": 1, "\\u0061": 2}', "params", MIB)


def test_a_hostile_key_cannot_make_the_sentence_long_or_unprintable() -> None:
    key = '"\\u001b[31m\\udc00' + "x" * 10_000 + '"'
    with pytest.raises(BadInput, match="twice") as refusal:
        loads(f"{{{key}: 1, {key}: 2}}", "params", MIB)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 200


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (float("nan"), "params holds nan, which JSON does not know"),
        ([float("-inf")], "params holds -inf, which JSON does not know"),
        ({1: 2}, 'params has a key that is not text: "1"'),
        ({"a": {3}}, "params holds a set, which JSON does not know"),
        (b"bytes", "params holds a bytes, which JSON does not know"),
        ("a\0", "params holds a NUL character"),
        ({"a\0": 1}, "params holds a NUL character"),
        ({"a": "\ud800"}, r"params is not valid UTF-8 \(character 1\)"),
    ],
)
def test_values_are_checked_like_texts(value: object, words: str) -> None:
    with pytest.raises(BadInput, match=f"^{words}$"):
        dumps(value, "params", MIB)


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless += [endless, endless]
    with pytest.raises(BadInput, match="nested deeper than 64 levels"):
        dumps(endless, "params", MIB)


def test_a_value_that_grows_by_sharing_is_refused_before_it_is_written() -> None:
    value: list[object] = []
    for _ in range(60):
        value = [value, value]
    with pytest.raises(BadInput, match="params is larger than 1 KiB, the limit"):
        dumps(value, "params", 1024)


@given(st.integers(0, 70))
def test_depth_is_the_same_for_texts_and_values(depth: int) -> None:
    value: list[object] = []
    for _ in range(depth):
        value = [value]
    text = nested(depth + 1)
    if depth + 1 <= MAX_DEPTH:
        assert dumps(value, "x", MIB) == text
        assert loads(text, "x", MIB) == value
    else:
        with pytest.raises(BadInput, match="nested deeper"):
            dumps(value, "x", MIB)
        with pytest.raises(BadInput, match="nested deeper"):
            loads(text, "x", MIB)


@pytest.mark.parametrize(
    ("size", "words"),
    [
        (0, "0 bytes"),
        (1023, "1023 bytes"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (1_048_575, "1,024 KiB"),
        (1_258_291, "1.2 MiB"),
        (5 * MIB, "5 MiB"),
    ],
)
def test_sizes_are_said_as_people_read_them(size: int, words: str) -> None:
    assert format_bytes(size) == words


def test_checking_json_loads_little_so_that_a_job_can_call_back_quickly() -> None:
    code = "import sys, core.jsontext; print(*sorted({'zoneinfo', 'fractions', 'sqlite3'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
