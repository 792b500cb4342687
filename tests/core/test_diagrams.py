"""The diagrams and tables in the README are those of the transition tables."""

import re

import pytest

from core.diagrams import BLOCKS, README, execution_diagram, execution_table, job_diagram, job_table, rewritten
from core.executions import EXEC_EDGES
from core.status import FINAL, Status
from core.transitions import EDGES

STEP = re.compile(r"^    (\S+) --> (\S+) : (\S+)$", re.MULTILINE)


def test_the_readme_is_up_to_date() -> None:
    text = README.read_text(encoding="utf-8")
    assert rewritten(text) == text, "bring it up to date with: python -m core.diagrams"


def test_every_step_is_drawn_once_with_its_verb() -> None:
    assert STEP.findall(job_diagram()) == [(edge.source or "[*]", edge.target, edge.verb) for edge in EDGES]
    assert STEP.findall(execution_diagram()) == [(edge.source or "[*]", edge.target, edge.verb) for edge in EXEC_EDGES]


def test_a_diagram_ends_where_no_step_leads_on() -> None:
    ends = re.findall(r"^    (\S+) --> \[\*\]$", job_diagram(), re.MULTILINE)
    assert {Status(end) for end in ends} == FINAL
    ends = re.findall(r"^    (\S+) --> \[\*\]$", execution_diagram(), re.MULTILINE)
    assert sorted(ends) == ["ABORTED", "DONE", "PARKED"]


@pytest.mark.parametrize("table", [job_table(), execution_table()])
def test_a_table_has_as_many_cells_in_each_row_as_heads(table: str) -> None:
    rows = [line.strip("|").split("|") for line in table.splitlines()]
    assert len({len(row) for row in rows}) == 1
    assert len(rows) > 2


def test_the_job_table_says_who_may() -> None:
    assert "| QUEUED | RUNNING | claim | engine | claimed by a free slot |" in job_table().splitlines()


def test_an_old_block_is_replaced_and_what_stands_around_it_kept() -> None:
    page = "".join(f"before {name}\n<!-- {name}: begin -->\nold\n<!-- {name}: end -->\nafter\n" for name in BLOCKS)
    new = rewritten(page)
    assert "old" not in new
    for name, make in BLOCKS.items():
        assert f"before {name}\n<!-- {name}: begin -->\n{make()}\n<!-- {name}: end -->\nafter\n" in new
    assert rewritten(new) == new


def test_a_page_without_its_marks_is_a_mistake_that_shows() -> None:
    with pytest.raises(ValueError, match='0 blocks marked "job states"'):
        rewritten("nothing here")
