"""Every way to say no carries the exit code that the command line promises."""

import pytest

from core.refusals import BadInput, Fenced, JobdeckError, NoSuchThing, Refused, Trouble


@pytest.mark.parametrize(
    ("kind", "exit_code"),
    [(Trouble, 1), (BadInput, 2), (Refused, 3), (Fenced, 3), (NoSuchThing, 4)],
)
def test_each_kind_of_refusal_has_its_exit_code_and_keeps_its_sentence(
    kind: type[JobdeckError], exit_code: int
) -> None:
    refusal = kind("there is no job 7")
    assert refusal.exit_code == exit_code
    assert str(refusal) == "there is no job 7"


def test_a_fenced_worker_is_refused_but_a_refused_one_need_not_be_fenced() -> None:
    assert issubclass(Fenced, Refused)
    assert not issubclass(Refused, Fenced)
