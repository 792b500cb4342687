"""The order of the queue, moved by hand, against a plain list."""

import shutil
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.jobs import NewJob
from core.positions import Move
from core.refusals import BadInput, Refused
from core.status import Status
from store.store import Store
from store.work import Work
from tests.conftest import Clock
from tests.store.raw import RawStore
from tests.store.telling import Line, history, number_of, row_of

QUEUE = "SELECT id FROM jobs WHERE status = 'QUEUED' ORDER BY priority DESC, position, created_at, id"


def fill(store: Store, count: int, priority: int = 0) -> list[int]:
    with store.write("ann") as work:
        return [work.submit(NewJob(priority=priority)).id for _ in range(count)]


def order(work: Work) -> list[int]:
    return [row["id"] for row in work.all(QUEUE)]


@pytest.mark.parametrize(
    ("where", "expected"),
    [(Move.UP, "acbd"), (Move.DOWN, "abdc"), (Move.TOP, "cabd"), (Move.BOTTOM, "abdc")],
)
def test_a_move_goes_where_it_says(store: Store, raw: RawStore, where: Move, expected: str) -> None:
    jobs = dict(zip("abcd", fill(store, 4), strict=True))
    with store.write("bob") as work:
        work.move(jobs["c"], where)
        assert order(work) == [jobs[name] for name in expected]
    assert history(raw, jobs["c"])[1:] == [Line("move", "bob", where)]


@pytest.mark.parametrize(("where", "expected"), [(Move.BEFORE, "adbc"), (Move.AFTER, "abdc")])
def test_a_move_beside_another_job(store: Store, raw: RawStore, where: Move, expected: str) -> None:
    jobs = dict(zip("abcd", fill(store, 4), strict=True))
    with store.write("bob") as work:
        work.move(jobs["d"], where, jobs["b"])
        assert order(work) == [jobs[name] for name in expected]
    assert history(raw, jobs["d"])[1:] == [Line("move", "bob", f"{where} job {jobs['b']}")]


def test_the_first_moved_to_the_top_again_goes_below_zero(store: Store) -> None:
    jobs = fill(store, 3)
    with store.write("bob") as work:
        assert work.move(jobs[1], Move.TOP).position == 0
        assert work.move(jobs[2], Move.TOP).position == -100
        assert order(work) == [jobs[2], jobs[1], jobs[0]]


def test_a_move_to_the_same_place_leaves_no_history(store: Store, raw: RawStore) -> None:
    a, b, c = fill(store, 3)
    with store.write("bob") as work:
        work.move(a, Move.UP)
        work.move(a, Move.TOP)
        work.move(c, Move.DOWN)
        work.move(c, Move.BOTTOM)
        work.move(b, Move.BEFORE, c)
        work.move(b, Move.AFTER, a)
        assert order(work) == [a, b, c]
    assert [len(history(raw, job)) for job in (a, b, c)] == [1, 1, 1]


def test_up_and_down_stay_within_the_priority(store: Store) -> None:
    low, high = fill(store, 1), fill(store, 1, priority=9)
    with store.write("bob") as work:
        work.move(low[0], Move.UP)
        work.move(high[0], Move.DOWN)
        assert order(work) == [*high, *low]


def test_beside_a_job_of_another_priority_it_takes_that_priority(store: Store) -> None:
    (low,), (high, higher) = fill(store, 1), fill(store, 2, priority=9)
    with store.write("bob") as work:
        assert work.move(low, Move.AFTER, high).priority == 9
        assert order(work) == [high, low, higher]


def test_a_newcomer_is_last_after_a_move_to_the_bottom_in_the_same_transaction(store: Store) -> None:
    with store.write("bob") as work:
        a, b = (work.submit(NewJob()).id for _ in range(2))
        work.move(a, Move.BOTTOM)
        c = work.submit(NewJob()).id
        assert order(work) == [b, a, c]


