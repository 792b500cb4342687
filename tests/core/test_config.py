"""The config: what is written becomes settings, and each mistake is told with its key."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.classify import ErrorType
from core.config import Config, parse_config
from core.job_types import BUILT_IN, JobType, Kind
from core.jobs import Gate
from core.limits import Limits
from core.refusals import BadInput

KEYS = ["slots", "grace", "lease", "log_limit", "types", "concurrency", "default", "etl", "python", "kind", "command",
        "function", "params", "env", "cwd", "timeout", "max_retries", "backoff", "approval", "message", "four_eyes",
        "expires", "terminal_exits", "retryable_exits", "concurrency", "concurrency_key", "heartbeat",
        "report_within"]  # fmt: skip
WORDS = ["10s", "2h", "64MiB", "fixed:1s", "external", "a:b", "/srv", "~", "{day}", "", "\0", "\ud800"]
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.sampled_from([10**4000, 0, 1, 255]),
    st.sampled_from(WORDS), st.text(max_size=5), st.datetimes(), st.dates(), st.times(), st.binary(max_size=2),
)  # fmt: skip
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=4)
    ),
    max_leaves=12,
)
tables = st.dictionaries(st.sampled_from(KEYS), values, max_size=4)


def type_of(**said: object) -> JobType:
    return parse_config({"types": {"etl": said}}).types["etl"]


def refusal(data: Mapping[str, object]) -> str:
    with pytest.raises(BadInput) as refused:
        parse_config(data)
    return str(refused.value)


def test_nothing_written_is_the_defaults() -> None:
    config = parse_config({})
    assert config == Config()
    assert (config.slots, config.grace, config.lease) == (None, timedelta(seconds=10), timedelta(seconds=30))
    assert (config.log_limit, config.per_key_default) == (64 * 1024 * 1024, 1)
    assert (dict(config.types), dict(config.per_key)) == ({}, {})


def test_every_setting_is_taken() -> None:
    config = parse_config(
        {"slots": 4, "grace": "1m", "lease": 45, "log_limit": "1GiB", "concurrency": {"default": 2, "gpu": 3, "a b": 0}}
    )
    assert (config.slots, config.grace, config.lease) == (4, timedelta(minutes=1), timedelta(seconds=45))
    assert config.log_limit == 1024**3
    assert (config.per_key_default, dict(config.per_key)) == (2, {"gpu": 3, "a b": 0})


def test_every_setting_of_a_type_is_taken() -> None:
    etl = type_of(
        command=["load", "{day}"], params={"day": 1, "deep": {"a": [None, 1.5]}}, env={"A": "b\nc", "EMPTY": ""},
        cwd="/srv/etl", timeout="2h", max_retries=5, backoff="exponential:2s", approval="Go?", concurrency=2,
        concurrency_key="db", heartbeat="5m",
    )  # fmt: skip
    assert etl == JobType(
        "etl", Kind.COMMAND, command=("load", "{day}"), params={"day": 1, "deep": {"a": [None, 1.5]}},
        env={"A": "b\nc", "EMPTY": ""}, cwd="/srv/etl", timeout=timedelta(hours=2), max_retries=5,
        backoff="exponential:2s:5m", approval=Gate("Go?"), concurrency=2, concurrency_key="db",
        heartbeat=timedelta(minutes=5),
    )  # fmt: skip


def test_each_kind_has_settings_of_its_own() -> None:
    report = type_of(kind="python", function="shop.reports:monthly", python="~/venv/bin/python")
    assert (report.kind, report.function, report.python) == (Kind.PYTHON, "shop.reports:monthly", "~/venv/bin/python")
    assert type_of(kind="python", python="python3.12").python == "python3.12"
    batch = type_of(kind="external", command=["qsub", "{script}"], report_within="3d")
    assert (batch.kind, batch.command, batch.report_within) == (
        Kind.EXTERNAL,
        ("qsub", "{script}"),
        timedelta(days=3),
    )


def test_an_approval_is_words_or_a_table() -> None:
    assert type_of(approval="two\nlines").approval == Gate("two\nlines")
    asked = {"message": "Go?", "four_eyes": True, "expires": "1d"}
    assert type_of(approval=asked).approval == Gate("Go?", four_eyes=True, expires_after=timedelta(days=1))


def test_exit_codes_move_from_one_side_to_the_other() -> None:
    exits = type_of(terminal_exits=[2], retryable_exits=[65, 127]).exits
    assert [exits.of(code) for code in (2, 64, 65, 127, 1)] == [
        ErrorType.TERMINAL,
        ErrorType.TERMINAL,
        ErrorType.RETRYABLE,
        ErrorType.RETRYABLE,
        ErrorType.RETRYABLE,
    ]


@pytest.mark.parametrize(
    ("written", "size"),
    [
        (65_536, 65_536),
        ("65536", 65_536),
        ("64KiB", 65_536),
        ("64 kib", 65_536),
        ("100MB", 100_000_000),
        ("100kB", 100_000),
        ("1.5MiB", 1_572_864),
        ("2GiB", 2_147_483_648),
        ("1TiB", 1_099_511_627_776),
        ("99999B", 99_999),
    ],
)
def test_sizes_are_read_as_people_write_them(written: object, size: int) -> None:
    assert parse_config({"log_limit": written}).log_limit == size


def test_bounds_are_inside() -> None:
    for lease in ("1s", "1h"):
        parse_config({"lease": lease})
    assert parse_config({"grace": "0s", "slots": 0}).grace == timedelta(0)
    assert type_of(max_retries=100, concurrency=1000, terminal_exits=[1, 255]).max_retries == 100
    assert "n" * 100 in parse_config({"types": {"n" * 100: {}}}).types


def test_the_console_has_its_colours_and_its_keys() -> None:
    config = parse_config({"console": {"theme": "light", "keys": {"hold": "H"}}})
    assert (config.theme, dict(config.keys)) == ("light", {"hold": "H"})
    with pytest.raises(BadInput, match=r"console\.keys\.hold: must be text, not a number"):
        parse_config({"console": {"keys": {"hold": 1}}})


def test_limits_come_from_the_types_and_the_keys() -> None:
    config = parse_config(
        {
            "types": {"etl": {"concurrency": 2}, "mail": {}, "command": {"concurrency": 0}},
            "concurrency": {"default": 3, "db": 1},
        }
    )
    assert config.limits(8) == Limits(8, {"etl": 2, "command": 0}, 3, {"db": 1})


def test_a_name_leads_to_the_declared_the_built_in_or_a_plain_type() -> None:
    config = parse_config({"types": {"etl": {"timeout": "1h"}, "python": {"timeout": "2h"}}})
    assert config.type_named("etl").timeout == timedelta(hours=1)
    assert config.type_named("external") is BUILT_IN["external"]
    assert config.type_named("mail") == JobType("mail", Kind.COMMAND)
    changed = config.type_named("python")
    assert (changed.kind, changed.timeout) == (Kind.PYTHON, timedelta(hours=2))


def test_a_config_does_not_change_with_what_it_was_made_from() -> None:
    keys = {"gpu": 1}
    types: dict[str, JobType] = {}
    config = Config(types=types, per_key=keys)
    keys["gpu"] = 9
    types["etl"] = JobType("etl")
    assert (dict(config.per_key), dict(config.types)) == ({"gpu": 1}, {})


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"slots": "4"}, "slots: must be a whole number, not text"),
    ({"slots": True}, "slots: must be a whole number, not true or false"),
    ({"slots": 1.5}, "slots: must be a whole number, not a fraction"),
    ({"slots": 1_001}, "slots: 1001 is out of bounds; use 0 to 1,000"),
    ({"slots": -1}, "slots: -1 is out of bounds; use 0 to 1,000"),
    ({"slots": 10**5_000}, "slots: the number is out of range"),
    ({"grace": "soon"}, 'grace: "soon" is not a duration; try 90s, 10m, 1h30m or 2d'),
    ({"grace": "25h"}, "grace: 25h is out of bounds; use 0s to 1d"),
    ({"grace": [1]}, 'grace: must be a duration such as "10m", not a list'),
    ({"lease": "999ms"}, "lease: 999ms is out of bounds; use 1s to 1h"),
    ({"lease": "61m"}, "lease: 61m is out of bounds; use 1s to 1h"),
    ({"log_limit": "63KiB"}, "log_limit: 64,512 bytes is out of bounds"),
    ({"log_limit": -1}, "log_limit: -1 bytes is out of bounds"),
    ({"log_limit": "2TiB"}, "log_limit: 2,199,023,255,552 bytes is out of bounds"),
    ({"log_limit": "64M"}, 'log_limit: "64M" is not a size; try 64MiB, 100MB or a number of bytes'),
    ({"log_limit": "-1MB"}, 'log_limit: "-1MB" is not a size'),
    ({"log_limit": 1e6}, 'log_limit: must be a size such as "64MiB", not a fraction'),
    ({"slot": 4}, "slot: there is no such key; did you mean slots?"),
    ({"type": {}}, "type: there is no such key; did you mean types?"),
    ({"LOG-LIMIT": 1}, "LOG-LIMIT: there is no such key; did you mean log_limit?"),
    ({"secrets": {"patterns": ["["]}}, 'secrets: "[" is not a regular expression'),
    ({"secrets": {"patterns": ["x*"]}}, 'secrets: "x*" matches what is empty, so it would hide everything'),
    ({"secrets": {"names": "x"}}, "secrets.names: must be a list of texts, not text"),
    ({"types": {"t": {"env": {"A": "@file:x"}}}}, 'types.t.env: the variable A: "x" depends on where one stands'),
    ({"types": {"t": {"env": {"A": "@env:"}}}}, "types.t.env: the variable A: @env: needs the name of a variable"),
    ({"retention": {"keep": -1}}, "retention.keep: -1 is out of bounds; use 0 to 1,000,000,000"),
    ({"retention": {"older_than": "0s"}}, "retention.older_than: it must be longer than 0s"),
    ({"zzz": 1}, "zzz: there is no such key; use concurrency, console, grace, lease, log_limit, notify,"),
    ({"a\x1b b": 1}, 'a� b": there is no such key'),
    ({"concurrency": 1}, "concurrency: must be a table, not a number"),
    ({"concurrency": {"gpu": "2"}}, "concurrency.gpu: must be a whole number, not text"),
    ({"concurrency": {"gpu": 1_001}}, "concurrency.gpu: 1001 is out of bounds"),
    ({"concurrency": {"k" * 201: 1}}, "201 characters long; the limit is 200"),
    ({"types": []}, "types: must be a table, not a list"),
    ({"types": {"etl": "x"}}, "types.etl: must be a table, not text"),
    ({"types": {"n" * 101: {}}}, "101 characters long; the limit is 100"),
    ({"types": {"": {}}}, 'types."": the name of a type is empty'),
    ({"types": {"python": {"kind": "command"}}}, "types.python.kind: the built-in type python keeps its kind, python"),
]


@pytest.mark.parametrize(("data", "words"), WRONG, ids=[words[:50] for _, words in WRONG])
def test_a_mistake_is_told_with_its_key(data: dict[str, Any], words: str) -> None:
    assert words in refusal(data)


WRONG_TYPES: list[tuple[dict[str, Any], str]] = [
    ({"timout": "1h"}, ".timout: there is no such key; did you mean timeout?"),
    ({"timeout": "soon"}, '.timeout: "soon" is not a duration'),
    ({"timeout": "0s"}, ".timeout: it must be longer than 0s"),
    ({"heartbeat": 0}, ".heartbeat: it must be longer than 0s"),
    ({"kind": "external", "report_within": "0s"}, ".report_within: it must be longer than 0s"),
    ({"report_within": "1d"}, ".report_within: goes with the kind external, and this type's kind is command"),
    ({"function": "a:b"}, ".function: goes with the kind python, and this type's kind is command"),
    ({"kind": "external", "python": "/p"}, ".python: goes with the kind python, and this type's kind is external"),
    ({"kind": "python", "command": ["a"]}, ".command: goes with the kind command or external"),
    ({"kind": "pyhton"}, '.kind: "pyhton" is not a kind; use command, python, external'),
    ({"kind": "python", "function": "a.b"}, '.function: "a.b" is not a function'),
    ({"kind": "python", "function": 1}, ".function: must be text, not a number"),
    ({"kind": "python", "python": "venv/bin/python"}, ".python: "),
    ({"kind": "python", "python": ""}, ".python: the path is empty"),
    ({"command": "load.sh"}, '.command: must be a list of texts such as ["./load.sh", "{day}"], not text'),
    ({"command": []}, ".command: the command is empty"),
    ({"command": [" "]}, ".command: the command is empty"),
    ({"command": ["a", 1]}, ".command: must hold nothing but texts, and it holds a number"),
    ({"command": ["a", "{a.b}"]}, '.command: "{a.b}" names no param'),
    ({"command": ["a\0"]}, ".command: an element of the command holds a NUL character"),
    ({"params": {"day": date(2031, 5, 1)}}, ".params.day: a param can't be a date; put it in quotes"),
    ({"params": {"at": datetime(2031, 5, 1)}}, ".params.at: a param can't be a date and time; put it in quotes"),
    ({"params": {"at": time(6)}}, ".params.at: a param can't be a time; put it in quotes"),
    ({"params": {"x": [float("inf")]}}, ".params.x: the param holds inf, which JSON does not know"),
    ({"params": {"x": "y" * 2_000_000}}, ".params.x: the param is 1.9 MiB; the limit is 1 MiB"),
    ({"params": {"x": "y" * 600_000, "z": "y" * 600_000}}, ".params: the table is 1.1 MiB; the limit is 1 MiB"),
    ({"params": []}, ".params: must be a table, not a list"),
    ({"env": {"A": 1}}, ".env.A: must be text, not a number"),
    ({"env": {"A=B": "x"}}, ".env.\"A=B\": the name of a variable has no ="),
    ({"env": {"A": "\0"}}, ".env.A: the variable holds a NUL character"),
    ({"cwd": "data"}, '.cwd: "data" depends on where one stands; write it from / or ~ on'),
    ({"cwd": ""}, ".cwd: the path is empty"),
    ({"cwd": "/a\0"}, ".cwd: the path holds a NUL character"),
    ({"max_retries": 101}, ".max_retries: max retries is 101; use 0 to 100"),
    ({"max_retries": "3"}, ".max_retries: must be a whole number, not text"),
    ({"backoff": "random"}, '.backoff: "random" is not a backoff'),
    ({"backoff": 5}, ".backoff: must be text, not a number"),
    ({"approval": True}, ".approval: must be text or a table"),
    ({"approval": ""}, ".approval: the message is empty"),
    ({"approval": "x" * 4_001}, ".approval: the message is 4,001 characters long; the limit is 4,000"),
    ({"approval": {}}, ".approval: it has no message"),
    ({"approval": {"message": "Go?", "four_eyes": 1}}, ".approval.four_eyes: must be true or false, not a number"),
    ({"approval": {"message": "Go?", "expires": "0s"}}, ".approval.expires: it must be longer than 0s"),
    ({"approval": {"massage": "Go?"}}, ".approval.massage: there is no such key; did you mean message?"),
    ({"terminal_exits": 2}, ".terminal_exits: must be a list of exit codes such as [2, 65], not a number"),
    ({"terminal_exits": ["2"]}, ".terminal_exits: must be a whole number, not text"),
    ({"terminal_exits": [0]}, ".terminal_exits: 0 is not the exit code of a failure; use 1 to 255"),
    ({"retryable_exits": [256]}, ".retryable_exits: 256 is not the exit code of a failure"),
    ({"terminal_exits": [2], "retryable_exits": [2]}, ".retryable_exits: exit code 2 cannot be both"),
    ({"concurrency": -1}, ".concurrency: -1 is out of bounds; use 0 to 1,000"),
    ({"concurrency_key": "k" * 201}, ".concurrency_key: the text is 201 characters long; the limit is 200"),
    ({"concurrency_key": "a\nb"}, ".concurrency_key: the text has a control character"),
]  # fmt: skip


@pytest.mark.parametrize(("said", "words"), WRONG_TYPES, ids=[words[:50] for _, words in WRONG_TYPES])
def test_a_mistake_in_a_type_is_told_with_its_key(said: dict[str, Any], words: str) -> None:
    sentence = refusal({"types": {"etl": said}})
    assert sentence.startswith("types.etl.")
    assert words in sentence


@given(tables | st.fixed_dictionaries({"types": st.dictionaries(st.sampled_from(KEYS), tables, max_size=3)}))
def test_any_document_is_a_config_or_refused_with_a_sentence(data: dict[str, Any]) -> None:
    try:
        config = parse_config(data)
    except BadInput as error:
        sentence = str(error)
    else:
        sentence = ""
        assert set(config.types) == set(data.get("types", {}))
        config.limits(4)
    sentence.encode()
    assert "\n" not in sentence
    assert sentence == "" or ": " in sentence
