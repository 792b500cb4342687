"""The engine's end of the line: whatever is said to it, it answers in words, never waits and never breaks."""

import json
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.machine import exchange as module
from core.machine.wire import LINE_LIMIT, SOCKET, connected
from tests.machine.board import Board
from tests.machine.waiting import until


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Board]:
    made = Board(tmp_path)
    yield made
    made.close()


def word(name: str, **said: object) -> bytes:
    return json.dumps({"exec_id": "e", "secret": "s", "word": name, **said}).encode() + b"\n"


def test_a_job_is_heard_with_all_it_said_and_answered(board: Board) -> None:
    caller = board.call()
    assert board.answer(caller, word("progress", share=40)) == {"heard": "progress"}
    (heard,) = board.heard
    assert (heard.exec_id, heard.secret, heard.name, heard.said) == ("e", "s", "progress", {"share": 40})


def test_an_answer_may_come_later_and_after_the_caller_has_gone(board: Board) -> None:
    patient, hasty = board.call(), board.call()
    for caller in (patient, hasty):
        board.send(caller, word("later"))
    board.until(lambda: len(board.heard) == 2, "both were heard")
    hasty.close()
    for heard in board.heard:
        heard.reply({"granted": True})
    assert board.answers(patient) == [{"granted": True}]
    assert board.still_answers()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"garbage\n", "not valid JSON"),
        (b"\n", "empty"),
        (b"\xff\xfe\x00\n", "UTF-8"),
        (b'{"word": "\xc3"}\n', "UTF-8"),
        (b'{"exec_id": "\\ud800", "secret": "s", "word": "w"}\n', "UTF-8"),
        (b"[1, 2]\n", "JSON object"),
        (b"null\n", "JSON object"),
        (b"{}\n", "exec_id, secret and word"),
        (b'{"exec_id": 1, "secret": "s", "word": "w"}\n', "exec_id, secret and word"),
        (b'{"exec_id": "e", "secret": null, "word": "w"}\n', "exec_id, secret and word"),
        (b'{"exec_id": "e", "secret": "s", "word": "w", "share": NaN}\n', "NaN"),
        (b'{"exec_id": "e", "exec_id": "f"}\n', "twice"),
        (b"[" * 10_000 + b"\n", "nested"),
        (b'{"ask": "everything"}\n', "everything"),
        (b'{"ask": 7}\n', "exec_id, secret and word"),
    ],
)
def test_what_is_no_message_is_refused_in_words_and_the_line_stays_open(board: Board, said: bytes, why: str) -> None:
    caller = board.call()
    answer = board.answer(caller, said)
    assert (why in answer["error"], answer["code"]) == (True, 2), answer
    assert board.heard == []
    assert board.answer(caller, word("heartbeat")) == {"heard": "heartbeat"}


def test_lines_may_come_in_halves_and_many_at_once(board: Board) -> None:
    caller = board.call()
    message = word("progress", message="half ½")
    for byte in message[:-1]:
        board.send(caller, bytes([byte]))
        board.round()
    assert board.heard == []
    assert board.answer(caller, b"\n") == {"heard": "progress"}
    board.send(caller, word("one") + word("two") + word("three")[:10])
    assert board.answers(caller, 2) == [{"heard": "one"}, {"heard": "two"}]
    assert board.answer(caller, word("three")[10:]) == {"heard": "three"}


def test_a_line_that_never_ends_is_not_kept_and_is_refused_when_it_does(board: Board) -> None:
    caller = board.call()
    for _ in range(10):
        board.send(caller, b"x" * 1_000_000)
    kept = [len(call._incoming) for call in board.switchboard._exchange._calls]
    assert max(kept) <= LINE_LIMIT + 65_536
    answer = board.answer(caller, b"\n")
    assert answer == {"error": "that is more than 2 MiB; a checkpoint or a result takes at most 1 MiB", "code": 2}
    assert board.answer(caller, word("heartbeat")) == {"heard": "heartbeat"}


