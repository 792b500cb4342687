"""Templates: kept whole, named once, removed softly."""

from datetime import timedelta

import pytest

from core.ids import uuid7
from core.jobs import Command, Gate, NewJob, NewSchedule
from core.refusals import BadInput, NoSuchThing, Refused
from store.store import Store
from tests.conftest import START, Clock
from tests.store.raw import RawStore

WHOLE = NewJob(
    job_type="etl",
    job_key="k",
    command=Command(("a", "b"), cwd="/", env={"E": "1"}, shell=True),  # noqa: S604 - only stored
    params={"n": [1]},
    tags={"t": "u"},
    priority=3,
    timeout=timedelta(seconds=5),
    draft=True,
    held=True,
    approval=Gate("sure?", four_eyes=True, expires_after=timedelta(hours=1)),
    max_retries=7,
    backoff="exponential:2s:1m",
    concurrency_key="db",
)


@pytest.mark.parametrize("new", [NewJob(), WHOLE])
def test_a_template_gives_back_the_job_it_was_made_of(store: Store, new: NewJob) -> None:
    with store.write("ann") as work:
        made = work.add_template("nightly", new)
    kept = {name: getattr(made.new_job, name) for name in NewJob.__slots__ if name != "template_id"}
    assert kept == {name: getattr(new, name) for name in NewJob.__slots__ if name != "template_id"}
    assert made.new_job.template_id == made.template_id
    assert (made.name, made.created_by, made.created_at) == ("nightly", "ann", START)


def test_a_job_from_a_template_names_it(store: Store) -> None:
    with store.write("ann") as work:
        template = work.add_template("nightly", WHOLE)
        assert work.job(work.submit(template.new_job).id).template_id == template.template_id


def test_a_name_is_taken_until_its_template_is_removed(store: Store, raw: RawStore) -> None:
    with store.write("ann") as work:
        work.add_template("x", NewJob())
        with pytest.raises(Refused, match='there is a template "x" already'):
            work.add_template("x", NewJob())
        work.remove_template("x")
        work.add_template("x", NewJob())
    assert raw.run("SELECT count(*), count(removed_at) FROM job_templates").fetchone()[:] == (2, 1)


def test_a_replaced_template_keeps_its_identity(store: Store, clock: Clock) -> None:
    with store.write("ann") as work:
        old = work.add_template("x", WHOLE)
    later = clock.forward(hours=1)
    with store.write("bob") as work:
        new = work.replace_template("x", NewJob(job_type="other"))
        # What was read from it can be given back to it.
        again = work.replace_template("x", new.new_job)
    assert (new.template_id, new.created_at, new.updated_at) == (old.template_id, START, later)
    assert (new.new_job.job_type, new.new_job.params) == ("other", {})
    assert again == new


def test_a_template_in_use_stays(store: Store) -> None:
    with store.write("ann") as work:
        work.add_template("x", NewJob())
        work.add_schedule(NewSchedule("s", "x", "0 * * * *"))
        with pytest.raises(Refused, match='template "x" is used by schedule "s"; remove it first'):
            work.remove_template("x")
        work.remove_schedule("s")
        work.remove_template("x")
        with pytest.raises(NoSuchThing, match='there is no template "x"'):
            work.remove_template("x")


def test_an_unknown_template_can_not_be_replaced(store: Store) -> None:
    with pytest.raises(NoSuchThing, match='there is no template "y"'), store.write("ann") as work:
        work.replace_template("y", NewJob())


@pytest.mark.parametrize(
    ("name", "new", "words"),
    [
        ("", NewJob(), "the name of a template is empty"),
        ("x" * 101, NewJob(), "the limit is 100"),
        ("x", NewJob(priority=2_000_000), "the priority is"),
        ("x", NewJob(backoff="?"), "is not a backoff"),
        ("x", NewJob(scheduled_run_time=START), "scheduled_run_time belongs to one job"),
        ("x", NewJob(job_id=uuid7(1)), "job_id belongs to one job"),
    ],
)
def test_a_template_is_checked_like_a_job(store: Store, name: str, new: NewJob, words: str) -> None:
    with pytest.raises(BadInput, match=words), store.write("ann") as work:
        work.add_template(name, new)
