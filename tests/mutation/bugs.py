"""Wrong rules that were published: those of libraries and papers in ``catalog/audits``, and kernels
of libraries.

Nobody made these by an operator. They count as killed if they are refuted, as any other mutant.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Symbol, sqrt

from catalog.hmc import ghmc, hmc
from catalog.sgrld_simplex_reduced_mean import sgrld_simplex_reduced_mean_as_printed
from mutation.mutant import BUG, Mutant
from recipe import Kernel, Noise, Potential, Update, Vector, grad, total
from recipe.kernel.part import MetropolisedMap, Move
from recipe_cli.declarations.find import audit_declarations
from recipe_cli.declarations.of_catalog import audit_names

theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
T, eps = Symbol("T", positive=True), Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
H = hmc.H


def bugs() -> Iterator[Mutant]:
    """All of them."""
    for source in audit_names():
        for found in audit_declarations(source):
            if found.declared.expect == "refuted":
                yield Mutant(BUG, source, "published bug", found.name, found.declared)
    printed = sgrld_simplex_reduced_mean_as_printed
    yield Mutant(
        BUG, "patterson_teh_2013", "published bug", "reduced mean, gradient of Table 1", printed
    )
    yield from _kernels()


def _kernels() -> Iterator[Mutant]:
    """Refreshes of the wrong variance, and a rejection that keeps the momentum."""
    yield _of("r_sgmcmc", "sghmc: refresh of half the variance", _refresh(w / sqrt(2), H))
    yield _of("blackjax", "sghmc: refresh at temperature 1", _refresh(w, (U + total(r**2) / 2) / T))
    refresh, test = ghmc.parts
    assert isinstance(test, MetropolisedMap)
    kept = MetropolisedMap(test.map, test.times, test.flips, flip_on_rejection=False)
    for library in ("jax_sgmc", "bnn_priors"):
        yield _of(library, "sggmc: a rejection keeps the momentum", Kernel([refresh, kept]))
    # Two steps x += v, v += eta g(x_old) after a refresh v ~ N(0, eta), eta the step: the first
    # does not see the gradient.
    twice = Update(eps, {theta: theta + 2 * sqrt(eps) * w - eps * grad(U, theta)}, U)
    yield _of("sgmcmcjax", "sghmc: refresh before every 2 steps", twice)


def _of(source: str, change: str, declared: Kernel | Update) -> Mutant:
    return Mutant(BUG, source, "published bug", change, declared)


def _refresh(momentum: object, target: object) -> Kernel:
    return Kernel([Move(Update(eps, {theta: theta, r: momentum}, target), "refresh")])
