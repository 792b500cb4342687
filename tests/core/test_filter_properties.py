"""Filters: promises that hold for whatever is typed and whatever is matched."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta

from hypothesis import assume, example, given
from hypothesis import strategies as st

from core.filter_parser import completions, parse
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
    Term,
    TypeLike,
    Word,
)
from core.refusals import BadInput
from core.status import Status
from tests.core.test_filters import CARD, NOW, matches

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
pieces = st.lists(texts, max_size=2)


@st.composite
def patterns(draw: st.DrawFn) -> Pattern:
    """Patterns as the parser makes them: empty pieces at the ends only."""
    if draw(st.booleans()):
        return Pattern((draw(st.one_of(texts, st.just(""))),))
    ends = st.one_of(texts, st.just(""))
    return Pattern((draw(ends), *draw(pieces), draw(ends)))


some_patterns = st.lists(patterns(), min_size=1, max_size=3).map(tuple)
integers = st.integers(-(2**63), 2**63 - 1)
number_fields = st.sampled_from(["id", "priority", "attempt"])
comparisons = st.sampled_from(["<", "<=", ">", ">="])
terms: st.SearchStrategy[Term] = st.one_of(
    st.builds(Word, patterns(), negated=st.booleans()),
    st.builds(StatusIn, st.frozensets(st.sampled_from(Status), min_size=1), negated=st.booleans()),
    st.builds(TypeLike, some_patterns, negated=st.booleans()),
    st.builds(KeyLike, some_patterns, negated=st.booleans()),
    st.builds(Tag, texts, st.one_of(st.just(()), some_patterns), negated=st.booleans()),
    st.builds(NumberIn, number_fields, st.frozensets(integers, min_size=1, max_size=3), negated=st.booleans()),
    st.builds(Compare, number_fields, comparisons, integers, negated=st.booleans()),
    st.builds(Age, comparisons, st.timedeltas(timedelta(0), timedelta(days=3653)), negated=st.booleans()),
    st.builds(Held, st.booleans(), negated=st.booleans()),
)


@given(st.lists(terms, max_size=5))
def test_any_filter_reads_back_as_it_is_written(found: list[Term]) -> None:
    written = str(Filter(tuple(found)))
    assume(len(written) <= 1_000)
    assert parse(written) == Filter(tuple(found))


@given(st.text('statuskey:!"*\\,=<> ab', max_size=40))
@example('!"')
@example("\\")
@example('"\\')
@example('"\\"')
@example("tag:=x")
@example("tag:a*=x")
@example("a==b")
@example("<")
def test_whatever_is_typed_is_understood_or_explained(text: str) -> None:
    try:
        found = parse(text)
    except BadInput as refused:
        sentence = str(refused)
    else:
        sentence = "understood"
        assert parse(str(found)) == found
        assert isinstance(found.matches(CARD, NOW), bool)
    assert 5 < len(sentence) < 300
    assert all(isinstance(word, str) for word in completions(text))


small = st.text("aAb*", max_size=8)


@given(small, st.text("aAbB", max_size=10))
def test_a_wildcard_is_anything_and_the_pattern_covers_the_whole_text(pattern: str, text: str) -> None:
    assume(pattern)
    expression = ".*".join(map(re.escape, pattern.split("*")))
    job = replace(CARD, job_key=text, job_type="-", tags={}, command_text="-")
    assert matches(f"key:{pattern}", job) == bool(re.fullmatch(expression, text, re.IGNORECASE))
    assert matches(pattern, job) == bool(re.search(expression, text, re.IGNORECASE) or set(pattern) == {"*"})


@given(patterns(), st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=20), st.booleans())
@example(Pattern(("A_%", "\\")), "a_%x\\", False)
@example(Pattern(("k",)), "\u212a", True)
def test_a_pattern_means_what_like_means_in_the_database(pattern: Pattern, text: str, part: bool) -> None:
    escaped = [re.sub(r"([\\%_])", r"\\\1", piece) for piece in pattern.pieces]
    like = "%".join(["", *escaped, ""] if part else escaped)
    with closing(sqlite3.connect(":memory:")) as database:
        (expected,) = database.execute("SELECT ? LIKE ? ESCAPE '\\'", (text, like)).fetchone()
    assert (pattern.within(text) if part else pattern.matches(text)) == bool(expected)


@given(patterns(), st.lists(texts, min_size=5, max_size=5))
def test_a_pattern_describes_every_text_made_from_it(pattern: Pattern, between: list[str]) -> None:
    made = pattern.pieces[0] + "".join(map(str.__add__, between, pattern.pieces[1:]))
    assert pattern.matches(made)
    assert pattern.within(f"before {made} after")


@given(terms)
def test_a_negated_term_holds_exactly_when_the_plain_one_does_not(term: Term) -> None:
    assert replace(term, negated=not term.negated).matches(CARD, NOW) is not term.matches(CARD, NOW)


@given(st.sampled_from(["priority", "attempt", "id"]), comparisons, st.integers(-3, 3), st.integers(-3, 3))
def test_numbers_compare_as_numbers(name: str, op: str, number: int, limit: int) -> None:
    expected = {"<": number < limit, "<=": number <= limit, ">": number > limit, ">=": number >= limit}[op]
    job = replace(CARD, **{name: number})  # type: ignore[arg-type]
    assert matches(f"{name}{op}{limit}", job) is expected
    assert matches(f"!{name}{op}{limit}", job) is not expected
    assert matches(f"{name}:{limit}", job) is (number == limit)
