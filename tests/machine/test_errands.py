"""A submit while an engine leads: the engine's clerk does it, with the same outcome, and never twice."""

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from console.clerk import Clerk
from console.cli import errand
from console.masking import hide
from core.jobs import Command, NewJob
from core.machine.wire import connected, listening
from core.secrets import Secrets
from core.status import Status
from store.store import Store
from tests.machine.deck import Deck
from tests.machine.waiting import until

SCRIPT = """
import sys
from console.main import run
code = run(sys.argv[1:])
heavy = ("click", "sqlite3", "pysqlite3", "core.config", "sqlalchemy", "textual")
print(code, *(name for name in heavy if name in sys.modules), file=sys.stderr)
"""


@pytest.fixture
def deck(tmp_path: Path, blank_store: Path) -> Iterator[Deck]:
    made = Deck(tmp_path / "home", blank_store)
    made.places.run.mkdir(mode=0o700)
    with closing(made):
        yield made


@pytest.fixture
def clerk(deck: Deck, monkeypatch: pytest.MonkeyPatch) -> Iterator[Clerk]:
    monkeypatch.setenv("TZ", "UTC")
    with Clerk(deck.places) as made:
        until(lambda: _answers(deck), "the clerk is there")
        yield made
    hide(Secrets())


def _answers(deck: Deck) -> bool:
    with suppress(OSError):
        connected(deck.places.run / errand.SOCKET, 1.0).close()
        return True
    return False


