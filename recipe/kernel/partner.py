"""The proposed state: a partner for every block that moves, and expressions taken at it."""

from __future__ import annotations

from sympy import Expr, S, Symbol
from sympy.core.function import AppliedUndef

from recipe.declare.update import Update
from recipe.language.abstract import Field, Partial, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.symbols import GENERIC, name_of

Partners = tuple[tuple[Block, Block], ...]


def partners_of(update: Update) -> Partners:
    """A partner, ``theta_new`` for ``theta``, for every block that the rule moves."""
    written = [e for e, _ in update.written()]
    names = {name_of(s) for e in (*written, *update.state) for s in e.atoms(Symbol)}
    names |= {f.func.__name__ for e in written for f in e.atoms(AppliedUndef)}
    suffix = "_new"
    while any(name + suffix in names for name in names):
        suffix += "_"
    return tuple((b, _second(b, b.name + suffix)) for b, e in update.rule if e != b)


def _second(block: Block, name: str) -> Block:
    domain = None if block.domain == S.Reals else block.domain
    return (
        Vector(name, like=block, domain=domain)
        if isinstance(block, Vector)
        else Scalar(name, domain)
    )


def at_partner(e: Expr, partners: Partners) -> Expr:
    """The expression with the old and the proposed state exchanged.

    A potential ``U`` of the old state becomes ``U_new``, a function of the proposed state, and the
    other way round. Elementwise functions stay and get other arguments; constant matrices stay.
    """
    first, second = partners[0]
    suffix = second.name.removeprefix(first.name)
    exchange: dict[Block, Block] = dict(partners) | {b: a for a, b in partners}
    return e.xreplace(
        {s: _exchanged(s, exchange, suffix) for s in e.atoms(Symbol) | e.atoms(Partial)}
    )


def _exchanged(s: Expr, exchange: dict[Block, Block], suffix: str) -> Expr:
    """A symbol of one state as the corresponding symbol of the other state."""
    if isinstance(s, Partial):
        return Partial(
            _exchanged(s.head, exchange, suffix), *(_exchanged(x, exchange, suffix) for x in s.wrt)
        )
    if isinstance(s, Potential):
        moved = any(b in exchange for b in s.blocks)
        return Potential(s.name + suffix, *(exchange.get(b, b) for b in s.blocks)) if moved else s
    if isinstance(s, Field) and s.block in exchange:
        return Field(s.base + suffix, exchange[s.block], positive=bool(s.is_positive)).at(s.label)
    if isinstance(s, Vector):
        other = exchange.get(s.at(GENERIC), s.at(GENERIC))
        assert isinstance(other, Vector)
        return other.at(s.label)
    return exchange.get(s, s)
