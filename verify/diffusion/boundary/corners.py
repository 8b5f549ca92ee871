"""What else happens at an edge that is reached: corners with other edges, and other coordinates.

A boundary term is an integral over an edge away from its corners, so that a flow into a corner
must be excluded apart: with the stream function ``x^2/(x^2 + y^2)`` no current crosses the edges
``x = 0`` and ``y = 0``, and yet a current of size 1 comes out of the corner. Let each term of H, of
the drift and of D that depends on the coordinate be smooth up to the edge and at its corners, and
let the other terms depend on other coordinates alone. Around the corner with ``y = 0`` all is then
a function of y times one that is smooth, and a current into the corner is one through ``y = r`` for
a small r, which is looked at where the edge ``y = 0`` is.

At an edge that is reached all other coordinates go on moving. With the speed ``-y/x`` of y > 0, and
a coordinate x that comes to 0 as a square-root process of shape below 1, the integral of dt/x is
infinite, and y reaches 0 together with x. So their drift and noise must stay bounded there.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Dummy, Expr, Interval, S, log

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import abstract_atoms, partial, summands
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.entry import parts
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, opened
from recipe.signs.defined import is_continuous, is_smooth
from verify.diffusion.boundary.edges import Edge, nonlocal_atom
from verify.diffusion.infinity.separation import of_one_coordinate
from verify.subject import Subject


def is_smooth_at_corners(edge: Edge, e: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if each term that depends on the coordinate is proved smooth up to the edge, also
    where other coordinates are at an end of their domain.
    """
    return all(
        closed is not None and is_smooth(closed)
        for term in summands(e)
        if edge.block in blocks_in(term, state)
        for closed in (_at_corners(edge, term, state),)
    )


def others_stay_bounded(block: Block, edge: Edge | None, subject: Subject) -> bool:
    """Return True if drift and noise of all other blocks are proved bounded where this block comes
    to an edge; without one, to any face of its simplex.

    A power of the logarithm of the distance counts as bounded: against a density like a power, with
    a finite integral, it is integrable.

    At the faces of a simplex, coefficients are polynomials of its coordinates, each with a factor
    that is free of them. What that factor does at the edge of another block is asked there: on the
    simplex the polynomials are bounded with all derivatives, also at its corners with other edges,
    so that a face that is reached cannot take another block to its edge. Other coordinates of the
    same block are not asked here, as each way to prove that an edge is left again has asked before:
    by Feller's test and at the faces of a simplex each coordinate is a diffusion by itself, and for
    reflections and own noise their drift is smooth up to the edge and its corners.
    """
    terms = (
        term
        for e in _of_others(block, subject)
        for term in summands(e)
        if block in blocks_in(term, subject.state)
    )
    return all(_is_bounded(term, block, edge, subject.state) for term in terms)


def _of_others(block: Block, subject: Subject) -> Iterator[Expr]:
    """Yield drift and diffusion of the other blocks, and the slope of a drift by its own
    coordinate if this has an edge: a speed that vanishes there must do so at one rate.
    """
    for b, e in subject.dynamics.drift.items():
        if b != block:
            yield from (e, partial(e, b)) if b.domain != S.Reals else (e,)
    for (row, column), entry in subject.dynamics.diffusion.items():
        if block not in (row, column):
            yield from parts(entry)


def _is_bounded(term: Expr, block: Block, edge: Edge | None, state: tuple[Block, ...]) -> bool:
    if edge is None:
        return not any(blocks_in(a, (block,)) for a in every_abstract(term)) and _is_polynomial(
            term, block
        )
    slow = Dummy()
    slowly = term.xreplace({log(edge.inward * (block - edge.end)): slow})
    rest, powers = slowly.as_independent(slow, as_Add=False)
    # a logarithm anywhere else, as in exp(log(x)^2), may grow faster than any power
    if not powers.is_polynomial(slow) or powers.free_symbols - {slow}:
        return False
    closed = _at_corners(edge, rest, state)
    return closed is not None and is_continuous(closed)


def _is_polynomial(e: Expr, block: Block) -> bool:
    """Return True if an expression is a polynomial of the coordinates of a block and of totals of
    such polynomials.
    """
    totals = {t: Dummy() for t in e.atoms(Total) if blocks_in(t, (block,))}
    letters = [s for s in e.atoms(Vector) if s.base == block.base]
    return bool(e.xreplace(totals).is_polynomial(*letters, *totals.values())) and all(
        _is_polynomial(t.body, block) for t in totals
    )


def _at_corners(edge: Edge, term: Expr, state: tuple[Block, ...]) -> Expr | None:
    """The term with this end of its coordinate included, and all ends of all other coordinates.

    None if it contains an abstract function that is defined inside only, or a block on a simplex
    beside the coordinate.
    """
    own = of_one_coordinate(term, edge.block)
    own = term if own is None else own
    is_alone = blocks_in(own, state) == {edge.block} and nonlocal_atom(own, state) is None
    if is_alone and labels(own) <= {GENERIC}:
        return up_to(edge, own)
    found = term.atoms(Vector, Scalar)
    abstract = {b for a in every_abstract(term) for b in blocks_in(a, state)}
    if any(on_simplex(s) for s in found) or not all(_is_closed(b, edge) for b in abstract):
        return None
    own_ends = {s: with_end(edge) for s in found if s == edge.block and not edge.belongs}
    is_open = [s for s in found if any(not end.belongs for end in finite_ends(s.domain))]
    return term.xreplace({s: closed_block(s) for s in is_open} | own_ends)


def _is_closed(block: Block, edge: Edge) -> bool:
    """Return True if all finite ends of a block belong to its domain; of the only coordinate of a
    scalar block, the edge at hand.
    """
    if block == edge.block and isinstance(block, Scalar):
        return edge.belongs
    return not on_simplex(block) and all(end.belongs for end in finite_ends(block.domain))


def up_to(edge: Edge, e: Expr) -> Expr | None:
    """The expression on the domain with this end included.

    None if it contains an abstract function of the block, which is defined inside only.
    """
    if edge.belongs:
        return e
    if any(blocks_in(a, (edge.block,)) for a in every_abstract(e)):
        return None
    closed = with_end(edge)
    if isinstance(closed, Scalar):
        return e.xreplace({edge.block: closed})
    return e.xreplace({s: closed.at(s.label) for s in e.atoms(Vector) if s.base == edge.block.base})


def with_end(edge: Edge) -> Block:
    """The block on the domain with this end included."""
    lower, domain = edge.inward == 1, edge.block.domain
    interval = Interval(
        domain.start, domain.end, domain.left_open and not lower, domain.right_open and lower
    )
    if isinstance(edge.block, Scalar):
        return Scalar(edge.block.name, domain=interval)
    return Vector(edge.block.base, like=edge.block, domain=interval)


def closed_block(block: Block) -> Block:
    """The block on the domain with all its finite ends included; of a vector, at the same index."""
    if not isinstance(block.domain, Interval):
        return block
    interval = Interval(block.domain.start, block.domain.end)
    if isinstance(block, Scalar):
        return Scalar(block.name, domain=interval)
    return Vector(block.base, like=block, domain=interval).at(block.label)


def every_abstract(e: Expr) -> list[Expr]:
    """The abstract functions in the expression, including those inside its sums."""
    found = abstract_atoms(e)
    inner = [
        a for atom in found if isinstance(atom, Total) for a in every_abstract(opened(atom)[0])
    ]
    return [*(a for a in found if not isinstance(a, Total)), *inner]
