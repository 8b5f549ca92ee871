"""What the samplers of tiny_langevin claim to sample."""

import tiny_langevin
from sympy import Symbol

from recipe import Potential, Vector, grad, lift, total

theta = Vector("theta")
p = Vector("p", like=theta)
U = Potential("U", theta)
h, a = Symbol("h", positive=True), Symbol("a", positive=True)
shared = {
    "step": h,
    "noise": "rng",
    "gradient": {"gradient": grad(U, theta)},
}

sgld = lift(tiny_langevin.sgld, **shared, state={"x": theta}, arguments={"step_size": h}, target=U)
sghmc = lift(
    tiny_langevin.sghmc,
    **shared,
    state={"x": theta, "momentum": p},
    arguments={"step_size": h, "friction": a},
    target=U + total(p**2) / 2,
)
