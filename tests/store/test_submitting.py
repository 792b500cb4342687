"""Submitting: what is checked, what is stored, and what a taken key means."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from core.ids import uuid7
from core.jobs import Command, Gate, NewJob
from core.refusals import BadInput, Refused
from core.status import Status
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore
from tests.store.telling import Line, history, row_of


def submit(store: Store, new: NewJob, if_exists: str = "error") -> int:
    with store.write("ann") as work:
        return work.submit(new, if_exists).id


def test_a_plain_job_is_queued_with_its_own_id_as_its_key(store: Store, raw: RawStore) -> None:
    row = row_of(raw, submit(store, NewJob(command=Command(("true",)))))
    assert (row["status"], row["job_key"], row["ready"], row["position"]) == ("QUEUED", row["job_id"], 1, 100)
    assert history(raw, row["id"]) == [Line("submit", "ann", None)]


def test_jobs_line_up_behind_the_last_of_their_priority(store: Store) -> None:
    with store.write("ann") as work:
        made = [work.job(work.submit(NewJob(priority=priority)).id) for priority in (0, 5, 0, 5)]
    assert [job.position for job in made] == [100, 100, 200, 200]


def test_a_job_for_later_is_not_ready_and_one_for_now_is(store: Store, raw: RawStore) -> None:
    later = submit(store, NewJob(scheduled_run_time=START + timedelta(hours=1)))
    now = submit(store, NewJob(scheduled_run_time=START))
    assert [row_of(raw, number)["ready"] for number in (later, now)] == [0, 1]


def test_a_draft_is_recorded_but_not_queued(store: Store, raw: RawStore) -> None:
    row = row_of(raw, submit(store, NewJob(draft=True)))
    assert (row["status"], row["queued_at"], row["position"]) == ("CREATED", None, 0)
    assert history(raw, row["id"]) == [Line("draft", "ann", None)]


def test_everything_that_was_handed_in_is_read_back(store: Store) -> None:
    new = NewJob(
        job_type="etl",
        job_key="nightly",
        command=Command(("sh", "-c", "echo ü"), cwd="/tmp", env={"A": "b\nc"}, shell=True),  # noqa: S604 - only stored
        params={"n": [1, None, "x"]},
        tags={"env": "prod"},
        priority=-7,
        deadline_at=START + timedelta(hours=2),
        timeout=timedelta(minutes=3),
        held=True,
        approval=Gate("sure?", four_eyes=True, expires_after=timedelta(hours=1)),
        max_retries=9,
        backoff="exponential:2s:1m",
        concurrency_key="db",
    )
    with store.write("ann") as work:
        job = work.job(work.submit(new).id)
    for name in (
        "job_type", "job_key", "command", "params", "tags", "priority", "deadline_at", "timeout", "held", "approval",
        "max_retries", "backoff", "concurrency_key",
    ):  # fmt: skip
        assert getattr(job, name) == getattr(new, name), name


@pytest.mark.parametrize(
    ("new", "words"),
    [
        (NewJob(job_type=" "), "the job type is empty"),
        (NewJob(job_type="x" * 101), "the limit is 100"),
        (NewJob(job_key="a\x1bb"), "control character"),
        (NewJob(job_key="k" * 201), "the limit is 200"),
        (NewJob(concurrency_key="k" * 201), "the concurrency key is 201"),
        (NewJob(priority=1_000_001), "the priority is 1000001"),
        (NewJob(priority=True), "the priority is True"),
        (NewJob(max_retries=101), "use 0 to 100"),
        (NewJob(backoff="sometimes"), "is not a backoff"),
        (NewJob(timeout=timedelta(0)), "the timeout must be longer"),
        (NewJob(params={"x": "y" * 1_048_577}), "params is"),
        (NewJob(params={"x": float("nan")}), "JSON does not know"),
        (NewJob(tags={"a": 1}), "the tag a must be a text"),  # type: ignore[dict-item]
        (NewJob(tags={"": "x"}), "the name of a tag is empty"),
        (NewJob(tags={str(n): "" for n in range(101)}), "the limit is 100"),
        (NewJob(command=Command(("a", "b\0"))), "NUL"),
        (NewJob(command=Command(("",))), "the command is empty"),
        (NewJob(command=Command(("a\udcff",))), "not valid UTF-8"),
        (NewJob(command=Command(("a" * 1_048_577,))), "the limit is 1 MiB"),
        (NewJob(command=Command(("a",), cwd="")), "the working directory is empty"),
        (NewJob(command=Command(("a",), env={"A=B": "c"})), "has a = in its name"),
        (NewJob(command=Command(("a",), env={"A": "\0"})), "NUL"),
        (NewJob(approval=Gate("")), "the approval message is empty"),
        (NewJob(approval=Gate("x", expires_after=timedelta(0))), "must expire after"),
        (NewJob(deadline_at=START), "has passed already"),
        (
            NewJob(scheduled_run_time=START + timedelta(hours=2), deadline_at=START + timedelta(hours=1)),
            "could never start",
        ),
        (NewJob(scheduled_run_time=datetime(2027, 1, 1)), "has no time zone"),
        (NewJob(job_id="42"), "must be a UUID"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_stored(store: Store, raw: RawStore, new: NewJob, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        submit(store, new)
    assert raw.run("SELECT count(*) FROM jobs").fetchone()[0] == 0


def test_an_unknown_way_to_treat_a_taken_key_is_refused(store: Store) -> None:
    with pytest.raises(BadInput, match="use error, return, replace"):
        submit(store, NewJob(), "perhaps")


def test_a_taken_key_is_refused_naming_the_live_job(store: Store) -> None:
    first = submit(store, NewJob(job_key="k"))
    with pytest.raises(Refused, match=f'job {first} of type "command" with key "k" is QUEUED already'):
        submit(store, NewJob(job_key="k"))


def test_the_same_key_under_another_type_is_free(store: Store) -> None:
    assert submit(store, NewJob(job_key="k")) != submit(store, NewJob(job_type="other", job_key="k"))


def test_a_refused_submit_leaves_the_transaction_usable(store: Store, raw: RawStore) -> None:
    with store.write("ann") as work:
        work.submit(NewJob(job_key="k"))
        with pytest.raises(Refused):
            work.submit(NewJob(job_key="k"))
        work.submit(NewJob(job_key="l"))
    assert [row["job_key"] for row in raw.run("SELECT job_key FROM jobs ORDER BY id")] == ["k", "l"]


def test_return_gives_the_live_job(store: Store) -> None:
    first = submit(store, NewJob(job_key="k"))
    with store.write("ann") as work:
        answer = work.submit(NewJob(job_key="k"), "return")
    assert (answer.id, answer.created, answer.replaced) == (first, False, None)


def test_replace_cancels_the_live_job_and_says_so(store: Store, raw: RawStore) -> None:
    first = submit(store, NewJob(job_key="k"))
    with store.write("bob") as work:
        answer = work.submit(NewJob(job_key="k"), "replace")
    assert (answer.created, answer.replaced) == (True, first)
    assert row_of(raw, first)["status"] == "CANCELLED"
    assert history(raw, first)[-1] == Line("cancel", "bob", "replaced by a new submission")
    assert row_of(raw, answer.id)["status"] == "QUEUED"


def test_a_running_job_is_not_replaced(store: Store, raw: RawStore) -> None:
    key = raw.job_in(Status.RUNNING)
    with pytest.raises(Refused, match="is RUNNING and can't be replaced; cancel it first with: jobdeck cancel"):
        submit(store, NewJob(job_type="t", job_key=key), "replace")


def test_a_chosen_job_id_is_submitted_once_even_after_it_has_ended(store: Store, clock: Clock) -> None:
    chosen = uuid7(1)
    with store.write("ann") as work:
        first = work.submit(NewJob(job_id=chosen, job_key="k"))
        work.cancel(first.id)
    clock.forward(hours=1)
    with store.write("ann") as work:
        again = work.submit(NewJob(job_id=chosen, job_key="k"))
    assert (first.created, again.created, again.id, again.job_id) == (True, False, first.id, chosen)


def test_two_connections_can_not_both_take_a_key(make_store: Callable[[], Store]) -> None:
    submit(make_store(), NewJob(job_key="k"))
    with pytest.raises(Refused, match="is QUEUED already"):
        submit(make_store(), NewJob(job_key="k"))


def test_a_direct_job_needs_a_reservation_that_stands(store: Store, clock: Clock) -> None:
    with pytest.raises(Refused, match="there is no such reservation"):
        submit(store, NewJob(reservation_id=uuid7(1)))
    with store.write("ann") as work:
        reservation = work.reserve("ann").reservation_id
        assert work.job(work.submit(NewJob(reservation_id=reservation)).id).reservation_id == reservation
    with pytest.raises(BadInput, match="can't be a draft, held, or scheduled"):
        submit(store, NewJob(reservation_id=reservation, held=True))
    clock.forward(minutes=6)
    with pytest.raises(Refused, match="that reservation has ended"):
        submit(store, NewJob(reservation_id=reservation))
