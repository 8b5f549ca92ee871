"""Integrate auxiliary blocks out of ``exp(-W)`` exactly: as Gaussians, or after a change of scale.

Both use a transport map ``r = T(z, s)``, a bijection of the auxiliaries for each value z of all
other blocks. Then

    integral of exp(-W(z, r)) dr  =  integral of exp(-W(z, T(z, s)) + log|det dT/ds|) ds,

and if the exponent on the right is ``-(a(s) + c(z))``, the integral is ``exp(-c(z))`` times a
constant.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sympy import Add, Expr, Interval, Mul, Pow, S, Symbol, expand, log, nan, oo, zoo

from recipe.language.abstract import DenseEntry
from recipe.language.calculus import contract, explicit, partial
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.sign import is_positive
from recipe.language.symbols import GENERIC, OTHER, Block, Scalar, Vector
from recipe.language.total import Total, labels, opened, relabel, substitute
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes


@dataclass(frozen=True)
class Remainder:
    """``W`` after some integrations, and the auxiliary blocks ``left`` to integrate over.

    ``how`` describes the steps taken, as text. The other auxiliaries have been integrated out;
    those in ``moved`` were transported, and are still in ``left``.
    """

    W: Expr
    left: tuple[Block, ...]
    how: tuple[str, ...] = ()
    moved: tuple[Block, ...] = ()


def integrate_gaussians(start: Remainder) -> Remainder:
    """Integrate out every block in which W is quadratic with a precision that is proved
    positive.
    """
    found = start
    # integrating out a later block may make an earlier one Gaussian, hence the repetition below
    for block in start.left:
        step = _without_gaussian(found, block)
        found = found if step is None else step
    return found if found.left == start.left else integrate_gaussians(found)


def _without_gaussian(start: Remainder, block: Block) -> Remainder | None:
    """W without a Gaussian block; None if the block is not proved Gaussian given the others.

    Up to a constant, ``W = total(a r^2 / 2 + b r) + c`` leaves ``c + total(log(a) / 2 - b^2 / (2
    a))``.
    """
    if block.domain != S.Reals:
        return None
    slope = normalised(partial(start.W, block))
    precision = normalised(
        explicit(slope, block) if isinstance(block, Vector) else partial(slope, block)
    )
    if block in blocks_in(precision, (block,)) or not is_positive(precision):
        return None
    if isinstance(block, Vector) and not vanishes(partial(slope, block.at(OTHER))):
        return None
    try:
        b, c = (substitute(e, {block: S.Zero}) for e in (slope, start.W))
    except OutsideLanguageError:  # an abstract function of the block
        return None
    # That W is this quadratic follows from its gradient, a r + b, and its value c at 0.
    if c.has(nan, zoo) or b.has(nan, zoo) or not vanishes(slope - precision * block - b):
        return None
    W = c + contract(log(precision) / 2 - b**2 / (2 * precision), block)
    left = tuple(other for other in start.left if other != block)
    return Remainder(W, left, (*start.how, f"{block} is normal given the rest"), start.moved)


def shifts(start: Remainder, block: Block) -> Iterator[Remainder]:
    """Shift the block, ``r = s + mu``, by each candidate mu for its mean.

    Candidates come from products with a constant matrix in the gradient. A mean must not depend on
    the block itself, as only then the shift is a bijection.
    """
    if block in start.moved or block.domain != S.Reals or not isinstance(block, Vector):
        return
    try:
        means = dict.fromkeys(_means(substitute(partial(start.W, block), {block: S.Zero})))
        shifted = [
            (mu, substitute(start.W, {block: block + mu}))
            for mu in means
            if block not in blocks_in(mu, (block,))
        ]
    except OutsideLanguageError:  # an abstract function of the block
        return
    for mu, moved in shifted:
        yield replace(
            start, W=moved, how=(*start.how, f"{block} = s + {mu}"), moved=(*start.moved, block)
        )


def _means(slope: Expr) -> Iterator[Expr]:
    """``-c u`` for each term ``c M u`` of the gradient, with a dense matrix M."""
    for term in Add.make_args(slope):
        sums = [f for f in Mul.make_args(term) if isinstance(f, Total)]
        matrices = [f for t in sums for f in Mul.make_args(t.body) if isinstance(f, DenseEntry)]
        if len(sums) == 1 and len(matrices) == 1:
            c, u = term / sums[0], relabel(sums[0].body / matrices[0], sums[0].index.label, GENERIC)
            yield -c * u


def rescalings(start: Remainder, block: Block) -> Iterator[Remainder]:
    """Rescale the block, ``r = s / g``, by each positive g for which W contains a power of ``g r``.

    These are the candidates for a scale family.
    """
    if block in start.moved or block.domain not in (S.Reals, Interval.open(0, oo)):
        return
    for g in _scales(start.W, block):
        try:
            moved = substitute(start.W, {block: block / g}) + contract(log(g), block)
        except OutsideLanguageError:
            continue
        yield replace(
            start, W=moved, how=(*start.how, f"{block} = s/({g})"), moved=(*start.moved, block)
        )


def _scales(W: Expr, block: Block) -> list[Expr]:
    """Each positive g, not depending on the block, such that some product in W contains ``(g
    r)^n``.
    """
    found: dict[Expr, None] = {}
    for node in _nodes(W):
        for term in Add.make_args(expand(node)):
            at = _label_of(term, block)
            here = block if at is None else block.at(at)  # type: ignore[union-attr]
            power, factor = _power_in(term, here)
            if power == 0 or block in blocks_in(factor, (block,)):
                continue
            g = Pow(factor if at is None else relabel(factor, at, GENERIC), 1 / power)
            if (
                any(isinstance(s, Vector | Scalar) for s in g.free_symbols)
                and labels(g) <= {GENERIC}
                and is_positive(g)
            ):
                found[g] = None
    return list(found)


def _nodes(e: Expr) -> Iterator[Expr]:
    body = opened(e)[0] if isinstance(e, Total) else e
    if isinstance(body, Add | Mul):
        yield body
    for a in body.args:
        if not isinstance(a, DenseEntry):
            yield from _nodes(a)


def _label_of(term: Expr, block: Block) -> int | None:
    return next(
        (
            s.label
            for s in sorted(term.free_symbols, key=str)
            if isinstance(s, Vector) and s.base == block.name
        ),
        None,
    )


def _power_in(term: Expr, x: Symbol) -> tuple[Expr, Expr]:
    powers, rest = S.Zero, S.One
    for f in Mul.make_args(term):
        base, power = f.as_base_exp()
        if base == x and power.is_number:
            powers += power
        else:
            rest *= f
    return powers, rest