def submit(deck: Deck, *arguments: str, cwd: Path | None = None, **env: str) -> "subprocess.CompletedProcess[str]":
    """What `jobdeck submit` says, and last on stderr its exit code and what it had to load."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=cwd,
        env={**deck.environment, "PYTHONPATH": str(Path(errand.__file__).parents[2]), **env},
    )


def said(ran: "subprocess.CompletedProcess[str]") -> tuple[str, list[str], str]:
    *asides, last = ran.stderr.splitlines()
    return ran.stdout, asides, last


def jobs(deck: Deck) -> int:
    with deck.store.read() as views:
        return sum(views.counts().values())


@pytest.mark.usefixtures("clerk")
def test_the_caller_loads_neither_the_parser_nor_the_store(deck: Deck, tmp_path: Path) -> None:
    ran = submit(deck, "submit", "--key", "k", "--tag", "a=b", "--param", "n=1", "--", "echo", "é", cwd=tmp_path)
    assert said(ran) == ("1\n", [], "0")
    job = deck.job(1)
    assert (job.status, job.job_key, dict(job.tags), dict(job.params)) == (Status.QUEUED, "k", {"a": "b"}, {"n": 1})
    assert job.command == Command(("echo", "é"), cwd=str(tmp_path))


@pytest.mark.usefixtures("clerk")
@pytest.mark.parametrize(
    "arguments",
    [
        ["submit", "--key", "taken", "--", "true"],
        ["submit", "--key", "taken", "--if-exists", "return", "--", "true"],
        ["submit", "--nonsense"],
        ["submit"],
        ["submit", "--at", "never", "--", "true"],
        ["submit", "--cwd", "~/x/../y", "--draft", "--", "true"],
        ["--json", "submit", "--key", "taken", "--if-exists", "return", "--", "true"],
    ],
)
def test_it_says_what_it_would_say_by_itself(deck: Deck, arguments: list[str]) -> None:
    deck.submit("true", job_key="taken")
    told = said(submit(deck, *arguments))
    assert "click" not in told[2]
    alone = said(submit(deck, *arguments, JOBDECK_DB=str(deck.places.db.with_name("..") / "home" / "jobdeck.db")))
    assert "click" in alone[2], "another name for the store is not the clerk's"
    if "--draft" in arguments:
        assert (told[0], alone[0]) == ("2\n", "3\n")
        assert deck.job(2).command == deck.job(3).command
    else:
        assert (told[:2], told[2][0]) == (alone[:2], alone[2][0])


@pytest.mark.usefixtures("clerk")
@pytest.mark.parametrize("arguments", [["--help"], ["--wait", "--help"], ["--from", "/nowhere"], ["--from=/nowhere"]])
def test_what_needs_the_caller_stays_with_the_caller(deck: Deck, arguments: list[str]) -> None:
    assert "click" in submit(deck, "submit", *arguments).stderr


@pytest.mark.usefixtures("clerk")
def test_a_time_is_read_by_the_callers_clock(deck: Deck) -> None:
    ran = submit(deck, "submit", "--at", "2031-05-01 06:00", "--", "true", TZ="America/New_York")
    assert ran.returncode == 0
    at = deck.job(1).scheduled_run_time
    assert at is not None
    assert at.isoformat() == "2031-05-01T10:00:00+00:00"


@pytest.mark.usefixtures("clerk")
@pytest.mark.parametrize("message", [b"[]\n", b"{}\n", b'{"argv": 1}\n', b'{"argv": ["list"]}\n', b"nonsense\n"])
def test_a_message_of_no_sense_is_answered_and_hurts_nobody(deck: Deck, message: bytes) -> None:
    with connected(deck.places.run / errand.SOCKET, 10.0) as line:
        line.sendall(message)
        assert "error" in json.loads(line.recv(65_536))
    assert said(submit(deck, "submit", "--", "true")) == ("1\n", [], "0")


@pytest.mark.usefixtures("clerk")
def test_bytes_that_are_no_text_are_refused_in_the_same_words(deck: Deck) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "console.main", "submit", "--", b"\xff"],
        capture_output=True,
        check=False,
        env=deck.environment,
        timeout=60,
        cwd=Path(errand.__file__).parents[2],
    )
    assert ran.returncode == 2
    assert b"is not valid UTF-8" in ran.stderr
    assert jobs(deck) == 0


@pytest.mark.usefixtures("clerk")
def test_a_reference_is_looked_up_by_nobody_before_its_job_starts(deck: Deck, tmp_path: Path) -> None:
    ran = submit(deck, "submit", "--env", "A=@env:TOKEN", "--env", "B=@file:b", "--", "true", cwd=tmp_path, TOKEN="x")
    assert said(ran) == ("1\n", [], "0")
    assert dict(deck.job(1).command.env) == {"A": "@env:TOKEN", "B": f"@file:{tmp_path}/b"}


@pytest.mark.usefixtures("clerk")
def test_what_the_config_hides_the_clerk_hides_too(deck: Deck) -> None:
    deck.places.config.write_text('[secrets]\npatterns = ["ghp_[a-z]+"]\n')
    shown = said(submit(deck, "--json", "submit", "--key", "ghp_abc", "--", "true"))
    assert (json.loads(shown[0])["job_key"], shown[1:]) == ("•••", ([], "0"))
    taken = said(submit(deck, "submit", "--key", "ghp_abc", "--", "true"))
    assert taken[2] == "3"
    assert "ghp_" not in str(taken)
    assert "•••" in str(taken)
    assert deck.job(1).job_key == "ghp_abc"


def test_an_engine_that_goes_before_it_answers_leaves_the_errand_to_the_caller(deck: Deck) -> None:
    with Somebody(deck, lambda _errand: None):
        assert said(submit(deck, "submit", "--", "true"))[:2] == ("1\n", [])
    assert jobs(deck) == 1


def test_an_engine_that_goes_after_it_stored_the_job_leaves_one_job(deck: Deck) -> None:
    def stored(told: dict[str, object]) -> None:
        with Store(deck.places.db) as store, store.write("ann") as work:
            work.submit(NewJob(command=Command(("true",)), job_id=str(told["job_id"])))

    with Somebody(deck, stored):
        assert said(submit(deck, "submit", "--", "true"))[:2] == ("1\n", [])
    assert jobs(deck) == 1


def test_an_engine_that_stands_still_keeps_nobody_waiting_for_long(deck: Deck) -> None:
    with closing(listening(deck.places.run / errand.SOCKET)) as deaf:
        assert said(submit(deck, "submit", "--", "true"))[:2] == ("1\n", [])
        # It wakes up, and does what it was asked for as well.
        connection, _ = deaf.accept()
        with connection, connection.makefile("rb") as lines:
            late = json.loads(lines.readline())
    with Store(deck.places.db) as store, store.write("ann") as work:
        again = work.submit(NewJob(command=Command(("true",)), job_id=str(late["job_id"])))
    assert (again.created, again.id, jobs(deck)) == (False, 1, 1)


class Somebody:
    """Takes one errand at the clerk's place, does this with it, and hangs up without a word."""

    def __init__(self, deck: Deck, act: Callable[[dict[str, object]], None]) -> None:
        self._socket = listening(deck.places.run / errand.SOCKET)
        self._socket.setblocking(True)
        self._act = act
        self._taken: dict[str, object] = {}
        self._thread = threading.Thread(target=self._work)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        self._socket.close()
        assert self._taken["argv"] == ["submit", "--", "true"]

    def _work(self) -> None:
        connection, _ = self._socket.accept()
        with connection, connection.makefile("rb") as lines:
            self._taken = json.loads(lines.readline())
            connection.shutdown(socket.SHUT_RD)
        self._act(self._taken)


def test_the_clerk_is_gone_with_the_engine(deck: Deck) -> None:
    engine = deck.serve("--until-idle")
    assert engine.ends() == 0
    assert not (deck.places.run / errand.SOCKET).exists()
    assert "click" in submit(deck, "submit", "--", "true").stderr
