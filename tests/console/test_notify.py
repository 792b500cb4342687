"""`notify`: who is told, what could not be told, trying a target out, and telling again."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from console.config import load
from core.jobs import Gate, NewJob
from store.store import Store
from tests.console.conftest import Cli
from tests.machine.receiver import KEYS, SECRETS, Answer, Receiver
from tests.store.running_jobs import HOPELESS, TRUE, WORKER, claim, rng, running, submit


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with Receiver() as made:
        yield made


@pytest.fixture
def path(store_path: Path, receiver: Receiver) -> Path:
    """A config that names a webhook, a program and a terminal."""
    path = store_path.parent / "config.toml"
    path.write_text(
        f'[notify.ops]\nurl = "{receiver.url("/secret-path")}"\nsecrets = {list(SECRETS)}\nallow_private = true\n'
        '[notify.page]\ncommand = ["/bin/false", "--key", "secret-key"]\nevents = ["job.failed"]\n'
        '[notify.desk]\nterminal = "osc9"\nevents = ["approval.wanted"]\n'
    )
    return path


@pytest.fixture
def known(path: Path, store: Store) -> Store:
    """An engine was started with it."""
    with store.write("engine") as work:
        work.know_targets(load(path).targets.values())
    return store


def fails(store: Store) -> int:
    claimed = running(store)
    with store.write("engine") as work:
        work.fail(claimed.exec_id, WORKER, HOPELESS, rng())
    return claimed.job.id


def test_without_a_target_it_says_how_to_name_one(cli: Cli, store_path: Path) -> None:
    config = store_path.parent / "config.toml"
    sentence = f"nobody is told anything; name someone under [notify.NAME] in {config}"
    assert cli("notify", "list").out == f"{sentence}\n"
    ran = cli("notify", "test")
    assert (ran.code, ran.err) == (4, f"jobdeck: {sentence}\n")
    assert cli("notify", "list", "--json").json == {"targets": [], "notifications": []}
    assert cli("notify", "retry", "--all").out == "nothing has failed, so nothing is told again\n"


@pytest.mark.usefixtures("path")
def test_a_target_that_no_engine_knows_yet_is_named(cli: Cli) -> None:
    out = cli("notify", "list").out
    assert out.startswith("ops, page, desk: told nothing until an engine has read this config\n")
    assert [one["known"] for one in cli("notify", "list", "--json").json["targets"]] == [False] * 3


def test_when_all_was_told_it_says_so(cli: Cli, known: Store) -> None:
    assert cli("notify", "list").out == "everything was told\n"
    assert cli("notify", "list", "--all").out == "nothing has been told yet\n"
    number = submit(known, NewJob(command=TRUE, approval=Gate("ship it?")))
    claim(known)
    assert f"approval.wanted  {number:>3}  desk" in cli("notify", "list", "--all").out


def test_what_failed_stands_on_top_with_its_reason(cli: Cli, known: Store) -> None:
    job = fails(known)
    with known.write("engine") as work:
        work.note_failure(2, "it ended with exit code 1\x1b[31m", None)
        work.note_failure(1, "it answered 500", known._now() + timedelta(minutes=5))
    lines = [line.split(None, 8) for line in cli("notify", "list").out.splitlines()]
    assert lines[0] == ["ID", "EVENT", "JOB", "TARGET", "STATE", "TRIES", "AGE", "NEXT", "WHY"]
    assert lines[1][:6] == ["2", "job.failed", str(job), "page", "failed", "1"]
    assert "it ended with exit code 1␛[31m" in " ".join(lines[1])
    assert lines[2][:6] == ["1", "job.failed", str(job), "ops", "retrying", "1"]
    shown = cli("notify", "list", "--json").json
    assert [one["state"] for one in shown["notifications"]] == ["failed", "retrying"]
    assert list(shown["notifications"][0]) == [
        "id",
        "notification_id",
        "event",
        "target",
        "job",
        "state",
        "attempts",
        "message",
        "last_error",
        "created_at",
        "next_attempt_at",
        "delivered_at",
        "failed_at",
    ]
    assert shown["notifications"][1]["message"] == f"job {job} (command) FAILED: it can't work"


def test_no_secret_of_a_target_is_ever_shown(cli: Cli, known: Store) -> None:
    fails(known)
    shown = [
        cli(*arguments).out + cli(*arguments).err
        for verb in (["notify", "list"], ["notify", "test"], ["config"], ["status"])
        for arguments in (verb, [*verb, "--json"])
    ]
    assert not [out for out in shown for secret in (*SECRETS, "secret-path", "secret-key") if secret in out]
    assert "http://127.0.0.1" in "".join(shown)
    assert "/bin/false" in "".join(shown)


def test_a_gates_token_is_never_shown(cli: Cli, known: Store) -> None:
    submit(known, NewJob(command=TRUE, approval=Gate("ship it?", expires_after=timedelta(hours=1))))
    claim(known)
    with known.read() as views:
        (gate,) = views.open_approvals(9)
    token = known.token_of(gate.approval_id)
    for arguments in (["notify", "list", "--all"], ["approvals"], ["show", "1"], ["history", "1"], ["status"]):
        assert token not in cli(*arguments).out
        assert token not in cli(*arguments, "--json").out


def test_a_target_is_tried_out_without_an_engine(cli: Cli, path: Path, receiver: Receiver) -> None:
    ran = cli("notify", "test", "ops")
    assert (ran.code, ran.out) == (0, f"ops was told, at http://127.0.0.1:{receiver.port}\n")
    got = receiver.next()
    assert got.json["type"] == "target.test"
    assert all(got.signed_with(key) for key in KEYS)
    assert cli("notify", "test", "desk", "--json").json == [{"target": "desk", "delivered": True, "error": None}]
    del path


@pytest.mark.usefixtures("path")
def test_trying_out_all_of_them_tells_which_failed(cli: Cli, receiver: Receiver) -> None:
    receiver.answer = lambda _: Answer(302, {"location": receiver.url("/elsewhere")})
    ran = cli("notify", "test")
    assert (ran.code, ran.out) == (1, "desk was told, at open consoles (osc9)\n")
    assert "ops was not told: it answered 302 Found; redirects are not followed" in ran.err
    assert "page was not told: it ended with exit code 1" in ran.err
    assert receiver.requests.qsize() == 1
    ran = cli("notify", "test", "pager")
    assert (ran.code, ran.err) == (4, "jobdeck: there is no target pager; there are ops, page, desk\n")


def test_what_failed_is_told_again(cli: Cli, known: Store) -> None:
    fails(known)
    with known.write("engine") as work:
        work.note_failure(1, "it answered 500", None)
        work.note_failure(2, "it ended with exit code 1", None)
    assert cli("notify", "retry", "1").out == "1 notification will be told again\n"
    assert cli("notify", "retry", "--all", "--json").json == {"retried": [2]}
    assert [one["state"] for one in cli("notify", "list", "--json").json["notifications"]] == ["pending"] * 2
    assert cli("notify", "retry", "--all").out == "nothing has failed, so nothing is told again\n"
    with known.write("engine") as work:
        work.note_delivered(1)
    ran = cli("notify", "retry", "1")
    assert (ran.code, ran.err) == (3, "jobdeck: notification 1 was delivered to ops already\n")


def test_a_target_that_is_off_is_said_to_be_and_is_switched_on_again(cli: Cli, known: Store) -> None:
    fails(known)
    with known.write("engine") as work:
        work.switch_off("ops", "it answered 410 Gone")
    sentence = "ops is switched off: it answered 410 Gone; go on with: jobdeck notify retry --target ops\n"
    assert cli("notify", "list").out.startswith(sentence)
    status = cli("status").out
    assert "told    1 failed, 1 waiting, ops is switched off; see: jobdeck notify list\n" in status
    assert cli("status", "--json").json["notifications"] == {"waiting": 1, "retrying": 0, "failed": 1, "off": ["ops"]}
    assert cli("notify", "retry", "--target", "ops").out == "1 notification will be told again\n"
    assert "switched off" not in cli("notify", "list").out
    with known.write("engine") as work:
        work.note_delivered(1)
    assert cli("notify", "retry", "--target", "ops").out == "nothing waits for ops; it is told from now on\n"


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 2, "say what is to be told again: ids, --target NAME or --all"),
        (("1", "--all"), 2, "say what is to be told again: ids, --target NAME or --all"),
        (("99",), 4, "there is no notification 99; see: jobdeck notify list --all"),
        (("--target", "nobody"), 4, "no engine has a target nobody in its config; see: jobdeck notify list"),
        (("one",), 2, ""),
    ],
)
@pytest.mark.usefixtures("known")
def test_what_can_not_be_told_again_is_refused_in_a_sentence(
    cli: Cli, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    ran = cli("notify", "retry", *arguments)
    assert (ran.code, ran.out) == (code, "")
    assert ran.err.startswith(f"jobdeck: {sentence}")


def test_a_limit_that_shows_nothing_is_refused(cli: Cli) -> None:
    assert cli("notify", "list", "--limit", "0").code == 2
