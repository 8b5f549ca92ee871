"""What BlackJAX's and SGMCMCJax's samplers do, beside the rules that ``catalog/audits`` takes them
for.

    python benchmarks/foreign_samplers.py blackjax     (needs blackjax)
    python benchmarks/foreign_samplers.py sgmcmcjax    (needs sgmcmcjax, whose JAX is older: an
                                                       environment of its own)

Everything has the gradient of all data, and float64.  Two things are asked, both with an exact
null:

    one step      check_kernel: is the law of one step that of the rule?
    law           check_invariance: started in a law, are the replicas still in it after some steps?
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sympy import Symbol, exp, sqrt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from catalog.audits import blackjax as audited
from catalog.audits import sgmcmcjax as audited_old
from catalog.sghmc import sghmc
from recipe import Kernel, Noise, Potential, Update, Vector, compose, discretised, grad, step, total
from verify import check_invariance, check_kernel
from verify.statistics import Findings

LENGTH, SEED, STEP, FRICTION = 3, 1, 0.3, 0.7
CURVATURE, L, SMALL = 2.0, 10, 0.02
Found = tuple[str, str, Findings]


def slope(x: Any) -> Any:
    """The gradient of U: neither even nor of unit scale, other in each coordinate, and these depend
    on each other.
    """
    n = x.shape[1]
    beside = (np.eye(n, k=1) + np.eye(n, k=-1)) / 4
    return (np.arange(n) + 4) / 4 * x + np.tanh(x - 0.5) + x @ beside


def potential(x: Any) -> Any:
    """U itself, for JAX."""
    import jax.numpy as jnp

    i, y = jnp.arange(1, x.shape[0] + 1), x - 0.5
    return ((i + 3) / 8 * x**2 + jnp.logaddexp(y, -y)).sum() + (x[1:] * x[:-1]).sum() / 4


def quadratic(x: Any) -> Any:
    return CURVATURE * (x**2).sum() / 2


def gumbel(x: Any) -> Any:
    """A skewed law with exact draws, of another scale in each coordinate."""
    import jax.numpy as jnp

    z = x / jnp.arange(1, x.shape[0] + 1)
    return (z + jnp.exp(-z)).sum()


def gumbel_draws(block: str) -> Callable[[np.random.Generator, int], Mapping[str, Any]]:
    return lambda rng, n: {block: rng.gumbel(size=(n, LENGTH)) * np.arange(1, LENGTH + 1)}


def one_step(kernel: Any, rule: Any, **params: float) -> Findings:
    named = {"U": slope}
    return check_kernel(
        kernel,
        rule,
        step_size=STEP,
        params=params,
        gradients=named,
        length=LENGTH,
        seed=SEED,
        batched=True,
        coupled=True,
    )


def in_law(kernel: Any, draw: Any, steps: int) -> Findings:
    return check_invariance(kernel, draw, steps=steps, seed=SEED, batched=True)


def swept_variance(h: float, a: float) -> float:
    """k times the variance of x that a new momentum and L explicit steps leave invariant at the
    curvature k, by their recursion.
    """
    matrix = np.array([[1, h], [-h * CURVATURE, 1 - h * a]])
    power = np.linalg.matrix_power(matrix, L)
    noise = power @ np.diag([0, 1.0]) @ power.T
    for j in range(L):
        root = np.linalg.matrix_power(matrix, j) @ np.array([0, np.sqrt(2 * a * h)])
        noise = noise + np.outer(root, root)
    return CURVATURE * noise[0, 0] / (1 - power[0, 0] ** 2)


def normal_draws(
    block: str, ratio: float
) -> Callable[[np.random.Generator, int], Mapping[str, Any]]:
    return lambda rng, n: {block: rng.standard_normal((n, LENGTH)) * np.sqrt(ratio / CURVATURE)}


def swept(kernel: Any, block: str, h: float, a: float) -> Iterator[Found]:
    """A momentum method that draws its momentum before every L steps: the law that is meant, and
    the one that it has.
    """
    ratio = swept_variance(h, a)
    yield f"sghmc, L = {L}", "law: the target", in_law(kernel, normal_draws(block, 1.0), 100)
    yield (
        f"sghmc, L = {L}",
        f"law: variances times {ratio:.4f}",
        in_law(kernel, normal_draws(block, ratio), 100),
    )


def of_blackjax() -> Iterator[Found]:
    theirs = importlib.import_module("blackjax_steps")
    T, b = 0.6, 0.2
    numbers = {"a": FRICTION, "b": b, "T": T}
    yield (
        "sgld",
        "one step: overdamped_langevin",
        one_step(theirs.sgld(potential, STEP, T), audited.overdamped_langevin, T=T),
    )
    flow = theirs.sghmc_integrator(potential, STEP, FRICTION, b, T)
    yield (
        "sghmc's integrator",
        "one step: sghmc_integrator",
        one_step(flow, audited.sghmc_integrator, **numbers),
    )
    yield (
        "sgnht",
        "one step: sgnht",
        one_step(theirs.sgnht(potential, STEP, FRICTION, b, T), thermostat(), **numbers),
    )
    h, x = audited.h, audited.x
    walk = Update(
        step=h, target=total(x**2) / 2, rule={x: x + h * Noise("w", like=x)}, name="a random walk"
    )
    yield (
        "sghmc, L = 1",
        "one step: x + h*w",
        one_step(theirs.sghmc(potential, STEP, FRICTION, 1), walk),
    )
    yield from swept(theirs.sghmc(quadratic, SMALL, FRICTION, L), "x", SMALL, FRICTION)
    for name in ("hmc", "nuts", "mala", "barker"):
        yield (
            name,
            "law: the target",
            in_law(theirs.exact(name, gumbel, 0.5, LENGTH), gumbel_draws("x"), 5),
        )


def of_sgmcmcjax() -> Iterator[Found]:
    theirs, old = importlib.import_module("sgmcmcjax_steps"), audited_old
    yield "sgld", "one step: sgld", one_step(theirs.sgld(potential, STEP), old.sgld)
    yield (
        "psgld",
        "one step: its rule",
        one_step(theirs.psgld(potential, STEP, 0.9, 0.1), preconditioned(), alpha=0.9, delta=0.1),
    )
    yield (
        "sgnht",
        "one step: sgnht",
        one_step(theirs.sgnht(potential, STEP, FRICTION), old.sgnht, A=FRICTION),
    )
    rule = discretised(sghmc, "baoab")
    yield (
        "baoab",
        "one step: BAOAB",
        one_step(theirs.baoab(potential, STEP, FRICTION), rule, C=FRICTION),
    )
    yield (
        "baoab",
        "one step: theta, r - h*grad(U)",
        one_step(theirs.baoab(potential, STEP, FRICTION), nothing_but_a_kick()),
    )
    yield "badodab", "one step: badodab", one_step(theirs.badodab(potential, STEP), old.badodab)
    yield (
        "badodab's updates",
        "one step: badodab",
        one_step(theirs.badodab_diffusion(potential, STEP), old.badodab),
    )
    yield (
        "badodab's updates",
        "one step: badodab_squared",
        one_step(theirs.badodab_diffusion(potential, STEP), old.badodab_squared),
    )
    yield (
        "baoab's updates",
        "one step: BAOAB",
        one_step(theirs.baoab_diffusion(potential, STEP, FRICTION), rule, C=FRICTION),
    )
    hot = theirs.baoab_diffusion(potential, STEP, FRICTION, tau=2.0)
    yield (
        "baoab's updates, tau = 2",
        "one step: BAOAB at T = 2",
        one_step(hot, baoab(), C=FRICTION, T=2.0),
    )
    yield (
        "baoab's updates, tau = 2",
        "one step: BAOAB at T = 4",
        one_step(hot, baoab(), C=FRICTION, T=4.0),
    )
    yield from swept(theirs.sghmc(quadratic, SMALL, FRICTION, L), "theta", SMALL, FRICTION)


def thermostat() -> Kernel:
    """The rule ``sgnht`` of the audit as two moves, so that the new momentum, which drives xi, is
    seen.
    """
    rule = dict(audited.sgnht.rule)
    x, p, xi, d = audited.x, audited.p, audited.xi, audited.d
    first = Update(step=audited.h, target=audited.sgnht.target, rule={**rule, xi: xi})
    drive = xi + audited.h * (total(p**2) / d - audited.T)
    return compose(
        step(first),
        step(Update(step=audited.h, target=audited.sgnht.target, rule={x: x, p: p, xi: drive})),
    )


def preconditioned() -> Update:
    """Li et al. (2016), algorithm 1 without its correction, as ``psgld`` computes it."""
    theta = Vector("theta")
    V, w, h = Vector("V", like=theta), Noise("w", like=theta), Symbol("h", positive=True)
    U, alpha, delta = (
        Potential("U", theta),
        Symbol("alpha", positive=True),
        Symbol("delta", positive=True),
    )
    g = -grad(U, theta)
    new, G = alpha * V + (1 - alpha) * g**2, 1 / (delta + sqrt(V))
    moved = theta + h / 2 * G * g + sqrt(h * G) * w
    return Update(step=h, target=U + total(V**2) / 2, rule=[(V, new), (theta, moved)])


def nothing_but_a_kick() -> Update:
    theta = Vector("theta")
    r, h, U = Vector("r", like=theta), Symbol("h", positive=True), Potential("U", theta)
    return Update(
        step=h, target=U + total(r**2) / 2, rule={theta: theta, r: r - h * grad(U, theta)}
    )


def baoab() -> Update:
    """BAOAB at a temperature T."""
    theta = Vector("theta")
    r, w, h = Vector("r", like=theta), Noise("w", like=theta), Symbol("h", positive=True)
    U, C, T = Potential("U", theta), Symbol("C", positive=True), Symbol("T", positive=True)
    kick, drift = (r, r - h / 2 * grad(U, theta)), (theta, theta + h / 2 * r)
    c = exp(-C * h)
    thermal = (r, c * r + sqrt(T * (1 - c**2)) * w)
    return Update(
        step=h, target=(U + total(r**2) / 2) / T, rule=[kick, drift, thermal, drift, kick]
    )


LIBRARIES = {"blackjax": of_blackjax, "sgmcmcjax": of_sgmcmcjax}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("library", choices=sorted(LIBRARIES))
    parser.add_argument(
        "--details", action="store_true", help="print all comparisons of what differs"
    )
    asked = parser.parse_args()
    for sampler, compared, found in LIBRARIES[asked.library]():
        worst = max(
            found.differing,
            key=lambda line: line.distance / max(line.threshold, 1e-300),
            default=None,
        )
        said = (
            ""
            if worst is None
            else (
                f"; {worst.name}: {worst.distance:.3g} (threshold {worst.threshold:.3g})"
                f" {worst.where}"
            )
        )
        unseen = f"; not seen: {', '.join(found.unseen)}" if found.unseen else ""
        print(
            f"{sampler} | {compared} | {found.outcome.value} | {found.replicas}{said}{unseen}",
            flush=True,
        )
        if asked.details and found.differing:
            print(found, flush=True)


if __name__ == "__main__":
    main()
