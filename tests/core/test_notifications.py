"""When a delivery is tried again, when a gate is about to expire, and what is told of a target."""

from datetime import UTC, datetime, timedelta
from random import Random

from core.notifications import DELAYS, Program, Terminal, Webhook, body, next_attempt, trial, warn_at

NOW = datetime(2031, 5, 1, 9, tzinfo=UTC)


def test_a_delivery_is_tried_again_ever_later_and_given_up_after_days() -> None:
    at, instants = NOW, []
    for attempts in range(1, 100):
        later = next_attempt(attempts, at, Random(1))
        if later is None:
            break
        instants.append(later - at)
        at = later
    assert len(instants) == len(DELAYS)
    assert instants == sorted(instants)
    assert timedelta(days=3) < at - NOW < timedelta(days=4)


def test_what_failed_together_does_not_come_back_together() -> None:
    rng = Random(1)
    assert len({next_attempt(3, NOW, rng) for _ in range(10)}) == 10


def test_a_gate_is_about_to_expire_in_its_last_quarter_of_an_hour_or_its_last_quarter() -> None:
    assert warn_at(NOW, NOW + timedelta(days=1)) == NOW + timedelta(days=1) - timedelta(minutes=15)
    assert warn_at(NOW, NOW + timedelta(minutes=8)) == NOW + timedelta(minutes=6)


def test_only_the_body_that_is_sent_has_the_token() -> None:
    told = trial("ops", "id", NOW)
    assert "token" not in body(told, "buildbox", None)["data"]
    assert body(told, "buildbox", "abc")["data"]["token"] == "abc"
    assert "token" not in told.payload


def test_a_target_in_words_keeps_its_secrets() -> None:
    webhook = Webhook("ops", url="https://hooks.example.com/T0/secret-path?key=1", secrets=(b"s3cret" * 5,))
    assert webhook.where == "https://hooks.example.com"
    assert "secret" not in repr(webhook)
    assert "s3cret" not in repr(webhook)
    assert webhook.mark != Webhook("ops", url="https://hooks.example.com/T0/other").mark
    assert Program("page", command=("/bin/page", "--key", "abc")).where == "/bin/page"
    assert Terminal("here").where == "open consoles (bell)"
