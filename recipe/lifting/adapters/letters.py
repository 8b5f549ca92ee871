"""The letters that adapters use, and the law that a library says its samplers have."""

from __future__ import annotations

from sympy import Expr, Symbol

from recipe.language.abstract import Potential
from recipe.language.blocks import Scalar, Vector
from recipe.language.checks.operators import grad
from recipe.language.total import total

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h, T, s = (Symbol(name, positive=True) for name in "hTs")
a, b = Symbol("a", positive=True), Symbol("b", nonnegative=True)
gradient = grad(U, theta)
# What the arguments of samplers are called, and what they mean wherever they are called so.
ARGUMENTS: dict[str, Expr] = {
    "step_size": h, "dt": h, "lr": h, "temperature": T, "tau": T, "alpha": a, "gamma": a, "a": a,
    "friction": a, "beta": b, "sigma": s,
}  # fmt: skip
BLOCKS: dict[str, Vector | Scalar] = {
    "position": theta, "params": theta, "x": theta, "momentum": p, "momenta": p, "v": p, "xi": xi,
}  # fmt: skip


def law(blocks: list[str], arguments: list[str]) -> Expr:
    """The law of a sampler with these blocks and arguments: U, momenta with the standard deviation
    sigma, a thermostat around the friction, all at a temperature.
    """
    H: Expr = U
    spread = s if "sigma" in arguments else 1
    if any(BLOCKS[n] is p for n in blocks):
        H += total(p**2) / (2 * spread**2)
    if any(BLOCKS[n] is xi for n in blocks):
        H += theta.dim * (xi - a) ** 2 / 2
    return H / T if {"temperature", "tau"} & set(arguments) else H
