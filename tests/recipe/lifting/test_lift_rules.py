"""Rules that are read out of functions of numpy and plain Python."""

import math
import random

import numpy as np
import pytest
from oracles.code_by_sympy import differing
from sympy import Symbol, exp, sqrt

from recipe import Noise, Potential, Scalar, Vector, grad, lift, total
from verify import verify

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h, a, T = (Symbol(name, positive=True) for name in "haT")
H = U + total(p**2) / 2
MOMENTUM = {"state": {"x": theta, "v": p}, "step": h, "target": H}
GRADIENT = {"gradient": {"grad": grad(U, theta)}}


def sgld(x, h, grad, rng):
    return x - h * grad(x) + (2 * h) ** 0.5 * rng.standard_normal(x.shape)


def leapfrog(x, v, h, grad, rng):
    v = v - h / 2 * grad(x)
    x = x + h * v
    return x, v - h / 2 * grad(x)


def baoab(x, v, h, a, grad, rng):
    v = v - h / 2 * grad(x)
    x = x + h / 2 * v
    v = (1 - a * h) * v + (2 * a * h) ** 0.5 * rng.standard_normal(x.shape)
    x = x + h / 2 * v
    v = v - h / 2 * grad(x)
    return x, v


def noise_twice(x, v, h, grad, rng):
    w = rng.standard_normal(x.shape)
    return x + h * v + h * w, v - h * grad(x) + h**0.5 * w


def thermostat(x, v, z, h, a, grad, rng):
    v = v - h * z * v - h * grad(x) + (2 * a * h) ** 0.5 * rng.standard_normal(x.shape)
    return x + h * v, v, z + h * ((v * v).sum() / v.size - 1)


CASES = {
    "sgld": (sgld, {"state": {"x": theta}, "step": h, "target": U}, ["w"]),
    "leapfrog": (leapfrog, MOMENTUM, []),
    "baoab": (baoab, MOMENTUM | {"arguments": {"a": a}}, ["w"]),
    "noise_twice": (noise_twice, MOMENTUM, ["w"]),
    "thermostat": (
        thermostat,
        {
            "state": {"x": theta, "v": p, "z": xi},
            "step": h,
            "target": H + theta.dim * (xi - a) ** 2 / 2,
            "arguments": {"a": a},
        },
        ["w"],
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("shape", [(4,), (2, 2)])
def test_the_rule_is_what_plain_python_computes(name, shape):
    function, claim, noise = CASES[name]
    rule = lift(function, **claim, **GRADIENT, noise="rng")
    numbers = {s.name: s for s in (h, a) if s.name in function.__code__.co_varnames}
    assert differing(rule, claim["state"].values(), function, shape, noise, **numbers) == []
    assert rule.reading.compared > 0


def test_a_wrong_rule_differs_from_the_code():
    function, claim, noise = CASES["thermostat"]
    rule = lift(function, **claim, **GRADIENT, noise="rng")

    def other(x, v, z, h, a, grad, rng):
        out = function(x, v, z, h, a, grad, rng)
        return out[0], out[1], out[2] + h

    assert differing(rule, claim["state"].values(), other, (4,), noise, h=h, a=a) == [xi]


def test_expressions_are_in_the_users_letters():
    rule = lift(sgld, state={"x": theta}, step=h, target=U, **GRADIENT, noise="rng")
    w = Noise("w", like=theta)
    assert rule.rule == ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * w),)
    assert not rule.sequential
    assert verify(rule).verdict.value == "proved"


def test_a_point_that_was_moved_becomes_assignments():
    rule = lift(leapfrog, **MOMENTUM, **GRADIENT, noise="rng")
    assert rule.rule == (
        (p, p - h * grad(U, theta) / 2),
        (theta, theta + h * p),
        (p, p - h * grad(U, theta) / 2),
    )
    assert rule.sequential


def other_unit(x, lr, g):
    return x - lr**2 / 2 * g(x) + lr * np.random.randn(*x.shape)


def test_another_unit_of_the_step():
    rule = lift(
        other_unit,
        state={"x": theta},
        step=h,
        target=U,
        arguments={"lr": sqrt(2 * h)},
        gradient={"g": grad(U, theta)},
    )
    assert rule.rule == (
        (theta, theta - h * grad(U, theta) + sqrt(2 * h) * Noise("w", like=theta)),
    )


def with_math(x, h, T, grad):
    scale = math.sqrt(2.0 * h * T)
    return x - h * grad(x) + np.array(scale) * np.random.normal(0.0, 1.0, size=x.shape)


def with_loops(x, h, T, grad):
    g, out = grad(x), np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] - h * g[i] + math.sqrt(2.0 * h * T) * random.gauss(0, 1)
    return out


