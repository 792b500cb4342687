"""The parts that a transaction is made of: none may hide a method of another by accident."""

from collections import Counter

import pytest

from store.views import Views
from store.work import Work


@pytest.mark.parametrize("whole", [Work, Views])
def test_no_part_hides_a_method_of_another(whole: type) -> None:
    names = Counter(
        name
        for part in whole.__mro__[:-1]
        for name in vars(part)
        if not (name.startswith("__") and name.endswith("__"))
    )
    assert [name for name, n in names.items() if n > 1] == []
