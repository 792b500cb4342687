"""`events`: everything that happens, in its order, once, also to whoever was interrupted."""

import json
import threading
from typing import Any

import pytest

from store.store import Store
from tests.console.conftest import Cli
from tests.store.running_jobs import submit


def documents(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_last_events_are_told_oldest_first(cli: Cli) -> None:
    cli("submit", "--", "a")
    cli("submit", "--", "b")
    cli("cancel", "1", "--reason", "no need")
    out = cli("events", "-n", "2").out.splitlines()
    assert out[0].startswith("2026-03-02 09:00:00 job 2 submit QUEUED by ")
    assert out[1].startswith("2026-03-02 09:00:00 job 1 cancel CANCELLED by ")
    assert out[1].endswith(": no need")
    assert cli("events", "-n", "0").out == ""


def test_an_empty_store_says_so(cli: Cli) -> None:
    assert cli("events").out == "nothing has happened yet; try: jobdeck submit -- echo hello\n"
    assert cli("events", "--json").out == ""


def test_whoever_was_interrupted_goes_on_and_misses_nothing(cli: Cli) -> None:
    for _ in range(3):
        cli("submit", "--", "a")
    first = documents(cli("events", "--json", "-n", "1").out)
    assert [one["event_id"] for one in first] == [3]
    assert set(first[0]) == {
        "event_id", "id", "job_id", "previous_status", "new_status", "event", "actor", "reason", "metadata",
        "created_at",
    }  # fmt: skip
    cli("cancel", "2")
    assert [(one["event_id"], one["event"]) for one in documents(cli("events", "--json", "--after", "3").out)] == [
        (4, "cancel")
    ]


def test_a_filter_leaves_the_others_out(cli: Cli) -> None:
    cli("submit", "--type", "etl", "--", "a")
    cli("submit", "--type", "web", "--", "a")
    for extra in ((), ("--after", "0")):
        assert [one["id"] for one in documents(cli("events", "--json", "--filter", "type:web", *extra).out)] == [2]


def test_who_follows_is_told_as_it_happens(cli: Cli, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = threading.Event()
    seen: list[str] = []

    class Enough(BaseException): ...

    def wrote(text: str = "") -> None:
        seen.append(text)
        begun.set()
        if len(seen) == 4:
            raise Enough

    monkeypatch.setattr("console.cli.events.line", wrote)
    submit(store)

    def go_on() -> None:
        assert begun.wait(30)
        with Store(store.path) as other:
            for _ in range(3):
                submit(other)

    writer = threading.Thread(target=go_on)
    writer.start()
    with pytest.raises(Enough):
        cli("events", "-f", "--json")
    writer.join()
    assert [json.loads(text)["event_id"] for text in seen] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--after", "1", "--last", "1"), "one of the two"),
        (("--last", "-1"), "count from 0"),
        (("--after", "x"), "--after"),
    ],
)
def test_a_place_that_is_none_is_refused(cli: Cli, arguments: tuple[str, ...], words: str) -> None:
    ran = cli("events", *arguments)
    assert ran.code == 2
    assert words in ran.err
