"""A step that records another value than its state."""

from __future__ import annotations

from sympy import Symbol, sqrt

from recipe import (
    Noise,
    Scalar,
    Update,
    Vector,
    total,
)

theta = Vector("theta")
a = Scalar("a")
h = Symbol("h", positive=True)
w, n, m = Noise("w", like=theta), Noise("n", like=theta), Noise("m", like=a)


LM = Update(
    h,
    {theta: theta - h * theta**3 + sqrt(h) * w, a: a + h * total(theta)},
    total(theta**2),
    observe={theta: theta + sqrt(h / 2) * n * a, a: total(theta) + m},
    name="recorded",
)
