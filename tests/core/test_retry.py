"""Retries: how many, how long until the next, and when to stop."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.classify import ErrorType
from core.refusals import BadInput
from core.retry import (
    Backoff,
    BackoffKind,
    GiveUp,
    RetryAt,
    RetryPolicy,
    decide,
    parse_backoff,
)

NOW = datetime(2031, 5, 1, 9, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


def seconds(*counts: float) -> list[timedelta]:
    return [timedelta(seconds=count) for count in counts]


delays = st.timedeltas(timedelta(0), WEEK)
backoffs = st.one_of(
    st.builds(Backoff.fixed, delays),
    st.tuples(delays, delays, st.integers(2, 10), st.booleans()).map(
        lambda parts: Backoff.exponential(min(parts[:2]), max(parts[:2]), *parts[2:])
    ),
)


def test_the_default_is_three_retries_one_second_apart() -> None:
    policy = RetryPolicy()
    assert policy.max_retries == 3
    assert [policy.backoff.delay(count, Random(1)) for count in range(3)] == seconds(1, 1, 1)


def test_exponential_doubles_from_one_second_to_five_minutes() -> None:
    backoff = parse_backoff("exponential")
    expected = seconds(1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300)
    assert [backoff.longest(count) for count in range(11)] == expected


def test_a_hundred_retries_do_not_overflow() -> None:
    for backoff in (Backoff.exponential(), Backoff.exponential(WEEK, WEEK, factor=10)):
        assert backoff.longest(100) == backoff.cap
        assert backoff.delay(10**9, Random(1)) <= backoff.cap


def test_the_smallest_base_still_reaches_the_largest_cap() -> None:
    assert Backoff.exponential(timedelta(microseconds=1), WEEK).longest(100) == WEEK


def test_a_base_of_zero_never_waits() -> None:
    assert Backoff.exponential(timedelta(0)).delay(50, Random(1)) == timedelta(0)


def test_without_jitter_the_wait_is_the_full_one() -> None:
    backoff = parse_backoff("exponential:2s:1m:x3:nojitter")
    assert [backoff.delay(count, Random(1)) for count in range(5)] == seconds(2, 6, 18, 54, 60)


@given(backoffs, st.integers(0, 100), st.randoms(use_true_random=False))
def test_jitter_draws_from_nothing_to_the_full_wait(backoff: Backoff, count: int, rng: Random) -> None:
    full = min(
        backoff.cap / timedelta(microseconds=1), backoff.base / timedelta(microseconds=1) * backoff.factor**count
    )
    delay = backoff.delay(count, rng) / timedelta(microseconds=1)
    assert 0 <= delay <= full
    if not backoff.jitter:
        assert delay == pytest.approx(full)


def test_jitter_spreads_over_the_whole_range() -> None:
    rng = Random(7)
    drawn = [Backoff.exponential().delay(5, rng) / timedelta(seconds=32) for _ in range(2_000)]
    assert min(drawn) < 0.01
    assert max(drawn) > 0.99
    assert sum(drawn) / len(drawn) == pytest.approx(0.5, abs=0.05)


@given(backoffs)
def test_a_backoff_reads_back_as_it_is_written(backoff: Backoff) -> None:
    assert parse_backoff(str(backoff)) == backoff


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        ("fixed", "fixed:1s"),
        ("fixed:90s", "fixed:90s"),
        (" FIXED:1M ", "fixed:1m"),
        ("fixed:0", "fixed:0s"),
        ("fixed:1h1m1s", "fixed:3661s"),
        ("exponential", "exponential:1s:5m"),
        ("exponential:2s", "exponential:2s:5m"),
        ("exponential:10m", "exponential:10m:10m"),
        ("exponential:1s:5m", "exponential:1s:5m"),
        ("exponential:500ms:1d:x3", "exponential:500ms:1d:x3"),
        ("exponential:x2:nojitter", "exponential:1s:5m:nojitter"),
    ],
)
def test_short_forms_are_written_in_full(typed: str, written: str) -> None:
    assert str(parse_backoff(typed)) == written


@pytest.mark.parametrize(
    "text",
    [
        *("", "linear", "fixed:", "fixed:soon", "fixed:-1s", "fixed:8d", "fixed:1s:2s", "fixed:1s:nojitter"),
        *("exponential:", "exponential:1s:8d", "exponential:5m:1s", "exponential:1s:5m:9m"),
        *("exponential:1s:5m:x1", "exponential:x11", "exponential:x", "exponential:x٣"),
        *("fixed:1s\0", "fixed:\ud800", f"fixed:{'9' * 5000}s", f"exponential:x{'9' * 5000}", "x" * 100_000),
    ],
)
def test_what_is_no_backoff_is_refused_in_a_short_sentence(text: str) -> None:
    with pytest.raises(BadInput) as refusal:
        parse_backoff(text)
    assert 10 < len(str(refusal.value)) < 200


def test_the_refusal_says_what_would_work() -> None:
    with pytest.raises(BadInput, match='"linear" is not a backoff; use fixed:1s or exponential:1s:5m'):
        parse_backoff("linear")
    with pytest.raises(BadInput, match="starts at 5m cannot be capped at 1s"):
        parse_backoff("exponential:5m:1s")


def test_a_backoff_made_in_code_is_held_to_the_same_bounds() -> None:
    with pytest.raises(BadInput, match="cannot be negative"):
        Backoff.fixed(timedelta(seconds=-1))
    with pytest.raises(BadInput, match="at most 7d"):
        Backoff.exponential(cap=timedelta(days=8))
    with pytest.raises(BadInput, match="a fixed backoff has no cap"):
        Backoff(BackoffKind.FIXED, timedelta(seconds=1), timedelta(seconds=9), factor=1, jitter=False)


@pytest.mark.parametrize("count", [-1, 101])
def test_the_number_of_retries_is_bounded(count: int) -> None:
    with pytest.raises(BadInput, match=f"max retries is {count}; use 0 to 100"):
        RetryPolicy(count)


def test_retries_go_on_until_the_budget_is_used() -> None:
    policy = RetryPolicy(max_retries=3, backoff=parse_backoff("exponential:1s:5m:nojitter"))
    outcomes = [decide(policy, used, ErrorType.RETRYABLE, NOW, Random(1)) for used in range(4)]
    assert outcomes == [
        RetryAt(NOW + timedelta(seconds=1), 1),
        RetryAt(NOW + timedelta(seconds=2), 2),
        RetryAt(NOW + timedelta(seconds=4), 3),
        GiveUp("3 of 3 retries used"),
    ]


def test_a_terminal_error_is_never_retried() -> None:
    assert decide(RetryPolicy(100), 0, ErrorType.TERMINAL, NOW, Random(1)) == GiveUp("the error is terminal")


def test_no_budget_means_no_retry() -> None:
    assert decide(RetryPolicy(0), 0, ErrorType.RETRYABLE, NOW, Random(1)) == GiveUp("no retries are allowed")


def test_a_budget_that_was_cut_below_what_is_used_gives_up() -> None:
    assert decide(RetryPolicy(2), 5, ErrorType.RETRYABLE, NOW, Random(1)) == GiveUp("5 retries used, 2 allowed")


@given(st.integers(0, 100), st.integers(0, 120), st.sampled_from(ErrorType), backoffs)
def test_a_retry_comes_if_and_only_if_it_can_help_and_is_left(
    allowed: int, used: int, error_type: ErrorType, backoff: Backoff
) -> None:
    outcome = decide(RetryPolicy(allowed, backoff), used, error_type, NOW, Random(1))
    assert isinstance(outcome, RetryAt) == (error_type is ErrorType.RETRYABLE and used < allowed)
    if isinstance(outcome, RetryAt):
        assert outcome.retry_count == used + 1
        assert NOW <= outcome.at <= NOW + backoff.cap


def test_a_negative_count_is_a_mistake_that_shows() -> None:
    with pytest.raises(ValueError, match="-1 retries"):
        Backoff.fixed().delay(-1, Random(1))