def in_place(x, h, T, grad):
    x -= h * grad(x)
    x += np.random.normal(scale=np.sqrt(2 * T * h), size=x.shape)


def flattened(x, h, T, grad):
    flat = x.ravel() - h * np.reshape(grad(x), -1)
    noise = np.random.standard_normal((2, x.size))
    return np.reshape(flat + np.sqrt(h * T) * (noise[0] + noise[1]), x.shape)


@pytest.mark.parametrize("function", [with_math, with_loops, in_place])
def test_one_rule_in_many_ways(function):
    rule = lift(function, state={"x": theta}, step=h, target=U / T, arguments={"T": T}, **GRADIENT)
    w = Noise("w", like=theta)
    assert rule.rule == ((theta, theta - h * grad(U, theta) + sqrt(2 * h * T) * w),)


def test_two_rows_of_one_draw_are_two_noises():
    rule = lift(flattened, state={"x": theta}, step=h, target=U / T, arguments={"T": T}, **GRADIENT)
    w, w2 = Noise("w", like=theta), Noise("w2", like=theta)
    assert rule.rule == ((theta, theta - h * grad(U, theta) + sqrt(h * T) * (w + w2)),)
    assert verify(rule).verdict.value == "proved"


def one_number_for_all(x, h, grad):
    return x - h * grad(x) + np.sqrt(2 * h) * np.random.normal()


def test_one_number_for_all_coordinates_is_one_number():
    rule = lift(one_number_for_all, state={"x": theta}, step=h, target=U, **GRADIENT)
    assert verify(rule).verdict.value == "refuted"
    assert [type(s).__name__ for s in rule.rule[0][1].free_symbols if s.name == "w"] == [
        "ScalarNoise"
    ]


def of_the_length(x, h, grad):
    return x - h * grad(x) + h * np.sqrt(x.size - 1) * np.mean(x) / len(x) ** 2


def test_numbers_that_depend_on_the_length():
    rule = lift(of_the_length, state={"x": theta}, step=h, target=U, **GRADIENT)
    d = theta.dim
    assert rule.rule[0][1] == theta - h * grad(U, theta) + h * sqrt(d - 1) * total(theta) / d**3


def two_blocks(x, y, h, grads):
    gx, gy = grads(x, y)
    return x - h * gx, y - h * gy * np.exp(-h * np.sum(x**2))


def test_blocks_of_two_lengths():
    phi = Vector("phi")
    V = Potential("V", theta, phi)
    rule = lift(
        two_blocks,
        state={"x": theta, "y": phi},
        step=h,
        target=V,
        gradient={"grads": (grad(V, theta), grad(V, phi))},
    )
    assert dict(rule.rule)[phi] == phi - h * grad(V, phi) * exp(-h * total(theta**2))


def computed_floats(x, h, grad):
    return x - 0.1 * h * grad(x) + x / 3.0 * h + np.sqrt(2.0) * h * x + 0.12345678901234567 * h


def test_floats_are_decimals_and_short_roots():
    rule = lift(computed_floats, state={"x": theta}, step=h, target=U, **GRADIENT)
    e = rule.rule[0][1]
    assert e.coeff(grad(U, theta)) == -h / 10
    assert e.coeff(theta) == 1 + h / 3 + sqrt(2) * h
    notes = " ".join(rule.reading.notes)
    assert "0.1 is read as 1/10" in notes
    assert "1.4142135623730951 is read as sqrt(2)" in notes


def test_the_lines_of_terms():
    rule = lift(thermostat, **CASES["thermostat"][1], **GRADIENT, noise="rng")
    first = thermostat.__code__.co_firstlineno
    of_p = [t for t in rule.reading.terms if t.block == p and t.place]
    assert {t.place.line for t in of_p} == {first + 1}
    assert rule.reading.line_of(xi).line == first + 2
    shown = rule.text
    assert f"test_lift_rules.py, line {first + 2}" in shown
    assert f"test\\_lift\\_rules.py:{first + 2}" in rule.latex


def test_functions_of_numba_are_read_as_python():
    from numba import njit

    compiled = njit(sgld_of_arrays)
    rule = lift(
        compiled,
        state={"x": theta},
        step=h,
        target=U,
        arguments={"g": grad(U, theta)},
        noise={"w": Noise("w", like=theta)},
    )
    assert rule.rule[0][1] == theta - h * grad(U, theta) + sqrt(2 * h) * Noise("w", like=theta)


def sgld_of_arrays(x, g, w, h):
    out = np.empty_like(x)
    for i in range(x.size):
        out[i] = x[i] - h * g[i] + np.sqrt(2.0 * h) * w[i]
    return out
