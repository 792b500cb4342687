"""Filters: what people type finds what they mean, and what they mistype is explained."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from core.filter_parser import FIELDS, completions, parse
from core.filters import (
    Age,
    Compare,
    Filter,
    Held,
    KeyLike,
    NumberIn,
    Pattern,
    StatusIn,
    Tag,
    TypeLike,
    Word,
)
from core.refusals import BadInput
from core.status import Phase, Status

NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Card:
    """A job as far as filters care."""

    id: int = 42
    job_type: str = "etl"
    job_key: str = "order-7"
    status: Status = Status.QUEUED
    priority: int = 5
    attempt: int = 1
    held: bool = False
    tags: Mapping[str, str] = field(default_factory=lambda: {"env": "prod", "Team": "Data Ops"})
    created_at: datetime = NOW - timedelta(minutes=30)
    command_text: str = "python load.py --full"


CARD = Card()


def matches(text: str, job: Card = CARD) -> bool:
    return parse(text).matches(job, NOW)


@pytest.mark.parametrize(
    "text",
    [
        *("", "   ", "etl", "ETL", "tl", "order", "ORDER-7", "load.py", "--full", "prod", "env", "env=prod", "data"),
        *('"data ops"', '"Team=Data"', '"load.py --full"', "or*7", "order-7*", "*", "etl order prod"),
        *("status:queued", "status:QUEUED", "status:pending", "status:failed,queued", "phase:initial", "!phase:final"),
        *("type:etl", "type:ETL", "type:e*", "type:*", "type:mail,etl", "type:*tl", "type:e*l", "type:etl*"),
        *("key:order-7", "key:order-*", "key:*-7", "key:o*r*7", 'key:"order-7"', 'key:"ord"er*'),
        *(
            "tag:env",
            "tag:ENV",
            "tag:env=prod",
            "tag:env=PROD",
            "tag:env=p*",
            "tag:env=dev,prod",
            'tag:team="data ops"',
        ),
        *("priority:5", "priority=5", "priority>4", "priority>=5", "priority<6", "priority<=5", "priority:1,5"),
        *("priority>-1", "attempt:1", "attempt<2", "id:42", "id:1,42", "id>41", "held:no", "held:FALSE", "!held:yes"),
        *("age<1h", "age<=30m", "age>=30m", "age>29m59s", "!age>1h", "!status:failed", "!mail", "!!etl"),
        *("Status:Queued", "status=queued", "type=etl", 'status:"queued"'),
    ],
)
def test_a_filter_finds_the_job_it_describes(text: str) -> None:
    assert matches(text)


@pytest.mark.parametrize(
    "text",
    [
        *("mail", "order-8", '"ops data"', "7*order", '"or*7"', "prod=env", "etl mail", "!etl", "!prod", "!!!etl"),
        *("status:failed", "status:running,failed", "phase:error", "phase:running,final", "!phase:initial"),
        *("type:et", "type:tl", "type:e*x", 'type:"e*"', "type:etl*l", "key:order", "key:*8", "!key:order-*"),
        *("tag:prod", "tag:env=pro", "tag:env=dev", "tag:team=data", "!tag:env", 'tag:"env=prod"', 'tag:env=""'),
        *("priority>5", "priority<5", "priority:4", "priority:50", "!priority:5", "attempt>1", "id:4", "id<42"),
        *("held:yes", "!held:no", "age<30m", "age>30m", "age>1h", "!age<1h"),
    ],
)
def test_a_filter_leaves_out_the_job_it_does_not_describe(text: str) -> None:
    assert not matches(text)


def test_case_is_ignored_for_ascii_letters_only() -> None:
    job = replace(CARD, job_key="ÄRGER-k", tags={"ÄÖ": "Ü"})
    assert matches("key:ÄRGER-K", job)
    assert matches("key:Ärger-K", job)
    assert not matches("key:ärger-k", job)
    assert not matches("key:ÄRGER-\u212a", job)
    assert matches("ÄRGER tag:ÄÖ=Ü", job)
    assert not matches("tag:äÖ", job)


def test_quoted_characters_mean_only_themselves() -> None:
    job = replace(CARD, job_key='a*b,c:"d" !x\\y=z')
    assert matches('key:"a*b,c:\\"d\\" !x\\\\y=z"', job)
    assert matches('"c:\\"d\\""', job)
    assert matches('"!x"', job)
    assert matches('"\\y"', job)
    assert not matches('key:"a*"', job)


def test_all_terms_must_hold() -> None:
    assert matches("status:queued type:etl tag:env=prod key:order-* priority>4 age<1h held:no attempt:1 id:42 load.py")
    assert not matches("status:queued type:etl tag:env=dev")


@pytest.mark.parametrize("phase", Phase)
def test_a_phase_is_its_states(phase: Phase) -> None:
    expected = {
        Phase.INITIAL: {Status.CREATED, Status.QUEUED},
        Phase.RUNNING: {Status.RUNNING, Status.WAITING_FOR_APPROVAL},
        Phase.ERROR: {Status.RETRYING},
        Phase.FINAL: {Status.SUCCEEDED, Status.FAILED, Status.CANCELLED},
    }[phase]
    assert parse(f"phase:{phase}") == Filter((StatusIn(frozenset(expected)),))


@pytest.mark.parametrize(
    ("alias", "status"),
    [
        ("pending", Status.QUEUED),
        ("completed", Status.SUCCEEDED),
        ("retry", Status.RETRYING),
        ("Waiting", Status.WAITING_FOR_APPROVAL),
    ],
)
def test_other_names_for_a_state_are_understood(alias: str, status: Status) -> None:
    assert parse(f"status:{alias}") == Filter((StatusIn(frozenset({status})),))


def test_each_term_becomes_the_value_it_stands_for() -> None:
    text = '!two status:failed type:a,b* key:*x tag:env tag:env=p priority>=3 id:2,1 age<90m held:yes "x y"'
    assert parse(text).terms == (
        Word(Pattern(("two",)), negated=True),
        StatusIn(frozenset({Status.FAILED})),
        TypeLike((Pattern(("a",)), Pattern(("b", "")))),
        KeyLike((Pattern(("", "x")),)),
        Tag("env"),
        Tag("env", (Pattern(("p",)),)),
        Compare("priority", ">=", 3),
        NumberIn("id", frozenset({1, 2})),
        Age("<", timedelta(minutes=90)),
        Held(held=True),
        Word(Pattern(("x y",))),
    )


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("  a   B ", "a B"),
        ("status:CANCELLED,failed,pending", "status:queued,failed,cancelled"),
        ("phase:initial", "status:created,queued"),
        ("priority=+5,3", "priority:3,5"),
        ("!!held:on", "held:yes"),
        ("!held:0", "!held:no"),
        ("age<=1h30m", "age<=90m"),
        ("age>1h1m1s", "age>3661s"),
        ('"plain"', "plain"),
        ('key:a" b"*', 'key:"a b"*'),
        ("key:a**b", "key:a*b"),
        ('tag:"a b"=c,"d,e"', 'tag:"a b"=c,"d,e"'),
        ("env=prod", '"env=prod"'),
        ('"status:failed"', '"status:failed"'),
        ("a\\b", '"a\\\\b"'),
        ('key:""', 'key:""'),
    ],
)
def test_a_filter_is_written_in_one_way(typed: str, written: str) -> None:
    assert str(parse(typed)) == written
    assert parse(written) == parse(typed)


def test_many_wildcards_take_no_longer_than_few() -> None:
    # Trying every way to place them would not end.
    job = replace(CARD, job_key="a" * 200)
    assert not matches("key:" + "a*" * 100 + "b", job)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "ok stat:failed",
            'unknown field "stat" at character 4 of the filter; use status, type, tag, key, priority, age, attempt, '
            "held, phase or id, or put the word in quotes",
        ),
        ("http://x", 'unknown field "http" at character 1 of the filter; use status,'),
        (":x", 'unknown field "" at character 1'),
        ("status:", '"status:" lacks a value; write it as status:failed,cancelled'),
        ("!age<", '"!age<" lacks a value; write it as age<1h'),
        ("status:failing", '"failing" is not a status; use one of created, queued,'),
        ("status:failed,", "a choice of status is empty; write it as status:failed,cancelled"),
        ("key:,", "a choice of key is empty; write it as key:order-*"),
        ("phase:done", '"done" is not a phase; use one of initial, running, error, final'),
        ("status>failed", "status has no order, so > cannot be used; write it as status:failed,cancelled"),
        ("tag>=x", "tag has no order, so >= cannot be used; write it as tag:env=prod"),
        ("priority>high", '"high" is not a whole number within 64 bits'),
        ("priority>5,6", '"5,6" is not a whole number within 64 bits'),
        ("id:9223372036854775808", '"9223372036854775808" is not a whole number within 64 bits'),
        ("id:" + "9" * 900, "is not a whole number within 64 bits"),
        ("id:٣", '"٣" is not a whole number within 64 bits'),
        ("age:1h", "age needs <, <=, > or >=; write it as age<1h"),
        ("age<soon", '"soon" is not a duration'),
        ("age<99999d", '"99999d" is too long'),
        ("held:maybe", '"maybe" is neither yes nor no; write it as held:yes'),
        ("tag:a,b", "a tag has one plain name; write it as tag:env=prod"),
        ("tag:=x", "a tag has one plain name"),
        ("tag:e*=x", "a tag has one plain name"),
        ("tag:env=", "a choice of tag is empty; write it as tag:env=prod"),
        ('ok "two words', "the quote at character 4 of the filter is not closed"),
        ('"a\\"', "the quote at character 1 of the filter is not closed"),
        ("a !", 'nothing follows "!" at character 3 of the filter'),
        ("a\tb", "the filter has a control character (U+0009) at character 2"),
        ("a\x1bb", "the filter has a control character (U+001B) at character 2"),
        ("a\0", "the filter holds a NUL character"),
        ("\udcff", "the filter is not valid UTF-8 (character 1)"),
        ("x" * 1001, "the filter is 1,001 characters long; the limit is 1,000"),
        ("x " * 51, "the filter has 51 terms; the limit is 50"),
        ("phase:final " * 50, "the filter is too long in full: 1,"),
    ],
)
def test_a_mistake_is_explained_with_what_would_work(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=re.escape(words)):
        parse(text)


def test_the_bounds_themselves_are_allowed() -> None:
    assert len(parse("x " * 50).terms) == 50
    assert parse("x" * 1000) == Filter((Word(Pattern(("x" * 1000,))),))
    assert parse(f"id:{2**63 - 1} id:{-(2**63)}").terms == (
        NumberIn("id", frozenset({9_223_372_036_854_775_807})),
        NumberIn("id", frozenset({-9_223_372_036_854_775_808})),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("st", ["status:"]),
        ("a p", ["priority:", "phase:"]),
        ("!T", ["!type:", "!tag:"]),
        ("ag", ["age<"]),
        ("status:f", ["status:failed"]),
        ("x !status:failed,C", ["!status:failed,created", "!status:failed,cancelled"]),
        ("status:failed,f", []),
        ("phase:", ["phase:initial", "phase:running", "phase:error", "phase:final"]),
        ("held:", ["held:yes", "held:no"]),
        ("held:yes", []),
        ("type:e", []),
        ("nothing", []),
        ('"st', []),
        ('"st"', []),
    ],
)
def test_the_last_word_is_completed(text: str, expected: list[str]) -> None:
    assert completions(text) == expected


@pytest.mark.parametrize("text", ["", "status:failed "])
def test_a_new_word_can_be_any_field(text: str) -> None:
    offered = completions(text)
    assert [word.rstrip(":<") for word in offered] == list(FIELDS)


@pytest.mark.parametrize("text", ["status:", "a !phase:", "held:"])
def test_every_completed_value_is_a_filter(text: str) -> None:
    offered = completions(text)
    assert len({str(parse(word)) for word in offered}) == len(offered) >= 2
