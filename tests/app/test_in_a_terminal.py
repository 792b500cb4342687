"""The installed program in a real terminal: what an operator does with it in a morning, and how it is left."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import pytest

from core.jobs import Gate
from core.status import Status
from tests.app.emulator import Terminal
from tests.machine.deck import Deck
from tests.machine.waiting import runs

OpenTerminal = Callable[..., Terminal]


@pytest.fixture
def deck(tmp_path: Path, blank_store: Path) -> Iterator[Deck]:
    deck = Deck(tmp_path / "home", blank_store, 'slots = 1\ngrace = "20s"\n')
    yield deck
    deck.close()


@pytest.fixture
def terminal(deck: Deck) -> Iterator[OpenTerminal]:
    opened: list[Terminal] = []

    def make(
        *arguments: str, columns: int = 80, lines: int = 24, errors: IO[bytes] | None = None, **more: str
    ) -> Terminal:
        environment = {**deck.environment, **more}
        opened.append(Terminal(*arguments, environment=environment, columns=columns, lines=lines, errors=errors))
        return opened[-1]

    yield make
    for one in opened:
        one.close()


def order(deck: Deck) -> list[int]:
    """The queue."""
    with deck.store.read() as views:
        return [row.id for row in views.queue_window(0, 100).rows]


def restored(at: Terminal) -> bool:
    """Whether the terminal was given back as it was: its own screen, its cursor, no mouse."""
    return all(at.written.rfind(off) > at.written.rfind(on) for on, off in MODES if on in at.written)


MODES = [
    (b"\x1b[?1049h", b"\x1b[?1049l"),
    (b"\x1b[?25l", b"\x1b[?25h"),
    (b"\x1b[?1000h", b"\x1b[?1000l"),
    (b"\x1b[?1003h", b"\x1b[?1003l"),
    (b"\x1b[?2004h", b"\x1b[?2004l"),
]


def test_a_morning_at_the_console(deck: Deck, terminal: OpenTerminal, tmp_path: Path) -> None:
    ready, go = tmp_path / "ready", tmp_path / "go"
    asks = deck.submit("true", job_key="asks", approval=Gate("ship it?"), priority=9)
    runner = deck.shell(f"touch {ready}; until [ -e {go} ]; do sleep 0.05; done", job_key="runs", priority=8)
    first, second, third = (deck.submit("true", job_key=key, held=True) for key in ("first", "second", "third"))
    # What a shell once exported about another terminal.
    at = terminal(COLUMNS="120", LINES="50")
    at.shows("Welcome to jobdeck")
    at.press("enter")
    at.until(lambda: "leading" in at.top and "1/1 slots" in at.top and ready.exists(), "the engine leads, and runs")
    at.until(lambda: "Welcome" not in at.text and "third" in at.text, "the queue is seen")

    at.press("down", "u")
    at.shows(f"job {second} moved up; place 1 now")
    at.until(lambda: at.line_of(" second ") < at.line_of(" first "), "it is seen to move")
    assert order(deck) == [second, first, third]
    at.press("z")
    at.shows(f"undone: job {second} is back in place")
    assert order(deck) == [first, second, third]

    at.press("5", "a")
    at.shows("ship it?")
    at.press("tab", "y", "e", "s", "enter")
    at.shows(f"job {asks} may pass")
    at.shows("1 approved job goes on in the next free slot")

    at.press("1", "c")
    at.shows(f"Cancel job {second}")
    at.press("y")
    at.shows(f"job {second} is cancelled")
    assert deck.job(second).status is Status.CANCELLED

    at.resize(160, 48)
    at.until(lambda: all(name in at.text for name in ("Queue", "Running", "Retry chains", "Approvals")), "all panes")
    at.resize(80, 24)
    at.until(lambda: "6 History" in at.text and "─ 2 Running" not in at.text, "one pane")

    at.press("q")
    at.shows("1 job runs in this console. Leave?")
    at.press("w")
    at.shows("Waiting for 1 job")
    go.touch()
    assert at.ends() == 0
    assert restored(at)
    assert deck.job(runner).status is Status.SUCCEEDED
    assert order(deck) == [first, third]
    assert deck.jobdeck("doctor").returncode == 0


def test_the_terminal_itself_is_told(deck: Deck, terminal: OpenTerminal) -> None:
    deck.places.config.write_text('[notify.desk]\nterminal = "osc9"\nevents = ["job.failed"]\n')
    at = terminal()
    at.shows("Welcome to jobdeck")
    at.press("enter")
    at.until(lambda: "leading" in at.top, "the engine leads")
    number = deck.submit("false", job_key="a", max_retries=0)
    at.shows(f"job {number} (command a) FAILED: exit 1")
    at.until(lambda: f"\x1b]9;jobdeck: job {number} (command a) FAILED: exit 1".encode() in at.written, "it is rung")
    at.press("q")
    assert at.ends() == 0
    assert restored(at)


def test_killed_and_started_again_it_goes_on(deck: Deck, terminal: OpenTerminal, tmp_path: Path) -> None:
    go = tmp_path / "go"
    number = deck.shell(f"echo $$ >> {tmp_path}/pids; until [ -e {go} ]; do sleep 0.05; done", max_retries=3)
    at = terminal()
    at.until((tmp_path / "pids").exists, "it runs")
    at.kill()
    again = terminal()
    again.shows("Welcome to jobdeck")
    again.press("enter")
    again.shows("recovered:")
    again.until(lambda: len((tmp_path / "pids").read_text().split()) == 2, "it runs again")
    first, second = (int(pid) for pid in (tmp_path / "pids").read_text().split())
    assert first != second
    assert not runs(first)
    go.touch()
    assert deck.ends(deck.tail(number).id).status is Status.SUCCEEDED
    again.until(lambda: "0/1 slots" in again.top, "nothing runs any more")
    again.press("q")
    assert again.ends() == 0
    assert deck.jobdeck("doctor").returncode == 0


@pytest.mark.parametrize("how", ["the connection breaks", "it is told to end"])
def test_losing_the_terminal_lets_jobs_end(deck: Deck, terminal: OpenTerminal, tmp_path: Path, how: str) -> None:
    ready = tmp_path / "ready"
    script = f"trap 'sleep 0.2; echo ended well; exit 0' TERM; touch {ready}; while :; do sleep 0.05; done"
    deck.places.config.write_text('slots = 1\ngrace = "1s"\n')
    number = deck.shell(script)
    at = terminal()
    at.until(ready.exists, "it runs")
    if how == "the connection breaks":
        at.hang_up()
    else:
        at.process.send_signal(signal.SIGTERM)
    assert at.ends() == 0
    assert deck.log(number).splitlines()[-1] == "ended well"
    assert deck.job(number).status is Status.RETRYING
    assert not deck.mark.bearers()


def test_the_demo_is_alive_and_leaves_nothing_behind(terminal: OpenTerminal, tmp_path: Path) -> None:
    at = terminal("demo", columns=120, lines=40, TMPDIR=str(tmp_path))
    at.shows("Welcome to jobdeck")
    [home] = tmp_path.glob("jobdeck-demo-*")
    at.press("enter")
    at.until(lambda: "leading" in at.top and "✓" in at.top, "jobs have ended already")
    at.press("q")
    assert at.ends() == 0
    assert restored(at)
    assert not home.exists()


@pytest.mark.parametrize("arguments", [(), ("demo",), ("--read-only",)])
def test_without_a_terminal_one_sentence_says_what_to_do_instead(deck: Deck, arguments: tuple[str, ...]) -> None:
    said = deck.jobdeck(*arguments)
    assert said.returncode == 2
    assert said.stdout == ""
    assert said.stderr.count("\n") == 1
    assert "jobdeck serve" in said.stderr
    assert "jobdeck --help" in said.stderr


def test_what_was_decided_just_before_leaving_is_done(deck: Deck, terminal: OpenTerminal) -> None:
    with deck.store.write("ann") as work:
        work.pause("not yet")
    numbers = [deck.submit("true") for _ in range(20)]
    at = terminal()
    at.shows("Welcome")
    at.press("enter")
    at.until(lambda: "20 queued" in at.top and "leading" in at.top, "the queue is seen")
    at.press(*["h", "down"] * 20, "q")
    assert at.ends() == 0
    assert [deck.job(number).held for number in numbers] == [True] * 20


def test_looking_on_changes_nothing(deck: Deck, terminal: OpenTerminal) -> None:
    number = deck.submit("true")
    at = terminal("--read-only")
    at.shows("Welcome")
    at.press("enter", "c")
    at.shows("read-only")
    at.press("q")
    assert at.ends() == 0
    assert deck.job(number).status is Status.QUEUED


def test_what_goes_to_the_standard_error_stays_off_the_screen(
    deck: Deck, terminal: OpenTerminal, tmp_path: Path
) -> None:
    with (tmp_path / "errors").open("wb") as errors:
        at = terminal(errors=errors)
    at.shows("Welcome to jobdeck")
    at.press("enter", "q")
    assert at.ends() == 0
    assert restored(at)
    assert (tmp_path / "errors").read_text() == ""
    assert deck.jobdeck("doctor").returncode == 0
