"""Code that does something else at some states or in later calls: a trace alone would miss it."""

import contextlib

import numpy as np
import pytest
from sympy import Symbol

from recipe import CannotLiftError, Potential, RecipeError, Scalar, Vector, grad, lift

theta, s = Vector("theta"), Scalar("s")
U, S = Potential("U", theta), Potential("S", s)
h = Symbol("h", positive=True)
calls = [0]


def catches_the_branch(x, h, grad):
    try:
        large = x[0] > 1e6
        factor = 0.0 if large else 1.0
    except Exception:
        factor = 1.0
    return x - factor * h * grad(x)


def suppresses_the_branch(x, h, grad):
    factor = 1.0
    with contextlib.suppress(BaseException):
        factor = 0.0 if int(x[0]) > 1000 else 1.0
    return x - factor * h * grad(x)


def compares_with_true(x, h, grad):
    return x - h * grad(x) if (x[0] > 1e6) == True else x  # noqa: E712


def looks_a_comparison_up(x, h, grad):
    return x - {True: 0.0}.get(x[0] > 1e6, 1.0) * h * grad(x)


def counts_its_calls(x, h, grad):
    calls[0] += 1
    return -x if calls[0] > 1000 else x - h * grad(x)


def fills_its_default(x, h, grad, seen=[]):  # noqa: B006
    seen.append(1)
    return -x if len(seen) > 1000 else x - h * grad(x)


class Sampler:
    def __init__(self):
        self.calls = 0

    def step(self, x, h, grad):
        self.calls += 1
        return -x if self.calls > 1000 else x - h * grad(x)


BRANCHES = {
    catches_the_branch: "a branch",
    suppresses_the_branch: "turned into an integer",
    compares_with_true: "a branch",
    looks_a_comparison_up: "a branch",
    counts_its_calls: "changes calls in each call",
    fills_its_default: "changes seen in each call",
    Sampler().step: "changes self in each call",
}


@pytest.mark.parametrize("function", BRANCHES, ids=lambda f: f.__name__)
def test_what_happens_at_other_states_and_calls_is_not_missed(function):
    with pytest.raises(CannotLiftError, match=BRANCHES[function]):
        lift(function, state={"x": theta}, step=h, gradient={"grad": grad(U, theta)}, target=U)


def by_square_of_root(x, h, grad):
    return np.sqrt(x) ** 2 - h * grad(x)


def by_logarithm(x, h, grad):
    return np.exp(np.log(x)) - h * grad(x)


def by_cube_root(x, h, grad):
    return x - h * grad(x) + np.cbrt(x)


@pytest.mark.parametrize("function", [by_square_of_root, by_logarithm, by_cube_root])
def test_a_value_that_the_code_or_the_rule_has_alone(function):
    with pytest.raises(CannotLiftError, match=r"has a value .* alone"):
        lift(function, state={"x": s}, step=h, gradient={"grad": grad(S, s)}, target=S)


def keeps_nothing_that_changes(x, h, grad, table=(1, 2)):
    return x - h * grad(x) * table[0]


def test_what_does_not_change_may_be_kept():
    rule = lift(
        keeps_nothing_that_changes,
        state={"x": theta},
        step=h,
        gradient={"grad": grad(U, theta)},
        target=U,
    )
    assert rule.rule[0][1] == theta - h * grad(U, theta)


def forgets_to_return(x, h, grad):
    x = x - h * grad(x)


def goes_on(x, h, grad):
    while True:
        try:
            while True:
                pass
        except Exception:  # it must be stopped all the same
            calls[0] = 0


def test_a_missing_return_is_no_identity():
    with pytest.raises(CannotLiftError, match="returns None and changes none of its arguments"):
        lift(
            forgets_to_return,
            state={"x": theta},
            step=h,
            gradient={"grad": grad(U, theta)},
            target=U,
        )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"arguments": ["a"]}, "arguments=.* must be a dictionary"),
        ({"gradient": [1]}, "gradient=.* must be a dictionary"),
        ({"returns": 2 * theta}, "which is no block"),
        ({"returns": (3,)}, "which is no block"),
        ({"seconds": "a"}, "must be a positive number"),
        ({"seconds": -1}, "must be a positive number"),
        ({"function": goes_on, "seconds": 0.3}, "not read within 0.3 seconds"),
    ],
)
def test_one_sentence_about_a_wrong_claim(options, said):
    claim = {
        "function": keeps_nothing_that_changes,
        "state": {"x": theta},
        "step": h,
        "gradient": {"grad": grad(U, theta)},
        "target": U,
    }
    with pytest.raises(RecipeError, match=said):
        lift(**(claim | options))
