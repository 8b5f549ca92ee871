"""Schedules as they are typed: a fault names the number that is at fault."""

import pytest

from codegen.inputs.schedule import Cyclical, Geometric, Polynomial
from recipe import RecipeError
from recipe_cli.program.typed_schedule import schedule_typed
from recipe_cli.sampling.settings import _schedule


@pytest.mark.parametrize(
    ("typed", "made"),
    [
        ("geometric:4,0.05,100,20", Geometric(4, 0.05, 100, 20)),
        ("geometric:4,0.05,1e2", Geometric(4, 0.05, 100)),
        ("polynomial: 0.1, 10, 0.5", Polynomial(0.1, 10, 0.5)),
        ("cyclical:0.1,10", Cyclical(0.1, 10)),
    ],
)
def test_a_schedule_is_what_is_typed(typed, made):
    assert schedule_typed(typed, "--param T") == made


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("geometric:4,0.05,100,0", "EVERY=0 must be a whole number, at least 1"),
        ("geometric:4,0.05,100,2.5", "EVERY=2.5 must be a whole number"),
        ("geometric:4,0.05,100,70", "EVERY=70 must be at most 50, half of STEPS=100"),
        ("geometric:4,0.05,100,7", "EVERY=7 leaves a part of a stage, as STEPS=100 is no"),
        ("geometric:4,0.05,100,x", "EVERY is 'x', which is not a number"),
        ("geometric:4,0.05,1", "STEPS=1 must be a whole number, at least 2"),
        ("geometric:4,-1,100", "LAST=-1.0 must be a finite number above 0"),
        ("geometric:0,1,100", "A=0.0 must be"),
        ("geometric:4,1", "has no STEPS; write geometric:A,LAST,STEPS[,EVERY]"),
        ("cyclical:1,0", "LENGTH=0 must be"),
        ("cyclical:1,2,3", "has more numbers than cyclical:A,LENGTH"),
        ("polynomial:1,0,1", "B=0.0 must be"),
        ("polynomial:1,2,-1", "C=-1.0 must be"),
    ],
)
def test_a_fault_names_the_number_and_where_it_is_typed(typed, said):
    with pytest.raises(RecipeError) as refused:
        schedule_typed(typed, "--param T")
    assert str(refused.value).startswith(f"--param T: {typed!r}")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("decay", "cycle", "said"),
    [("0,1", None, "--decay 0,1: B=0.0 must be"), (None, 0, "the step size: --cycle=0 must be")],
)
def test_a_fault_names_the_option(decay, cycle, said):
    with pytest.raises(RecipeError, match=said):
        _schedule(0.1, decay, cycle)
