"""Filters in the database: what is read is exactly what `Filter.matches` lets pass."""

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from core.filter_parser import parse
from core.filters import Filter, Pattern, Tag, Term, Word
from core.jobs import Job
from core.status import Status
from store.filtering import narrowed, statuses_of
from store.rows import job_of
from store.store import Store
from tests.conftest import START, Clock
from tests.core.test_filter_properties import terms
from tests.store.rows_for_tests import Row, insert_all

NOW = START + timedelta(days=2)

texts = st.text(st.sampled_from('aAbB%_\\"/=,: äÄK\u212aıß€'), min_size=1, max_size=6)
names = st.text(st.sampled_from("aAbB=äÄ_"), min_size=1, max_size=3)
rows = st.builds(
    Row,
    job_type=texts,
    draft=st.booleans(),
    priority=st.integers(-3, 3),
    held=st.booleans(),
    created_at=st.timedeltas(timedelta(0), timedelta(days=4)).map(lambda span: START + span),
    tags=st.dictionaries(names, texts, max_size=2),
    argv=st.lists(texts, max_size=3).map(tuple),
)
few_letters = st.one_of(
    terms,
    st.text(st.sampled_from('aAbB%_\\"/= äÄ*'), min_size=1, max_size=4).map(lambda text: Word(text=_pattern(text))),
    st.builds(lambda name, text: Tag(name, (_pattern(text),)), names, texts),
)


def _pattern(text: str) -> Pattern:
    first, *others = text.split("*")
    return Pattern((first, *filter(None, others[:-1]), *others[-1:]))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory, blank_store: Path) -> Store:
    path = tmp_path_factory.mktemp("filtering") / "jobdeck.db"
    path.write_bytes(blank_store.read_bytes())
    clock = Clock()
    clock.now = NOW
    return Store(path, now=clock)


def read(store: Store, found: Filter) -> tuple[set[int], set[int], list[Job]]:
    with store.read() as views:
        condition = narrowed(found, views.now)
        statement = f"SELECT id FROM jobs WHERE {condition.where}"
        left = {row["id"] for row in views.all(statement, **condition.values)}
        listed = {job.id for job in views.list_jobs(found, None)}
        everything = [job_of(row) for row in views.all("SELECT * FROM jobs")]
    return left, listed, everything


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
@given(st.lists(rows, min_size=1, max_size=8), st.lists(few_letters, max_size=3))
@example([Row(argv=("a", "b"))], [Word(_pattern("a b"))])
@example([Row(tags={"Env": "Prod"})], [Word(_pattern("env=prod"))])
@example([Row(tags={"ENV": "x", "env": "y"})], [Tag("env", (_pattern("y"),))])
@example([Row(argv=('say "a"',))], [Word(_pattern('"a"'))])
@example([Row(job_type="%_\\")], [Word(_pattern("%_\\"))])
def test_what_is_listed_is_what_the_filter_lets_pass(empty: Store, some: list[Row], found: list[Term]) -> None:
    connection = empty._connection
    insert_all(connection, some)
    try:
        left, listed, everything = read(empty, Filter(tuple(found)))
    finally:
        connection.execute("UPDATE jobs SET status = 'CANCELLED', finished_at = 1, cancel_requested_at = 1")
        connection.execute("DELETE FROM jobs")
    passing = {job.id for job in everything if Filter(tuple(found)).matches(job, NOW)}
    assert listed == passing
    assert left >= passing


def test_what_a_person_types_never_becomes_sql() -> None:
    typed = "x') OR 1=1 --"
    found = parse(f'key:"{typed}" type:"{typed}" tag:"{typed}"="{typed}" "{typed}"')
    condition = narrowed(found, NOW)
    assert typed not in condition.where
    assert set(condition.where) & {"'"} == {"'"}
    assert condition.where.replace("ESCAPE '\\'", "").count("'") == 0


def test_a_plain_column_is_decided_by_the_database_itself(store: Store) -> None:
    insert_all(store._connection, [Row(job_type="etl", priority=4), Row(job_type="mail", priority=5), Row(held=True)])
    for text in ("type:etl", "!type:etl", "priority>4", "held:yes", "status:queued", "!id:1,2", "age<1h", "key:*"):
        left, listed, _ = read(store, parse(text))
        assert left == listed, text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", set(Status)),
        ("status:failed", {Status.FAILED}),
        ("!status:failed phase:final", {Status.SUCCEEDED, Status.CANCELLED}),
        ("status:failed status:queued", set()),
    ],
)
def test_a_filter_knows_which_states_can_pass(text: str, expected: set[Status]) -> None:
    assert statuses_of(parse(text)) == expected