def test_without_a_gap_that_priority_is_renumbered_without_a_line_of_history(store: Store, raw: RawStore) -> None:
    a, b, c = fill(store, 3)
    other = fill(store, 1, priority=1)[0]
    raw.run("UPDATE jobs SET position = 7 WHERE id IN (:a, :b)", a=a, b=b)
    raw.run("UPDATE jobs SET position = 7 WHERE id = :other", other=other)
    with store.write("bob") as work:
        work.move(c, Move.BEFORE, b)
        assert order(work) == [other, a, c, b]
        assert work.job(work.submit(NewJob()).id).position == 300
    assert [row_of(raw, job)["position"] for job in (a, c, b, other)] == [100, 150, 200, 7]
    assert [len(history(raw, job)) for job in (a, b, c, other)] == [1, 1, 2, 1]
    assert [row_of(raw, job)["revision"] for job in (a, b, c)] == [1, 1, 2]


def test_a_job_can_not_go_beside_itself(store: Store) -> None:
    a, b = fill(store, 2)
    with store.write("bob") as work:
        with pytest.raises(BadInput, match=f"job {a} can't go before itself; name another job"):
            work.move(a, Move.BEFORE, a)
        with pytest.raises(BadInput, match=f"job {b} can't go after itself"):
            work.move_many([a, b], Move.AFTER, b)


def test_beside_needs_another_job_and_the_ends_need_none(store: Store) -> None:
    a, b = fill(store, 2)
    with store.write("bob") as work:
        with pytest.raises(BadInput, match="before needs the job to go before"):
            work.move(a, Move.BEFORE)
        with pytest.raises(BadInput, match="top is a place of its own"):
            work.move(a, Move.TOP, b)


def test_only_what_is_queued_moves_or_is_moved_beside(store: Store, raw: RawStore) -> None:
    queued = fill(store, 1)[0]
    running = number_of(raw, raw.job_in(Status.RUNNING))
    with store.write("bob") as work:
        with pytest.raises(Refused, match="is RUNNING and can't be moved now"):
            work.move(running, Move.TOP)
        with pytest.raises(Refused, match=f"job {running} is RUNNING and not in the queue, so nothing can go after it"):
            work.move(queued, Move.AFTER, running)


@pytest.mark.parametrize(
    ("marked", "where", "expected"),
    [
        ("bd", Move.TOP, "bdace"),
        ("bd", Move.BOTTOM, "acebd"),
        ("bd", Move.UP, "badce"),
        ("ab", Move.UP, "abcde"),
        ("bd", Move.DOWN, "acbed"),
        ("de", Move.DOWN, "abcde"),
        ("ea", Move.DOWN, "bacde"),
    ],
)
def test_several_keep_their_order(store: Store, marked: str, where: Move, expected: str) -> None:
    jobs = dict(zip("abcde", fill(store, 5), strict=True))
    with store.write("bob") as work:
        moved = work.move_many([jobs[name] for name in reversed(marked)], where)
        assert order(work) == [jobs[name] for name in expected]
        assert [job.id for job in moved] == sorted(jobs[name] for name in marked)


@pytest.mark.parametrize(("where", "expected"), [(Move.BEFORE, "baecd"), (Move.AFTER, "bcaed")])
def test_several_go_beside_another_in_their_order(store: Store, where: Move, expected: str) -> None:
    jobs = dict(zip("abcde", fill(store, 5), strict=True))
    with store.write("bob") as work:
        work.move_many([jobs["e"], jobs["a"]], where, jobs["c"])
        assert order(work) == [jobs[name] for name in expected]


def test_several_priorities_go_to_the_tops_of_their_own(store: Store) -> None:
    low, high = fill(store, 3), fill(store, 3, priority=1)
    with store.write("bob") as work:
        work.move_many([low[2], high[2], high[1]], Move.TOP)
        assert order(work) == [high[1], high[2], high[0], low[2], low[0], low[1]]


def test_a_block_that_stands_at_the_bottom_already_leaves_no_history(store: Store, raw: RawStore) -> None:
    jobs = fill(store, 3)
    with store.write("bob") as work:
        work.move_many(jobs[1:], Move.BOTTOM)
    assert [len(history(raw, job)) for job in jobs] == [1, 1, 1]


