"""Coordinates whose drift depends on others, at an edge where their noise, which is their own,
vanishes.

At a distance e from the edge let ``D = c e + O(e^2)`` depend on the coordinate alone, and let f be
its drift inwards.

* If ``f >= c - C e^a`` near the edge for some C and a > 0, uniformly on bounded parts of the
  domain, also where other coordinates are near an end, then ``V = -log(e) - K e^a`` has
  ``L V <= 0`` near the edge for a large K, on every bounded set, so that the edge is never reached
  (Khasminskii 2012, theorem 3.5).
* If f goes to ``b > 0`` on the edge, which may depend on the others, the arguments on the faces of
  a simplex hold as they stand: the coordinate stays on its side, as it would only be pushed back;
  its local time at the edge and so the time spent there vanish; and as D vanishes with e and the
  current of exp(-H) is zero, nothing flows through the edge.

Without a current, ``f = D' - D H'`` with the derivative of H by e. So the first condition is ``e H'
<= C e^a``, and the second one that ``e H'`` has a limit below 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from sympy import Dummy, Expr, Symbol, symbols
from sympy.core.function import AppliedUndef

from recipe import Recipe
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Field, Jet, Partial, Potential
from recipe.language.blocks import Scalar, Vector
from recipe.language.calculus import partial
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.text import text
from recipe.signs.defined import is_smooth
from recipe.signs.sign import is_nonnegative, is_positive
from verify.decide.asymptotics.leading import NoLeadingTermError, certain_sign, leading
from verify.decide.signs_of_data import with_signs
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.boundary.corners import closed_block, up_to, with_end
from verify.diffusion.boundary.edges import NOT_ATTAINED, SELF_REFLECTING, Edge, nonlocal_atom
from verify.diffusion.boundary.reflected import is_along_the_normal
from verify.generator.coupling import own_diffusion
from verify.generator.fokker_planck import current
from verify.scope import ANY_DATA, THESE_DATA, for_posterior
from verify.subject import Subject
from verify.verdict import Outcome, proved

Data = Iterable[tuple[Symbol, Any]]  # the symbols of data, with their numbers

ABSTRACT = (Potential, Field, Partial, Jet, AppliedUndef)


def decide_by_own_noise(edge: Edge, subject: Subject) -> Outcome | None:
    """Decide an edge at which the noise of the coordinate, its own, vanishes like the distance.

    *Proved* under an assumption where the law is an abstract potential without a posterior, of
    which nothing is known at the edge.

    Returns:
        None if a condition is not proved, which leaves the question open.
    """
    block = edge.block
    if not _has_own_linear_noise(edge, subject) or not vanishes(
        current(subject.dynamics, subject.gradient)[block]
    ):
        return None
    # e H', free of a pole at the edge that H' itself may have
    slope = normalised((block - edge.end) * partial(subject.H, block))
    abstract = [U for U in subject.H.atoms(Potential) if block in U.blocks]
    if not abstract:
        return _by_slopes(edge, [slope])
    posterior = _posterior_of(subject, abstract)
    if posterior is None:
        return _assuming_a_bound(edge, slope)
    U = abstract[0]
    rest = normalised(slope - (block - edge.end) * partial(U, block))
    if rest.atoms(Potential):
        return None
    found = _with_posterior(edge, rest, posterior, posterior.data)
    if found is None:
        return None
    needs_signs = found != _with_posterior(edge, rest, posterior, ())
    data = THESE_DATA if needs_signs else ANY_DATA
    return replace(found, scope=for_posterior(subject.scope, U, data))


def _has_own_linear_noise(edge: Edge, subject: Subject) -> bool:
    """Return True if D is proved to be ``c e + O(e^2)``, a function of the coordinate alone."""
    if not is_along_the_normal(edge, subject):
        return False
    D = normalised(own_diffusion(subject.dynamics, edge.block))
    if blocks_in(D, subject.state) - {edge.block} or nonlocal_atom(D, subject.state) is not None:
        return False
    closed = up_to(edge, D)
    if closed is None or not is_smooth(closed):
        return False
    e = Dummy("e", positive=True)
    try:
        found = leading(edge.approached(D, e), e)
    except NoLeadingTermError:
        return False
    return found.power == 1 and found.logs == 0 and certain_sign(found.coefficient) == 1


def _by_slopes(edge: Edge, slopes: list[Expr]) -> Outcome | None:
    """Decide from terms whose sum is ``e H'``, where all but the first one may be added any number
    of times.
    """
    at_edge = [v for slope in slopes if (v := _at_edge(edge, slope)) is not None]
    if len(at_edge) < len(slopes):
        return None
    first, *others = at_edge
    if not all(is_nonnegative(-value) for value in others):
        return None
    if is_nonnegative(-first):
        kind = NOT_ATTAINED
    elif is_positive(1 - first):
        kind = SELF_REFLECTING
    else:
        return None
    bound = ("at most " if others else "") + text(first)
    return proved(
        f"{kind}, as the noise of {edge.block} is its own and vanishes like the distance e from"
        f" the edge, and e dH/de goes to {bound} there, whatever the other coordinates are"
    )


def _at_edge(edge: Edge, e: Expr) -> Expr | None:
    """The value on the edge of an expression that is proved smooth up to it, also where other
    coordinates are at an end of their domain; else None.
    """
    closed = _closed(edge, e)
    if closed is None or not is_smooth(closed):
        return None
    return normalised(closed.xreplace({with_end(edge): edge.end}))


def _closed(edge: Edge, e: Expr) -> Expr | None:
    """The expression with this end of the coordinate included, and with all ends of all others.

    At a corner, ``x/(x + y)`` has no limit, although it has one at x = 0 for every y > 0. None if
    an abstract function, which is defined inside only, or a block on a simplex occurs.
    """
    ends = {s: closed_block(s) for s in e.atoms(Vector, Scalar)}
    own = next((s for s in ends if s == edge.block), None)
    if any(on_simplex(s) for s in ends) or e.atoms(*ABSTRACT):
        return None
    return e.xreplace(ends if own is None else {**ends, own: with_end(edge)})


def _assuming_a_bound(edge: Edge, slope: Expr) -> Outcome:
    """Prove that the edge is never reached, for every abstract potential that allows it."""
    C, a = symbols("C a")
    bound = C * (edge.inward * (edge.block - edge.end)) ** a
    return proved(
        f"{NOT_ATTAINED}, as the noise of {edge.block} is its own and vanishes like the distance"
        " from the edge, for every potential with the bound that is assumed",
        f"{text(slope)} <= {text(bound)} near {edge} for some C and a > 0, uniformly on bounded"
        " parts of the domain",
    )


# -- posteriors
# --------------------------------------------------------------------------------------------------


def _posterior_of(subject: Subject, abstract: list[Potential]) -> Posterior | None:
    """The posterior that stands for the only abstract potential of the block; None if there is
    none.
    """
    declared = subject.declared
    known = dict(declared.posteriors) if isinstance(declared, Recipe) else {}
    return known.get(abstract[0]) if len(abstract) == 1 else None


def _with_posterior(edge: Edge, rest: Expr, posterior: Posterior, data: Data) -> Outcome | None:
    """Decide from the terms of a posterior and the rest of ``e H'``."""
    terms = _slopes_of(posterior, edge, data)
    return None if terms is None else _by_slopes(edge, [rest + terms[0], *terms[1:]])


def _slopes_of(posterior: Posterior, edge: Edge, data: Data) -> list[Expr] | None:
    """The terms of ``e U'``: of the prior, and of one datum with the signs that ``data`` have.

    None where the log likelihood is not written out.
    """
    if posterior.log_likelihood is None or edge.block not in posterior.blocks:
        return None
    e = edge.block - edge.end
    datum = with_signs(posterior.datum_gradient[edge.block], data)
    return [normalised(e * posterior.prior_gradient[edge.block]), normalised(e * datum)]
