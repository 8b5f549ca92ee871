"""Momenta in units of the step, and rules that have no limit."""

import pytest
from sympy import Rational, exp, sqrt, symbols

from recipe import (
    Field,
    Noise,
    Potential,
    RecipeError,
    Scalar,
    Update,
    Vector,
    compose,
    grad,
    limit_of,
    step,
    total,
)
from recipe.rebuild.map_expressions import rewritten
from verify import Verdict, verify

x = Vector("x")
v, xi = Vector("v", like=x), Scalar("xi")
U = Potential("U", x)
h, A, b = symbols("h A b", positive=True)
w = Noise("w", like=x)
g = -grad(U, x)
K = total(v**2) / 2
d = x.dim


def sghmc(friction=A * h, noise=2, target=K / h**2, old=True) -> Update:
    """The ``alpha, eta`` form, eta = h^2 and alpha = A h."""
    eta = h**2
    pairs = [
        (x, x + v),
        (v, v + eta * g - friction * v + sqrt(noise * (friction - b * h * eta) * eta) * w),
    ]
    return Update(h, dict(pairs) if old else pairs[::-1], U + target, units={v: h})


def test_a_scaled_momentum_has_the_limit_of_the_momentum():
    plain = Update(h, {x: x + h * v, v: v + h * g - A * h * v + sqrt(2 * A * h) * w}, U + K)
    scaled, wanted = limit_of(sghmc()), limit_of(plain)
    assert scaled.diffusion == wanted.diffusion
    assert all((scaled.drift[z] - wanted.drift[z]).expand() == 0 for z in (x, v))
    report = verify(sghmc())
    assert report.verdict is Verdict.PROVED
    assert report.scope.endswith("every positive b, v in units of h")


@pytest.mark.slow
@pytest.mark.parametrize(
    "wrong",
    [sghmc(noise=1), sghmc(target=2 * K / h**2), sghmc(friction=2 * A * h, noise=1, old=False)],
)
def test_a_wrong_one_is_refuted(wrong):
    assert verify(wrong).verdict is Verdict.REFUTED


def test_the_thermostat_of_a_library_in_its_own_letters():
    eta = h**2
    rule = [
        (v, v - xi * h * v + eta * g + sqrt(2 * A * h * eta) * w),
        (x, x + v),
        (xi, xi + h * (total(v**2) / (d * eta) - 1)),
    ]
    right = Update(h, rule, U + total(v**2) / (2 * eta) + d * (xi - A) ** 2 / 2, units={v: h})
    assert verify(right).verdict is Verdict.PROVED


def test_what_is_recorded_and_what_is_rewritten_stays_in_its_units():
    update = Update(
        h,
        {x: x + v, v: v + h**2 * g},
        U + total(v**2) / (2 * h**2),
        units={v: h},
        observe={x: x + v / 2},
    )
    assert dict(update.observe)[x] == x + h * v / 2
    assert rewritten(update, lambda e: e) == update
    assert compose(step(sghmc())).target == sghmc().target


@pytest.mark.parametrize(
    ("units", "rule", "target", "sentence"),
    [
        (3, {x: x + h * g}, U, r"units=3 must be a dict \{v: unit\}, such as \{v: h\}"),
        ({v: h}, {x: x + h * g}, U, "units= names v, which is no block that the rule moves"),
        (
            {v: A},
            {x: x + v, v: v},
            U + K,
            r"units\[v\] = A must be positive and contain the step, such as h",
        ),
        (
            {v: h * xi},
            {x: x, v: v, xi: xi},
            U + K,
            r"units\[v\] = .* must be positive and contain the step",
        ),
        (
            {x: h},
            {x: x + h * g},
            U,
            (
                "the rule of x: grad.* at another value of x is outside the language, and units="
                " would take it there"
            ),
        ),
        (
            {v: h},
            {x: x + v, v: v},
            U + K,
            "the target .* contains the step h; a law is the same for every step$",
        ),
        (
            {},
            {x: x + v, v: v},
            U + K / h**2,
            r"contains the step h; a law is the same .*say units=\{v: h\}",
        ),
    ],
)
def test_bad_units_are_one_sentence(units, rule, target, sentence):
    with pytest.raises(RecipeError, match=sentence):
        Update(h, rule, target, units=units)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (x + h * g + w, r"at h = 0 it is w \+ x, .*; its noise must scale as sqrt\(h\)"),
        (
            x + h * g + h ** Rational(1, 4) * w,
            r"its noise must scale as sqrt\(h\) and its drift as h",
        ),
        (x + g + sqrt(h) * w, "what moves it must scale as h"),
        (
            x + sqrt(h) * g + sqrt(h) * w,
            r"it moves by -grad\(U, x\) \* sqrt\(h\) on average, and its drift must scale as h",
        ),
        (x + h * g + sqrt(h) * w**2, r"it moves by 1 \* sqrt\(h\) on average"),
        (x + g / h, "the rule of x has no limit as h vanishes"),
        (x * exp(-A) + h * g, "what moves it must scale as h"),
    ],
)
def test_a_rule_without_a_limit_is_one_sentence(rule, sentence):
    with pytest.raises(RecipeError, match=sentence):
        verify(Update(h, {x: rule}, U))


def test_a_block_without_a_rule_is_one_sentence():
    with pytest.raises(
        RecipeError, match="the update has no rule for the block v; if it does not move, say v: v"
    ):
        Update(h, {x: x + h * v}, U + K)


def test_noise_that_vanishes_faster_leaves_a_flow():
    dynamics = limit_of(Update(h, {x: x + h * v, v: v + h * g + h * sqrt(b) * w}, U + K))
    assert dynamics.diffusion[v, v].diagonal == 0
    assert dynamics.drift[v] == g


def test_a_field_of_the_positions_is_left_alone_by_units_of_the_momentum():
    F = Field("F", x, positive=True)
    update = Update(
        h, {x: x + F * v, v: v + h**2 * F * g}, U + total(v**2) / (2 * h**2), units={v: h}
    )
    assert limit_of(update).drift[x] == F * v