def model(queue: list[int], job: int, where: Move, other: int) -> list[int]:
    """The same move on a plain list."""
    at, rest = queue.index(job), [each for each in queue if each != job]
    if where is Move.UP:
        to = max(at - 1, 0)
    elif where is Move.DOWN:
        to = min(at + 1, len(rest))
    elif where in (Move.TOP, Move.BOTTOM):
        to = 0 if where is Move.TOP else len(rest)
    else:
        to = rest.index(other) + (where is Move.AFTER)
    return [*rest[:to], job, *rest[to:]]


STEPS = st.lists(st.tuples(st.integers(0, 5), st.sampled_from(Move), st.integers(0, 5)), min_size=1, max_size=40)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, squeezed=st.booleans())
def test_any_moves_agree_with_a_list(blank_store: Path, steps: list[tuple[int, Move, int]], squeezed: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        path = Path(shutil.copy(blank_store, home))
        with Store(path, now=Clock()) as store:
            expected = fill(store, 6)
            with store.write("bob") as work:
                if squeezed:
                    # No gap anywhere, so that the first move renumbers.
                    work.run("UPDATE jobs SET position = 5")
                for job, where, other in steps:
                    moved, beside = expected[job], expected[other]
                    relative = where in (Move.BEFORE, Move.AFTER)
                    if relative and moved == beside:
                        continue
                    before = work.job(moved).revision
                    wanted = model(expected, moved, where, beside)
                    after = work.move(moved, where, beside if relative else None).revision
                    assert order(work) == wanted
                    assert after - before == (wanted != expected)
                    expected = wanted


def test_squeezing_into_one_gap_for_ever_stays_in_order(make_store: Callable[[], Store]) -> None:
    store = make_store()
    jobs = fill(store, 3)
    with store.write("bob") as work:
        expected = list(jobs)
        for _ in range(50):
            # The last goes between the first two, again and again, through several renumberings.
            work.move(expected[2], Move.AFTER, expected[0])
            expected = [expected[0], expected[2], expected[1]]
            assert order(work) == expected


@pytest.mark.parametrize("where", [Move.TOP, Move.BOTTOM, Move.UP, Move.DOWN, Move.BEFORE, Move.AFTER])
def test_a_large_block_costs_one_renumbering_at_the_most(store: Store, where: Move) -> None:
    jobs = fill(store, 300)
    block, other = jobs[100:200], jobs[250]
    statements: list[str] = []
    with store.write("bob") as work:
        work.connection.set_trace_callback(statements.append)
        work.move_many(block, where, other if where in (Move.BEFORE, Move.AFTER) else None)
        work.connection.set_trace_callback(None)
        rest = [job for job in jobs if job not in block]
        at = {
            Move.TOP: 0, Move.BOTTOM: 200, Move.UP: 99, Move.DOWN: 101, Move.BEFORE: 150, Move.AFTER: 151,
        }[where]  # fmt: skip
        assert order(work) == [*rest[:at], *block, *rest[at:]]
    # The trace repeats a statement for each of its triggers, so what stands together is one execution.
    assert sum(renumbers for renumbers, _ in groupby("row_number()" in each for each in statements)) <= 1


@pytest.mark.parametrize("where", [Move.BEFORE, Move.AFTER, Move.TOP, Move.BOTTOM])
def test_a_block_gathers_around_those_that_stand_there_already(store: Store, raw: RawStore, where: Move) -> None:
    jobs = dict(zip("abcdefgh", fill(store, 8), strict=True))
    marked, other, expected, stays = {
        Move.BEFORE: ("acg", "d", "bacgdefh", "c"),
        Move.AFTER: ("aeg", "d", "bcdaegfh", "e"),
        Move.TOP: ("abg", None, "abgcdefh", "ab"),
        Move.BOTTOM: ("bgh", None, "acdefbgh", "gh"),
    }[where]
    with store.write("bob") as work:
        work.move_many([jobs[name] for name in marked], where, None if other is None else jobs[other])
        assert order(work) == [jobs[name] for name in expected]
    moved = {name for name in jobs if len(history(raw, jobs[name])) > 1}
    assert moved == set(marked) - set(stays)
