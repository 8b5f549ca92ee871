"""Split an expression such as H by blocks: its terms, the blocks they depend on, and parts with no
block in common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Dummy, Expr, Function, Integer, Mul, Poly, PolynomialError, Pow, S

from recipe.language.abstract import DenseEntry, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms, freeze, thaw
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, Indexed, Length
from recipe.language.total import Total, free_indexed, labels, opened, relabel, sum_over
from verify.decide.asymptotics.growth import expanded

MAX_TERMS = 400  # an expression with more terms is not expanded


class TooManyTermsError(Exception):
    """The expression would have too many terms when multiplied out."""


@dataclass(frozen=True)
class Summand:
    """A summand of H and the blocks that it depends on; no other summand depends on these.

    ``e`` is multiplied out. ``written`` is the same function up to a constant, as it was written
    if that can be split likewise: there a sum stands inside its power, ``(x - y)^4``.
    """

    blocks: tuple[Block, ...]
    e: Expr
    written: Expr


def multiplied_out(e: Expr) -> Expr:
    """Expand products of sums, inside of totals as well; arguments of functions are left as they
    are.

    Raises:
        TooManyTermsError: if the result would have more than MAX_TERMS terms.
    """
    if _size(e) > MAX_TERMS:
        raise TooManyTermsError(
            f"multiplied out, the expression would have more than {MAX_TERMS} terms"
        )
    inside = {t: _multiplied_out_total(t) for t in e.atoms(Total) if _is_outermost(t, e)}
    e = e.xreplace(inside)
    # expanding the argument of log(u (1 - u)) would hide its sign
    functions = {f: Dummy() for f in e.atoms(Function)}
    return expanded(e.xreplace(functions)).xreplace({dummy: f for f, dummy in functions.items()})


def _is_outermost(t: Total, e: Expr) -> bool:
    return not any(t != other and t in other.atoms(Total) for other in e.atoms(Total))


def _multiplied_out_total(t: Total) -> Expr:
    body, label = opened(t)
    return sum_over(multiplied_out(body), label, t.index.length)


def _size(e: Expr) -> int:
    """An upper bound for the number of terms after multiplying out."""
    if isinstance(e, Add):
        return sum(_size(a) for a in e.args)
    if isinstance(e, Mul):
        return math.prod(_size(a) for a in e.args)
    if isinstance(e, Pow) and e.exp.is_Integer and isinstance(e.base, Add):
        n = min(abs(int(e.exp)), MAX_TERMS + 1)
        return math.comb(n + _size(e.base) - 1, n)
    return max((_size(a) for a in e.args), default=1)


def parts_of(e: Expr, state: tuple[Block, ...]) -> list[Summand]:
    """Summands that have no block in common and add up to e, up to constants.

    A block that e does not depend on has the summand 0.

    Raises:
        TooManyTermsError: if e is too large to be multiplied out.
    """
    as_written = _groups(e, state)
    return [
        Summand(blocks, part, as_written.get(blocks, part))
        for blocks, part in _groups(multiplied_out(e), state).items()
    ]


def _groups(e: Expr, state: tuple[Block, ...]) -> dict[tuple[Block, ...], Expr]:
    """The terms of a sum, added where they have a block in common, by their blocks."""
    groups: list[tuple[set[Block], Expr]] = [({b}, S.Zero) for b in state]
    for term in Add.make_args(e):
        touched = blocks_in(term, state)
        if not touched:
            continue
        joined = [g for g in groups if g[0] & touched]
        groups = [g for g in groups if not g[0] & touched]
        groups.append((set().union(*(g[0] for g in joined)), Add(term, *(g[1] for g in joined))))
    return {tuple(b for b in state if b in blocks): part for blocks, part in groups}


def couples(e: Expr, state: tuple[Block, ...]) -> set[frozenset[Block]]:
    """The pairs of blocks that stand in one term.

    Raises:
        TooManyTermsError: if e is too large to be multiplied out.
    """
    return {
        frozenset(pair)
        for term in Add.make_args(multiplied_out(e))
        for pair in combinations(blocks_in(term, state), 2)
    }


def of_one_coordinate(e: Expr, block: Block) -> Expr | None:
    """The function h with ``e = total(h(block))``, or ``e = h(block)`` for a scalar; None if there
    is none.

    e must depend on no other block.
    """
    if isinstance(block, Scalar) or e == 0:
        return e
    summands = []
    for term in Add.make_args(e):
        constant, total = scaled_total(term)
        if total is None or total.index.length != block.length or blocks_in(constant, (block,)):
            return None
        body, label = opened(total)
        if labels(body) != {label} or body.atoms(Total, DenseEntry):
            return None
        summands.append(constant * relabel(body, label, GENERIC))
    return Add(*summands)


def of_one_coordinate_each(e: Expr, blocks: tuple[Block, ...]) -> Expr | None:
    """The summand of ``total``, if all blocks have one length; e itself, if all are scalars.

    None for other expressions.
    """
    if all(isinstance(b, Scalar) for b in blocks):
        return None if e.atoms(Total, Potential) else e
    if len({b.length for b in blocks}) != 1:
        return None
    summands = []
    for term in Add.make_args(e):
        constant, t = scaled_total(term)
        if (
            t is None
            or blocks_in(constant, blocks)
            or abstract_atoms(t.body)
            or len(labels(t.body)) != 1
        ):
            return None
        summands.append(constant * relabel(t.body, t.index.label, GENERIC))
    return Add(*summands)


def scaled_total(term: Expr) -> tuple[Expr, Total | None]:
    """A term as (factor, total); (term, None) unless exactly one of its factors is a total."""
    totals = [f for f in Mul.make_args(term) if isinstance(f, Total)]
    if len(totals) != 1:
        return term, None
    return Mul(*(f for f in Mul.make_args(term) if f is not totals[0])), totals[0]


@dataclass(frozen=True)
class Quadratic:
    """``total(a x^2 + b x) + rest`` (without ``total`` for a scalar block x), where a, b and rest
    do not depend on x.
    """

    a: Expr
    b: Expr
    rest: Expr


def as_quadratic(e: Expr, block: Block) -> Quadratic | None:
    """Read e as a quadratic polynomial of each coordinate of a block.

    None if it is not one, or has products of two coordinates of the block.
    """
    a, b, rest = S.Zero, S.Zero, S.Zero
    for term in Add.make_args(e):
        if not blocks_in(term, (block,)):
            rest += term
            continue
        inside = _in_one_coordinate(term, block)
        coefficients = None if inside is None else _coefficients(inside, block)
        if coefficients is None:
            return None
        a, b = a + coefficients[0], b + coefficients[1]
        rest += (
            sum_over(coefficients[2], GENERIC, block.length)
            if isinstance(block, Vector)
            else coefficients[2]
        )
    return Quadratic(a, b, rest)


def _in_one_coordinate(term: Expr, block: Block) -> Expr | None:
    """The summand of a scaled total at the generic coordinate; it may depend on other blocks."""
    if isinstance(block, Scalar):
        return term
    constant, total = scaled_total(term)
    if total is None or total.index.length != block.length or blocks_in(constant, (block,)):
        return None
    return constant * relabel(total.body, total.index.label, GENERIC)


def _coefficients(e: Expr, block: Block) -> tuple[Expr, Expr, Expr] | None:
    frozen, stands_for = freeze(e)
    if any(blocks_in(atom, (block,)) for atom in stands_for) or any(
        s != block and _is_at(s, block) for s in free_indexed(e)
    ):
        return None
    try:
        found = Poly(frozen, block).all_coeffs()[::-1]
    except PolynomialError:
        return None
    if len(found) > 3 or any(blocks_in(c, (block,)) for c in found):
        return None
    c, b, a = (thaw(x, stands_for) for x in (*found, S.Zero, S.Zero)[:3])
    return a, b, c


def _is_at(s: Indexed, block: Block) -> bool:
    return isinstance(s, Vector) and s.at(GENERIC) == block


def at_length_one(e: Expr) -> Expr:
    """The expression where every vector has one coordinate."""
    totals = list(e.atoms(Total))
    while totals:
        inner = next(t for t in totals if not t.body.atoms(Total))
        body, label = opened(inner)
        e = e.xreplace({inner: relabel(body, label, GENERIC)})
        totals = list(e.atoms(Total))
    return e.xreplace(dict.fromkeys(e.atoms(Length), S.One))


def in_coordinates(
    e: Expr, blocks: tuple[Block, ...], n: int
) -> tuple[Expr, tuple[Scalar, ...]] | None:
    """The expression where every vector has n coordinates, each a scalar of its own.

    None if a symbol with an index is no block, an abstract function is left, or a name is taken.
    """
    vectors = [b for b in blocks if isinstance(b, Vector)]
    each = {b: [Scalar(f"{b.name}_{k}", domain=b.domain) for k in range(1, n + 1)] for b in vectors}
    new = {s for coordinates in each.values() for s in coordinates}
    if new & (e.free_symbols | set(blocks)) or len({s.name for s in new}) < n * len(vectors):
        return None
    totals = list(e.atoms(Total))
    while totals:
        inner = next(t for t in totals if not t.body.atoms(Total))
        label = inner.index.label
        terms = (inner.body.xreplace({b.at(label): each[b][k] for b in vectors}) for k in range(n))
        e = e.xreplace({inner: Add(*terms)})
        totals = list(e.atoms(Total))
    e = e.xreplace(dict.fromkeys(e.atoms(Length), Integer(n)))
    if e.atoms(Indexed) or abstract_atoms(e):
        return None
    return e, tuple(s for b in blocks for s in each.get(b, [b]))
