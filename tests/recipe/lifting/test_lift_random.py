"""Random programs: what is read is what plain Python computes with sympy's symbols."""

import random

import pytest
from oracles.code_by_sympy import differing
from sympy import Symbol

from recipe import Noise, Potential, Vector, grad, lift, total

theta = Vector("theta")
p = Vector("p", like=theta)
U = Potential("U", theta)
h = Symbol("h", positive=True)
STEPS = 7


def program(seed):
    """A function of one step, from its seed alone."""

    def function(x, v, w1, w2, h, grad):
        choose = random.Random(seed)
        arrays = [x, v, grad(x), w1, w2]
        for _ in range(STEPS):
            a, b = choose.choice(arrays), choose.choice(arrays)
            kind = choose.randrange(7)
            arrays.append(
                [
                    lambda a=a, b=b: a + b * h,
                    lambda a=a, b=b: a - 2 * b,
                    lambda a=a, b=b: a * b,
                    lambda a=a, b=b: a * (b * a).sum(),
                    lambda a=a, b=b: a + (b**2).sum() / b.size,
                    lambda a=a, b=b: -a * h**2 + 3,
                    lambda a=a, b=b: a + added(b * a),
                ][kind]()
            )
        return arrays[-1], arrays[-2] + v

    return function


def added(a):
    """A sum by a loop, from both ends."""
    flat, out = a.ravel(), 0
    for k in range(flat.size):
        out = flat[k] + out if k % 2 else out + flat[k]
    return out


@pytest.mark.by_default(25)
@pytest.mark.parametrize("seed", range(200))
def test_what_is_read_is_what_python_computes(seed):
    function = program(seed)
    rule = lift(
        function,
        state={"x": theta, "v": p},
        step=h,
        target=U + total(p**2) / 2,
        gradient={"grad": grad(U, theta)},
        noise={name: Noise(name, like=theta) for name in ("w1", "w2")},
    )

    def with_draws(x, v, h, grad, rng):
        return function(x, v, rng.standard_normal(x.shape), rng.standard_normal(x.shape), h, grad)

    for shape in ((4,), (2, 2)):
        assert differing(rule, (theta, p), with_draws, shape, ["w1", "w2"], h=h) == []
