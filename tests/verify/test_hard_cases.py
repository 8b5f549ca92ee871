"""Hard cases, by class: none is decided wrongly, and no fewer are decided than once were."""

import pytest
from hard_cases import CLASSES, HALVES, cases_of, counted


@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", CLASSES)
def test_each_case_has_a_name_and_a_truth(name, half):
    cases = cases_of(name, half)
    assert len({title for title, *_ in cases}) == len(cases) >= 26
    assert {expected for _, _, expected, _ in cases} == {"proved", "refuted"}


RIGHT: dict[tuple[str, str], int] = {}


@pytest.mark.slow
@pytest.mark.parametrize("half", HALVES)
@pytest.mark.parametrize("name", CLASSES)
def test_no_case_is_decided_wrongly(name, half):
    right, _, wrong = counted(name, half)
    assert wrong == 0
    assert right >= RIGHT.get((name, half), 0)