def test_the_largest_line_that_may_be_said_is_heard(board: Board) -> None:
    caller = board.call()
    value = "x" * (LINE_LIMIT - len(word("checkpoint", value="")) + 1)
    assert board.answer(caller, word("checkpoint", value=value)) == {"heard": "checkpoint"}
    assert board.heard[0].said == {"value": value}


def test_who_reads_nothing_is_not_waited_for_and_costs_no_turning(board: Board) -> None:
    caller = board.call()
    board.send(caller, word("later") * 2)
    board.until(lambda: len(board.heard) == 2, "both were heard")
    for heard in board.heard:
        heard.reply({"checkpoint": "x" * 1_000_000})
    caller.send(word("progress"))
    for _ in range(3):
        board.round()
    begun = time.monotonic()
    board.waiter.wait(0.05)
    assert time.monotonic() - begun >= 0.05, "the loop turns without a pause"
    assert board.still_answers()
    *large, small = board.answers(caller, 3)
    assert [len(one["checkpoint"]) for one in large] == [1_000_000, 1_000_000]
    assert small == {"heard": "progress"}


def test_who_goes_in_the_middle_of_anything_leaves_nothing_behind(board: Board) -> None:
    before = len(os.listdir("/proc/self/fd"))
    for message in (b"", b"half a line", word("later"), word("heartbeat") * 3):
        caller = board.call()
        board.send(caller, message)
        board.round()
        caller.close()
    board.until(lambda: not board.switchboard._exchange._calls, "all calls have ended")
    board.round()
    assert len(os.listdir("/proc/self/fd")) == before
    assert board.still_answers()


def test_more_callers_than_there_is_room_for_have_to_wait_their_turn(
    board: Board, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_CALLS", 20)
    callers = [board.call() for _ in range(60)]
    for caller in callers:
        caller.send(word("heartbeat"))
    board.until(lambda: len(board.heard) == 20, "as many as there is room for are heard")
    for _ in range(5):
        board.round()
    assert len(board.heard) == 20
    for served in range(60):
        assert board.answers(callers[served]) == [{"heard": "heartbeat"}]
        callers[served].close()
    assert len(board.heard) == 60
    assert board.still_answers()


def test_hundreds_of_callers_at_once_are_all_served(board: Board) -> None:
    callers = []
    for _ in range(400):
        callers.append(board.call())
        callers[-1].send(word("heartbeat"))
        board.round()
    for caller in callers:
        assert board.answers(caller) == [{"heard": "heartbeat"}]


def test_when_it_closes_everybody_is_hung_up_on_and_nobody_can_call(tmp_path: Path) -> None:
    board = Board(tmp_path)
    caller = board.call()
    board.round()
    board.switchboard.close()
    until(lambda: board.hung_up(caller), "the caller was hung up on")
    with pytest.raises(OSError, match="No such file"):
        connected(tmp_path / SOCKET, 1)
    board.waiter.close()
    caller.close()


def test_one_that_stood_still_does_not_take_away_the_socket_of_its_successor(tmp_path: Path) -> None:
    old = Board(tmp_path)
    new = Board(tmp_path)
    old.close()
    assert new.still_answers()
    new.close()


def test_the_socket_of_a_dead_engine_is_taken_over_and_is_its_users_only(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(tmp_path / SOCKET))
    board = Board(tmp_path)
    assert board.still_answers()
    assert (tmp_path / SOCKET).stat().st_mode & 0o777 == 0o600
    board.close()


@pytest.mark.parametrize("length", [20, 90, 110, 600, 3000])
def test_a_socket_can_be_met_in_a_directory_with_a_path_of_any_length(tmp_path: Path, length: int) -> None:
    directory = tmp_path
    while len(os.fsencode(directory)) < length:
        directory = directory / ("d" * min(200, max(1, length - len(os.fsencode(directory)) - 1)))
        directory.mkdir()
    held = os.listdir("/proc/self/fd")
    board = Board(directory)
    assert board.still_answers()
    assert os.listdir(directory) == [SOCKET]
    board.close()
    assert os.listdir("/proc/self/fd") == held
