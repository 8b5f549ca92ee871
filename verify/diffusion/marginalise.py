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

from sympy import Add, Expr, Mul, S, cosh, log, nan, preorder_traversal, zoo

from recipe.language.abstract import DenseEntry, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import contract, explicit, partial
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import Total, relabel, substitute
from recipe.signs.sign import is_positive
from verify.decide.zero.canonical import normalised
from verify.decide.zero.decide import vanishes
from verify.diffusion.infinity.separation import TooManyTermsError, couples
from verify.diffusion.infinity.transport import Moved, raised, scaled, shifted

MAX_GROWTH = 2  # an expression that grows by more when a block is moved is left


@dataclass(frozen=True)
class Remainder:
    """``W`` after some integrations, and the auxiliary blocks ``left`` to integrate over.

    ``how`` describes the steps taken, as text. The other auxiliaries have been integrated out;
    those in ``moved`` were transported in the way that is named, and are still in ``left``.
    """

    W: Expr
    left: tuple[Block, ...]
    how: tuple[str, ...] = ()
    moved: tuple[tuple[Block, str], ...] = ()


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


def transported(start: Remainder, kept: tuple[Block, ...]) -> list[Remainder]:
    """W after each shift, scale, power or reflection of a block that its terms suggest.

    A block is moved in each way once, and no more pairs of blocks stand in one term afterwards
    than before. The simplest results come first.
    """
    blocks = (*kept, *start.left)
    pairs, parts = _size(start.W, blocks)
    found = [
        replace(
            start,
            W=moved.W,
            how=(*start.how, moved.how),
            moved=(*start.moved, (block, kind)),
        )
        for block in start.left
        for kind, candidates in WAYS.items()
        if (block, kind) not in start.moved
        for moved in candidates(start.W, block)
    ]
    sizes = {r: _size(r.W, blocks) for r in found}
    kept_small = (r for r in found if sizes[r][0] <= pairs and sizes[r][1] <= MAX_GROWTH * parts)
    return sorted(kept_small, key=lambda r: sizes[r])


def _size(W: Expr, blocks: tuple[Block, ...]) -> tuple[int, int]:
    """How many pairs of blocks stand in one term of W, and how many parts W has."""
    try:
        pairs = len(couples(W, blocks))
    except TooManyTermsError:
        pairs = len(blocks) ** 2
    return pairs, sum(1 for _ in preorder_traversal(W))


def _shifted_by_means(W: Expr, block: Block) -> Iterator[Moved]:
    """Shift the block, ``r = s + mu``, by each candidate mu that a product with a constant matrix
    in the gradient suggests.

    A mean must not depend on the block itself, as only then the shift is a bijection.
    """
    if block.domain != S.Reals or not isinstance(block, Vector):
        return
    try:
        means = dict.fromkeys(_means(substitute(partial(W, block), {block: S.Zero})))
        shifted = [
            (mu, substitute(W, {block: block + mu}))
            for mu in means
            if block not in blocks_in(mu, (block,))
        ]
    except OutsideLanguageError:  # an abstract function of the block
        return
    for mu, moved in shifted:
        yield Moved(moved, f"{block} = s + {mu}")


def _means(slope: Expr) -> Iterator[Expr]:
    """``-c u`` for each term ``c M u`` of the gradient, with a dense matrix M."""
    for term in Add.make_args(slope):
        sums = [f for f in Mul.make_args(term) if isinstance(f, Total)]
        matrices = [f for t in sums for f in Mul.make_args(t.body) if isinstance(f, DenseEntry)]
        if len(sums) == 1 and len(matrices) == 1:
            c, u = term / sums[0], relabel(sums[0].body / matrices[0], sums[0].index.label, GENERIC)
            yield -c * u


def _reflected(W: Expr, block: Block) -> Iterator[Moved]:
    """Take the mean of the densities at x and -x, whose integral is the same.

    Terms that are even stay as they are. The others must be ``-log(Q)``, which leaves the even part
    of Q, or odd together, ``B``, which leaves ``-log(cosh(B))``.
    """
    if block.domain != S.Reals or not isinstance(block, Scalar):
        return
    back = {block: -block}
    terms = Add.make_args(W)
    if any(block in U.blocks for U in W.atoms(Potential)):
        return  # an abstract potential at -x is outside the language
    even = [t for t in terms if block not in t.free_symbols or vanishes(t - substitute(t, back))]
    rest = Add(*(t for t in terms if t not in even))
    how = f"the mean of the densities at {block} and -{block}"
    if rest == 0:
        return
    if vanishes(rest + substitute(rest, back)):
        yield Moved(Add(*even) - log(cosh(rest)), how)
    c, of = rest.as_independent(block, as_Add=False)
    if c == -1 and isinstance(of, log):
        Q = normalised((of.args[0] + substitute(of.args[0], back)) / 2)
        if is_positive(Q):
            yield Moved(Add(*even) - log(Q), how)


WAYS = {
    "shift": shifted,
    "shift by a product": _shifted_by_means,
    "scale": scaled,
    "power": raised,
    "reflection": _reflected,
}
