"""Proofs that the coefficients of a process have a finite mean under exp(-H).

A coefficient is multiplied out. In each term the factors are sorted by the parts of H, which have
no block in common and are therefore independent under exp(-H). A part has all moments if it grows
at least like a power in every direction, or if ``exp(-H + c |z|)`` has a finite integral for each
of its coordinates z and some c > 0. For a part that is a sum over single coordinates, the mean of a
function of one coordinate is one integral.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sympy import Add, Expr, Mul, Rational, S, log

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, opened
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_positive
from verify.decide.asymptotics.growth import bound
from verify.diffusion.infinity.dominance import Powers, coercive, weight
from verify.diffusion.infinity.ends import End, T, at_end, ends, is_integrable
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.infinity.separation import (
    Summand,
    TooManyTermsError,
    multiplied_out,
    of_one_coordinate,
    parts_of,
)
from verify.verdict import Verdict

SLOPES = (Rational(1, 4), Rational(1, 64))  # of the exponential of a coordinate, which are tried
ANY_POWER = S.One  # stands for a part that has all moments, whatever its growth


def have_finite_means(
    H: Expr, state: tuple[Block, ...], coefficients: Iterable[Expr], falling: int
) -> bool:
    """Return True if each expression, divided by ``(1 + |z|^2)^(falling/2)``, is proved to have a
    finite mean under exp(-H), which must be normalisable.

    False proves nothing.
    """
    try:
        parts = parts_of(H, state)
        terms = [t for e in coefficients for t in Add.make_args(multiplied_out(e))]
    except TooManyTermsError:
        return False
    known = {part: _powers(part) for part in parts}
    powers: Powers = {b: p for found in known.values() if found for b, p in found.items()}
    apart = [part for part, found in known.items() if found is None]
    return all(
        any(_has_finite_mean(e, powers, apart) for e in _smaller(t, state, falling))
        for t in dict.fromkeys(terms)
        if blocks_in(t, state)
    )


def _smaller(term: Expr, state: tuple[Block, ...], falling: int) -> Iterator[Expr]:
    """Yield the term, and the term divided by less than ``(1 + |z|^2)^(falling/2)``."""
    yield term
    for b in state:
        if b in term.free_symbols:
            yield term / (1 + b**2) ** Rational(falling, 2)


def _powers(part: Summand) -> Powers | None:
    """Powers for the blocks of a part that has all moments; None if that is not proved."""
    found = coercive(part.e, part.blocks)
    if (
        found is not None
        and not found.assumptions
        and all(p is not None and is_positive(p) for p in found.powers.values())
    ):
        return found.powers
    if len(part.blocks) > 1 and _has_exponential_moments(part):
        return dict.fromkeys(part.blocks, ANY_POWER)
    return None


def _has_exponential_moments(part: Summand) -> bool:
    """Return True if ``exp(c |z|)`` has a finite mean for each coordinate z and some c > 0.

    All moments of a coordinate are then finite, and by Hoelder's inequality so are those of
    products. As ``exp(c |z|) <= exp(c z) + exp(-c z)``, two integrals for each coordinate decide.
    """
    return all(isinstance(b, Scalar) for b in part.blocks) and all(
        any(all(_is_integrable(part.e + s * c * b, part) for s in (1, -1)) for c in SLOPES)
        for b in part.blocks
    )


def _is_integrable(e: Expr, part: Summand) -> bool:
    found = decide_finite(e, part.blocks)
    return found.verdict is Verdict.PROVED and not found.assumed


def _has_finite_mean(term: Expr, powers: Powers, apart: list[Summand]) -> bool:
    rest, found = [*Mul.make_args(term)], True
    for part in apart:
        inside = [f for f in rest if blocks_in(f, part.blocks)]
        rest = [f for f in rest if f not in inside]
        found = found and (not inside or _is_finite_in_one_coordinate(Mul(*inside), part))
    return found and weight(Mul(*rest), powers) is not None


def _is_finite_in_one_coordinate(g: Expr, part: Summand) -> bool:
    """Return True if a function of one coordinate, or a sum of such, has a finite mean under a part
    that is a sum over single coordinates.
    """
    x = part.blocks[0]
    h = of_one_coordinate(part.e, x)
    if len(part.blocks) > 1 or h is None or on_simplex(x):
        return False
    if isinstance(g, Total):
        g, label = opened(g)
        if labels(g) != {label}:
            return False
    held = [s for s in g.free_symbols if isinstance(s, Vector | Scalar)]
    if len(held) != 1 or (held[0].at(GENERIC) if isinstance(held[0], Vector) else held[0]) != x:
        return False  # a function of several coordinates, or of several blocks
    g = g.xreplace({held[0]: x})
    if g.atoms(Total) or abstract_atoms(g) or not is_continuous(g, h):
        return False
    return all(_is_finite_at(end, g, h, x) for end in ends(x))


def _is_finite_at(end: End, g: Expr, h: Expr, x: Block) -> bool:
    """Return True if ``|g| exp(-h)`` is proved to have a finite integral up to an end."""
    f = at_end(g, x, end)
    order = None if f is None else bound(f, T)
    if order is None:
        return False
    grown = order.power * log(T) + order.logs * log(log(T))
    return is_integrable(h - grown - Add(*(a * T**s for s, a in order.rates)), x, end) is True
