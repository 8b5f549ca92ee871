"""Numbers for parameters against the assumptions of their symbols."""

import numpy as np
import pytest
from sympy import Symbol

from recipe import RecipeError
from recipe.language.checks.check_assumptions import check_assumed

a = Symbol("a", positive=True)


def test_how_numbers_were_given_is_written_out_for_a_message_only():
    """The text of a long array takes longer than a step of a sampler."""
    asked = []

    def given():
        asked.append(1)
        return "params['a'] = [1, 0]"

    check_assumed(a, np.ones(300), given)
    assert asked == []
    with pytest.raises(RecipeError, match=r"params\['a'\] = \[1, 0\] must be positive, as a is"):
        check_assumed(a, np.array([1.0, 0.0]), given)
    assert asked == [1]
