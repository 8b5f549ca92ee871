"""A marginal law is refuted where an integral over auxiliary blocks is not constant.

It grows or falls strictly: let ``M(k)`` be the integral of ``exp(-W(k, r))`` over r. If
``dW/dk >= 0`` for every r and every k of an interval, and ``> 0`` for every r of an open set, then
``exp(-W)`` falls with k at every r, and strictly on that set: ``M(k_2) < M(k_1)`` for
``k_1 < k_2``, if ``M(k_2)`` is finite. So M is not constant. No derivative is taken under an
integral.

k is a coordinate that is kept; or the value of an expression of kept coordinates, if W depends on
them through it alone; or the value of an abstract function, which may be any number that its
declaration allows.

It has a finite integral itself: if ``exp(-W)`` has a finite integral over the blocks that are kept
and integrated together, M has one over the blocks that are kept. A positive constant has none
over a domain of infinite volume.

Vectors have length 1 here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from sympy import (
    Dummy,
    Expr,
    Integer,
    Interval,
    S,
    Symbol,
    cosh,
    exp,
    oo,
    preorder_traversal,
    sign,
    tanh,
)
from sympy.core.function import AppliedUndef

from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.free_symbols import UnusedNames, blocks_in, unused_name
from recipe.language.text import listed, text
from recipe.signs.sets import NEGATIVE, NOT_NEGATIVE, NOT_POSITIVE, POSITIVE
from recipe.signs.sign import possible_signs
from verify.decide.asymptotics.leading import certain_sign
from verify.decide.points.point import Point
from verify.diffusion.infinity.logarithm import log_of
from verify.diffusion.infinity.mass import decide_finite
from verify.diffusion.infinity.separation import at_length_one
from verify.verdict import Verdict, Witness

PLACES = tuple(map(Integer, (0, 1, -1, 2, -2, 3, -3)))  # of a kept coordinate
LEVELS = tuple(Integer(k) / 2 for k in range(-4, 9))  # of an expression of kept coordinates
SAMPLES = 16
MAX_RANGES = 6  # of one quantity
MAX_NODES = 45  # of a derivative whose sign is looked for
MAX_QUADRANTS = 16


@dataclass(frozen=True)
class _Quantity:
    """The value k that is varied, the expression that it is the value of, and W as a function of
    it.
    """

    k: Symbol
    of: Expr
    W: Expr


def find_strict_change(W: Expr, kept: tuple[Block, ...], left: tuple[Block, ...]) -> Witness | None:
    """Two values at which the integrals over the blocks that are left are proved to differ.

    None proves nothing.
    """
    one = scalars_for((*kept, *left))
    e = in_numbers(W)
    if e is None or not left or any(not isinstance(b.domain, Interval) and b.domain != S.Reals
                                    for b in (*kept, *left)):  # fmt: skip
        return None
    kept_one, left_one = ([one.get(b, b) for b in blocks] for blocks in (kept, left))
    for q in _quantities(e.xreplace(one), tuple(kept_one)):
        for low, high in itertools.islice(_ranges(q, tuple(kept_one)), MAX_RANGES):
            witness = _changes(q, low, high, tuple(left_one))
            if witness is not None:
                point = {**{str(b.length): "1" for b in one}, **witness.point}
                return Witness(point, witness.finding)
    return None


def find_finite_whole(W: Expr, kept: tuple[Block, ...], left: tuple[Block, ...]) -> Witness | None:
    """The witness that ``exp(-W)`` has a finite integral over all blocks together.

    None if that is not proved, or the blocks that are kept have a finite volume.
    """
    one = scalars_for((*kept, *left))
    e = in_numbers(W)
    if e is None or not left or any(map(on_simplex, (*kept, *left))):
        return None
    if all(len(finite_ends(b.domain)) == 2 for b in kept):
        return None
    mass = decide_finite(e.xreplace(one), tuple(one.get(b, b) for b in (*kept, *left)))
    if mass.verdict is not Verdict.PROVED or mass.assumed:
        return None
    names = listed(kept)
    return Witness(
        {str(b.length): "1" for b in one},
        f"the integral of exp(-(H - U)) over {listed((*kept, *left))} is finite ({mass.by}); were"
        f" the one over {listed(left)} constant, it would be infinite, as {names} has an infinite"
        " domain",
    )


def scalars_for(blocks: tuple[Block, ...]) -> dict[Block, Scalar]:
    """A scalar of the same name and domain for each vector."""
    return {b: Scalar(b.name, domain=b.domain) for b in blocks if isinstance(b, Vector)}


def in_numbers(W: Expr) -> Expr | None:
    """W where each vector has one coordinate, and each positive definite matrix is 1.

    None if another matrix or a potential is left, or a sign, which jumps.
    """
    e = at_length_one(W)
    entries = {a: S.One for a in e.atoms(DenseEntry) if a.matrix.positive_definite}
    e = e.xreplace(entries)
    return None if e.atoms(Potential, Dense, Jet, Partial, sign) else e


# -- what is varied
# --------------------------------------------------------------------------------------------------


def _quantities(e: Expr, kept: tuple[Block, ...]) -> Iterator[_Quantity]:
    """Yield what may be varied: the abstract functions, the only expression of kept blocks, and the
    coordinates.
    """
    applied = [a for a in e.atoms(AppliedUndef, Field) if blocks_in(a, kept)]
    if applied:
        values = {a: Dummy(str(a), real=True, positive=a.is_positive) for a in applied}
        free = e.xreplace(values)
        if not blocks_in(free, kept) and all(_is_of_kept(a, kept) for a in applied):
            for a in sorted(applied, key=str):
                if not (a.is_nonpositive or a.is_integer):
                    yield _Quantity(values[a], a, free)
        return
    parts = set(_parts_of_kept(e, kept))
    if len(parts) == 1 and not isinstance(part := parts.pop(), Symbol):
        k = Dummy("k", real=True)
        free = e.xreplace({part: k})
        if not blocks_in(free, kept):
            yield _Quantity(k, part, free)
    for b in kept:
        if blocks_in(e, (b,)):
            yield _Quantity(b, b, e)


def _is_of_kept(e: Expr, kept: tuple[Block, ...]) -> bool:
    """Return True if an abstract function depends on kept blocks alone."""
    blocks = e.blocks if isinstance(e, Field) else e.atoms(Vector, Scalar)
    return all(b in kept for b in blocks)


def _parts_of_kept(e: Expr, kept: tuple[Block, ...]) -> Iterator[Expr]:
    """The largest parts that depend on kept blocks and on nothing else that varies."""
    if not blocks_in(e, kept):
        return
    if all(isinstance(s, Vector | Scalar) and s in kept for s in e.free_symbols):
        yield e.as_coeff_Mul()[1]
        return
    for a in e.args:
        yield from _parts_of_kept(a, kept)


def _ranges(q: _Quantity, kept: tuple[Block, ...]) -> Iterator[tuple[Expr, Expr]]:
    """Yield two values, the first one smaller, that the quantity takes."""
    if q.of in kept:
        domain = q.of.domain  # type: ignore[attr-defined]
        inside = [c for c in PLACES if domain.contains(c) == S.true]
        yield from ((c, c + 1) for c in inside if c + 1 in inside)
    elif isinstance(q.of, AppliedUndef | Field):
        yield S.One, Integer(2)
    else:
        blocks = [b for b in kept if blocks_in(q.of, (b,))]
        if len(blocks) != 1 or blocks[0].domain != S.Reals:
            return
        # it takes every value between two of its values, as it is continuous
        values = [q.of.xreplace({blocks[0]: c}) for c in PLACES]
        for low, high in itertools.pairwise(sorted(LEVELS)):
            if any(certain_sign(v - low) in (0, -1) for v in values) and any(
                certain_sign(v - high) in (0, 1) for v in values
            ):
                yield low, high


# -- signs
# --------------------------------------------------------------------------------------------------


def _changes(q: _Quantity, low: Expr, high: Expr, left: tuple[Block, ...]) -> Witness | None:
    """The witness that the integrals at both values differ; None if W is not seen to change in one
    direction between them.
    """
    side = _direction(q, low, high, left)
    if side is None:
        return None
    larger_W = high if side > 0 else low
    try:
        mass = decide_finite(q.W.xreplace({q.k: larger_W}), left)
    except RecursionError:
        return None
    if mass.verdict is not Verdict.PROVED or mass.assumed:
        return None
    names = ", ".join(map(str, left))
    return Witness(
        {text(q.of): f"{low} and {high}"},
        f"from the first value to the second the integral of exp(-(H - U)) over {names}"
        f" {'falls' if side > 0 else 'grows'} strictly",
    )


def _direction(q: _Quantity, low: Expr, high: Expr, left: tuple[Block, ...]) -> int | None:
    """The sign of dW/dk between two values, on every quadrant of the blocks; None if it is not
    known, or may vanish everywhere.
    """
    between = Scalar(unused_name("between", [q.W]), domain=Interval.open(0, 1))
    on_range = {q.k: low + (high - low) * between}
    slope = _with_cosh(q.W.diff(q.k)).xreplace(on_range)
    if sum(1 for _ in preorder_traversal(slope)) > MAX_NODES:
        return None
    quadrants = list(_quadrants(left))
    if not all(_may_have_a_sign(slope.xreplace(quadrant)) for quadrant in quadrants):
        return None
    found = [possible_signs(slope.xreplace(quadrant)) for quadrant in quadrants]
    signs = frozenset().union(*found)
    if not any(here in (POSITIVE, NEGATIVE) for here in found):
        return None
    if signs <= NOT_NEGATIVE or signs <= NOT_POSITIVE:
        return 1 if signs <= NOT_NEGATIVE else -1
    if len(quadrants) != 2:
        return None
    one, other = (
        (slope * exp(-q.W.xreplace(on_range))).xreplace(quadrant) for quadrant in quadrants
    )
    return _sign_of_sum(one, other)


def _may_have_a_sign(e: Expr) -> bool:
    """Return False if e has both signs at some points, where a proof is not worth its time."""
    symbols = sorted(e.free_symbols, key=str)
    found: set[bool] = set()
    for seed in range(SAMPLES):
        values = Point({}, seed).choose_all(symbols)
        if values is not None:
            value = e.xreplace(values).evalf()
            found |= {bool(value > 0)} if value.is_comparable and value != 0 else set()
    return len(found) < 2


def _sign_of_sum(one: Expr, other: Expr) -> int | None:
    """The sign of a positive and a negative expression: that of the logarithm of the quotient of
    their sizes, up to the side of the larger.

    With one scalar r, this is the sign of the change of the density at r and -r together.
    """
    if {possible_signs(one), possible_signs(other)} != {POSITIVE, NEGATIVE}:
        return None
    above, below = (one, other) if possible_signs(one) == POSITIVE else (other, one)
    size = possible_signs(log_of(above / -below).expand())
    return 1 if size == POSITIVE else -1 if size == NEGATIVE else None


def _with_cosh(e: Expr) -> Expr:
    """e with ``1/cosh(u)^2`` for ``1 - tanh(u)^2``, whose sign is seen."""
    return e.xreplace({1 - u**2: 1 / cosh(u.args[0]) ** 2 for u in e.atoms(tanh)})


def _quadrants(left: tuple[Block, ...]) -> Iterator[dict[Block, Expr]]:
    """The signs of the coordinates on the line; what lies between the quadrants has no volume."""
    lines = [b for b in left if b.domain == S.Reals]
    if 2 ** len(lines) > MAX_QUADRANTS:
        return
    names = UnusedNames(left)
    size = {
        b: Scalar(names.fresh(f"size_of_{b.name}_between"), domain=Interval.open(0, oo))
        for b in lines
    }
    for sides in itertools.product((1, -1), repeat=len(lines)):
        yield {b: s * size[b] for b, s in zip(lines, sides, strict=True)}
