"""How far rounding may move a value, beside the same value in 60 digits; and states where it hides
the noise of a step.
"""

import mpmath
import numpy as np
import pytest
import sympy
from sympy import cos, exp, expand, log, sqrt

from catalog.ito_sgld import ito_sgld
from recipe import Fold, Potential, Scalar, Update, Vector, discretised, grad, total
from verify.statistics import ComparisonOutcome, battery, reference
from verify.statistics.numbers.arrays import Meanings
from verify.statistics.recover.rounding import Rounding
from verify.statistics.step.design import is_resolvable

ROUNDED = 2.0**-53
# roundings that one operation of the library may take: powers, exponentials and logarithms are not
# exact to the last bit
ROOM = 8
x, y = Scalar("x"), Scalar("y")
CANCELLING = {
    "a sum": x + y - x,
    "inside a product": y * ((1 + x) ** 2 - x**2 - 2 * x),
    "under a root": sqrt(x + y) - sqrt(x),
    "under a power": (x - y) ** -3,
    "in an exponent": exp(x - y),
    "in a logarithm": log(x / y),
    "of exponentials": exp(x) * (1 - exp(-y)) - exp(x),
    "in a cosine": cos(x + y),
    "in a fold": Fold(x - y, 0, 1),
    "nothing cancels": exp(-x) + x * y,
    "a small logarithm": log(1 + exp(-x)),
}


def in_digits(e, **values):
    """The value in 60 digits of what the floats stand for."""
    with mpmath.workdps(60):
        if isinstance(e, Fold):
            at = in_digits(e.args[0], **values) % 2
            return at if at < 1 else 2 - at
        names = sympy.symbols(list(values))
        plain = e.xreplace({x: names[0], y: names[1]})
        return sympy.lambdify(names, plain, "mpmath")(
            *(mpmath.mpf(float(v)) for v in values.values())
        )


@pytest.mark.by_default(6)
@pytest.mark.parametrize("name", CANCELLING)
def test_no_float_is_further_from_the_exact_value(name):
    e, rng = CANCELLING[name], np.random.default_rng(3)
    rows = {"x": np.exp(rng.uniform(-3, 3, (200, 1))), "y": np.exp(rng.uniform(-9, 3, (200, 1)))}
    m = Meanings(rows, {})
    found, bound = m.of(e, x)[:, 0], Rounding(m, ROOM * ROUNDED).of(e, x)[:, 0]
    for value, far, a, b in zip(found, bound, rows["x"][:, 0], rows["y"][:, 0], strict=True):
        if np.isfinite(value):
            assert abs(value - in_digits(e, x=a, y=b)) <= far
    if name in ("nothing cancels", "a small logarithm"):
        assert (bound <= 100 * ROUNDED * np.abs(found) * (1 + rows["x"][:, 0])).all()


def test_what_is_not_known_exactly_is_carried_through():
    """The image of an interval is inside what is said; nothing is said beyond a pole."""
    rows = {"x": np.array([[2.0], [2.0], [0.1]]), "y": np.ones((3, 1))}
    wrong = {"x": np.array([[1e-3], [1.0], [0.2]])}
    found = Rounding(Meanings(rows, {}), 1e-15, wrong).of(1 / x, x)[:, 0]
    np.testing.assert_allclose(found[:2], [1 / 1.999 - 0.5, 0.5], rtol=1e-9)
    assert found[2] == np.inf


def test_sums_over_coordinates_cancel_as_well():
    theta = Vector("theta")
    rows = {"theta": np.array([[1e8, -1e8, 1.0], [1.0, 2.0, 3.0]])}
    found = Rounding(Meanings(rows, {theta.length.name: 3}), 1e-10).of(total(theta), Scalar("s"))
    assert found[0, 0] > 1e-2
    assert found[1, 0] < 1e-8


def test_a_gradient_is_as_wrong_as_its_place():
    theta = Vector("theta")
    U, three = Potential("U", theta), np.full((1, 3), 2.0)
    m = Meanings({"theta": three}, {theta.length.name: 3}, {"U": lambda t: t**3})
    exact, moved = (
        Rounding(m, 1e-12, wrong).of(grad(U, theta), theta)
        for wrong in ({}, {"theta": 1e-3 * three})
    )
    assert (exact < 1e-10).all()
    np.testing.assert_allclose(moved, 8 * (1.001**3 - 1), rtol=1e-6)


def half_line(t):
    """The gradient of a gamma potential, of which no term alone is that of the step near the
    edge.
    """
    return 1 - (np.arange(t.shape[1]) + 2) / (2 * t)


NUMBERS = {"step_size": 0.3, "gradients": {"U": half_line}}


def test_a_state_whose_rounding_hides_the_noise_is_left_out():
    """Below phi = -60 terms beyond 1e50 cancel in the drift of ``ito_sgld``, in a product that is
    not multiplied out.
    """
    chosen = battery(discretised(ito_sgld, "semi-implicit"), batched=True, **NUMBERS).experiment
    first = np.append(np.linspace(-150, -60, 5000), 1.0)
    rows = {"phi": np.stack([first, np.full(5001, 2.0), np.full(5001, 0.5)], axis=1)}
    rng = np.random.default_rng(0)
    good = is_resolvable(
        chosen.plan, rows, chosen.meanings, rng, rounding=chosen.rounding, replicas=chosen.replicas
    )
    assert not good[:-1].any()
    assert good[-1]


@pytest.mark.by_default(1)
@pytest.mark.parametrize("seed", range(3))
def test_a_rule_that_is_multiplied_out_is_the_same_rule(seed):
    """Another order of the operations is another rounding, and no mistake."""
    rule = discretised(ito_sgld, "semi-implicit")
    update = rule.update
    other = Update(update.step, {b: expand(e) for b, e in update.rule}, update.target)
    found = battery(rule, batched=True, coupled=True, seed=seed, **NUMBERS).check(
        reference(other, **NUMBERS), seed=seed
    )
    assert found.outcome is ComparisonOutcome.AGREES, found
