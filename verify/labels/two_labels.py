"""Two labels in one expression: the generic label becomes k or l, with a row and counts of its own.

A proof treats every symbol as independent, which is more than can occur. A refutation is looked for
in a state that can occur: the row of a label has a column for the item and one or more others, all
labels together have as many items as the datum, and the item itself has one label.
"""

from __future__ import annotations

from sympy import Expr, Integer, Symbol

from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.symbols import GENERIC, Indexed, assumptions_of, generic
from recipe.language.total import Total, opened, total
from recipe.latent.increments import hot
from recipe.latent.labels import Labels

K, L = "k", "l"


def of_label(e: Expr, label: str, z: Labels, blocks: tuple[Block, ...]) -> Expr:
    """The expression of the label k or l.

    Args:
        e: an expression of the generic label.
        label: the ending of all names that belong to the label.
        z: the labels.
        blocks: the blocks of the generic label.
    """
    own = {*blocks, z.others, z.count, z.counts, z.others_counts}
    renamed = {s: _renamed(s, label) for s in e.atoms(Symbol) if generic(s) in own}
    return e.xreplace(renamed)


def with_own(e: Expr, z: Labels, own: int) -> Expr:
    """The expression where the item has the generic label before its draw, or has not.

    Args:
        e: an expression of the generic label.
        z: the labels.
        own: 1 if it has the label, else 0.
    """
    return e.xreplace({z.count: z.others + own})


def _renamed(s: Symbol, label: str) -> Symbol:
    if isinstance(s, Vector):
        block = Vector(f"{s.base}_{label}", like=s, domain=s.domain)
        return block.at(s.label)
    if isinstance(s, Scalar):
        return Scalar(f"{s.name}_{label}", domain=s.domain)
    if isinstance(s, Indexed):
        facts = assumptions_of(s)
        return Indexed.__new__(type(s), f"{s.base}_{label}", s.length, s.label, s.extra, **facts)
    return Symbol(f"{s.name}_{label}", **assumptions_of(s))


def that_can_occur(e: Expr, z: Labels, third: bool) -> Expr:
    """The expression of two labels in states that can occur.

    Args:
        e: an expression of the labels k and l.
        z: the labels.
        third: whether there are three labels or more, or exactly two.
    """
    e = _with_a_column(e, z)
    length = z.like.length
    e = e.xreplace({length: length + 1})
    others = [Symbol(f"{z.others}_{label}", integer=True, nonnegative=True) for label in (K, L)]
    by_column = {s for s in e.atoms(Indexed) if s.base.startswith(z.others_counts.base)}
    for label, symbol in zip((K, L), others, strict=True):
        mine = {s for s in by_column if s.base.endswith(f"_{label}")}
        if mine:
            base = next(iter(mine)).at(GENERIC)
            e = e.xreplace({symbol: _at_the_item(base) + total(base)})
    rest = Symbol(f"{z.others}_rest", integer=True, nonnegative=True) if third else Integer(0)
    further = Symbol(f"{z.labels}_further", integer=True, nonnegative=True)
    return e.xreplace(
        {z.size: sum(others, rest + 1), z.labels: further + 3 if third else Integer(2)}
    )


def _with_a_column(e: Expr, z: Labels) -> Expr:
    """The expression with the column of the item apart from all other columns."""
    if isinstance(e, Total):
        body, label = opened(e)
        here = body.xreplace({s: _at_the_item(s) for s in body.atoms(Indexed) if s.label == label})
        here = here.xreplace({_at_the_item(hot(z)): Integer(1)})
        if body.has(hot(z).at(label)):
            return _with_a_column(here, z)
        return _with_a_column(here, z) + Total(
            _with_a_column(e.body, z) if e.body.atoms(Total) else e.body, e.index
        )
    return e.func(*(_with_a_column(a, z) for a in e.args)) if e.args else e


def _at_the_item(s: Indexed) -> Symbol:
    """The value of a symbol in the column of the item."""
    name = f"{s.base}_item"
    if isinstance(s, Vector):
        return Scalar(name, domain=s.domain)
    return Symbol(name, **assumptions_of(s))
