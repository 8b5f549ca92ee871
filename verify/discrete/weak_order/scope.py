"""The scope of a proved order, and its assumptions, in words."""

from __future__ import annotations

from sympy import Add, Expr, Mul, S

from recipe.declare.update import Update
from recipe.language.abstract import DenseEntry, Potential
from recipe.language.blocks import Vector
from recipe.language.symbols import Length
from recipe.language.total import Total
from verify.scope import kinds_of

SMOOTH = "the scheme has an invariant law that depends smoothly on the step"
UNIQUE = "the limit diffusion has no other invariant law than exp(-H)"
EDGE = "no step leaves the domain, and nothing is lost at its edge"


def assumptions_for(update: Update) -> tuple[str, ...]:
    """Return the assumptions of an order, which no expansion can prove."""
    edge = (EDGE,) if any(block.domain != S.Reals for block in update.state) else ()
    return (SMOOTH, UNIQUE, *edge)


def scope_in_one_dimension(update: Update) -> str:
    """Return the laws and lengths for which the order of an update is proved."""
    kinds = ", ".join(kinds_of(update))
    if not any(isinstance(block, Vector) for block in update.state):
        return kinds or "as written"
    if all(map(_is_elementwise, (e for _, e in (*update.rule, *update.observe)))) and _is_separable(
        update.target
    ):
        beyond = (
            "a proof in one dimension refutes a higher order for every d; it does not prove an"
            " order for d > 1"
        )
    else:
        beyond = "the coordinates are coupled, so nothing is said of d > 1"
    return "; ".join(
        part for part in ("one dimension, every block of length 1", kinds, beyond) if part
    )


def _is_elementwise(e: Expr) -> bool:
    return not e.has(Total, Length, DenseEntry)


def _is_separable(H: Expr) -> bool:
    """Return True if H can be a sum of functions of one coordinate: d independent copies are then
    among the claimed laws.
    """
    return all(_is_one_sum(term) for term in Add.make_args(H))


def _is_one_sum(term: Expr) -> bool:
    """Return True if a term is a constant times a potential, or times one sum over coordinates."""
    factors = [f for f in Mul.make_args(term) if f.has(Total, Potential, Vector)]
    return (
        all(isinstance(f, Total | Potential) for f in factors)
        and len(factors) <= 1
        and not term.has(Length)
    )
