"""Shifts, scales and powers of one block that depend on the other blocks.

Let m, and g > 0, depend on other blocks only. For each value of the others, ``x = y + m`` is a
bijection of the line, ``x = y/g`` of the line and of the half line, and ``x = y^(1/g)`` of the half
line and of the interval from 0 to 1. Their Jacobians are 1, ``1/g`` and ``y^(1/g - 1)/g``. So the
integral of ``exp(-W)`` is unchanged, exactly, with W at the new variable, minus the logarithm of
the Jacobian.

Candidates for m and g are read off the terms of W. That they are free of the block, and that g is
positive, is proved; whether they are of use is seen afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Interval, Mul, Pow, S, Symbol, exp, expand, factor_terms, log, oo

from recipe.language.abstract import DenseEntry
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import contract
from recipe.language.errors import OutsideLanguageError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, opened, relabel, substitute, sum_over
from recipe.signs.defined import is_continuous
from recipe.signs.sign import is_positive
from verify.diffusion.infinity.logarithm import log_of


@dataclass(frozen=True)
class Moved:
    """``W`` in the new variable, with the logarithm of the Jacobian, and the map as text."""

    W: Expr
    how: str


def moves(W: Expr, block: Block) -> Iterator[Moved]:
    """Yield W after each shift, scale and power of the block that its terms suggest."""
    yield from shifted(W, block)
    yield from scaled(W, block)
    yield from raised(W, block)


def shifted(W: Expr, block: Block) -> Iterator[Moved]:
    """Yield W after ``x = y + m``, for each m with a term ``c (x - m)`` inside of W."""
    if block.domain != S.Reals:
        return
    for m in means(W, block):
        try:
            moved = substitute(W, {block: block + m})
        except OutsideLanguageError:  # an abstract function of the block
            continue
        yield Moved(moved, f"{block} = s + {m}")


def scaled(W: Expr, block: Block) -> Iterator[Moved]:
    """Yield W after ``x = y/g``, for each positive g with a power of ``g x`` inside of W."""
    if block.domain != S.Reals and not is_half_line(block):
        return
    for g in scales(W, block):
        try:
            moved = substitute(W, {block: block / g}) + contract(log_of(g), block)
        except OutsideLanguageError:
            continue
        yield Moved(_with_logarithms_apart(moved), f"{block} = s/({g})")


def raised(W: Expr, block: Block) -> Iterator[Moved]:
    """Yield W after ``x = y^(1/g)``, for each positive g with a term ``g log(x)`` inside of W."""
    if not (is_half_line(block) or block.domain in (Interval.open(0, 1), Interval(0, 1))):
        return
    for g in _exponents(W, block):
        try:
            moved = substitute(W, {block: exp(log(block) / g)})
        except OutsideLanguageError:
            continue
        yield Moved(
            moved + contract(log_of(g) + (1 - 1 / g) * log(block), block),
            f"{block} = s^(1/({g}))",
        )


def is_half_line(block: Block) -> bool:
    """Return True if the domain of the block is the half line from 0 to infinity."""
    return isinstance(block.domain, Interval) and (block.domain.start, block.domain.end) == (0, oo)


# -- candidates
# --------------------------------------------------------------------------------------------------


def means(W: Expr, block: Block) -> tuple[Expr, ...]:
    """Each m, defined everywhere and free of the block, such that W contains ``c (x - m)``."""
    found: dict[Expr, None] = {}
    for node in _nodes(W):
        at = _label_of(node, block)
        x = block if at is None else block.at(at)  # type: ignore[union-attr]
        for m in () if not isinstance(node, Add) else (*_affine(node, x), *_central(node, x)):
            moved = m if at is None else relabel(m, at, GENERIC)
            if _is_of_others(moved, block) and is_continuous(moved):
                found[moved] = None
    return tuple(found)


def _affine(node: Add, x: Symbol) -> Iterator[Expr]:
    """The m of a sum ``c x - c m``, where c and m are free of x."""
    own = [a for a in node.args if x in a.free_symbols]
    slope = (Add(*own) / x).expand()
    if own and x not in slope.free_symbols:
        yield (-Add(*(a for a in node.args if a not in own)) / slope).expand()


def _central(node: Add, x: Symbol) -> Iterator[Expr]:
    """The m without which a polynomial in x has no term of the second highest degree."""
    if not node.is_polynomial(x):
        return
    coefficients = node.as_poly(x).all_coeffs()
    n = len(coefficients) - 1
    if n > 1 and coefficients[1] != 0:
        yield (-coefficients[1] / (n * coefficients[0])).expand()


def scales(W: Expr, block: Block) -> tuple[Expr, ...]:
    """Each positive g, free of the block, such that W contains a power of ``g x`` or ``log(g x)``
    as a sum.
    """
    found: dict[Expr, None] = {}
    for node in _nodes(W):
        for term in (node, *_collected(node, block)):
            at = _label_of(term, block)
            x = block if at is None else block.at(at)  # type: ignore[union-attr]
            power, factor = _power_in(term, x)
            if power != 0:
                _keep(found, Pow(factor, 1 / power), at, block)
        if is_half_line(block) and isinstance(node, Add):
            at = _label_of(node, block)
            x = block if at is None else block.at(at)  # type: ignore[union-attr]
            for m in _affine(node.xreplace({log(x): x}), x) if node.has(log(x)) else ():
                _keep(found, exp(-m), at, block)
    return tuple(found)


def _collected(node: Expr, block: Block) -> tuple[Expr, ...]:
    """The terms of a sum after it is multiplied out, added where they have the same power of the
    block.
    """
    terms: dict[tuple[int | None, Expr], Expr] = {}
    for term in Add.make_args(expand(node)):
        at = _label_of(term, block)
        power, _ = _power_in(term, block if at is None else block.at(at))  # type: ignore[union-attr]
        terms[at, power] = terms.get((at, power), S.Zero) + term
    added = [Mul(*factor_terms(t).args) if isinstance(t, Add) else t for t in terms.values()]
    return tuple(dict.fromkeys((*Add.make_args(expand(node)), *added)))


def _exponents(W: Expr, block: Block) -> tuple[Expr, ...]:
    """Each positive g, free of the block, such that W contains a power of ``g log(x)``."""
    found: dict[Expr, None] = {}
    for node in _nodes(W):
        at = _label_of(node, block)
        x = block if at is None else block.at(at)  # type: ignore[union-attr]
        for term in (node, *Add.make_args(expand(node))) if node.has(log(x)) else ():
            power, factor = _power_in(term.xreplace({log(x): x}), x)
            for side in (1, -1) if power != 0 else ():
                if is_positive(side * factor):
                    _keep(found, Pow(side * factor, 1 / power), at, block)
    return tuple(found)


def _keep(found: dict[Expr, None], g: Expr, at: int | None, block: Block) -> None:
    moved = g if at is None else relabel(g, at, GENERIC)
    if _is_of_others(moved, block) and is_positive(moved) and is_continuous(moved):
        found[moved] = None


def _is_of_others(e: Expr, block: Block) -> bool:
    """Return True if an expression depends on blocks, and not on this one."""
    return (
        any(isinstance(s, Vector | Scalar) for s in e.free_symbols)
        and block not in blocks_in(e, (block,))
        and labels(e) <= {GENERIC}
        and (isinstance(block, Vector) or not labels(e))
    )


def _nodes(e: Expr) -> Iterator[Expr]:
    """Sums and products inside of an expression, bodies of sums over an index included."""
    if isinstance(e, Total):
        yield from _nodes(opened(e)[0])
        return
    if isinstance(e, Add | Mul):
        yield e
    for a in e.args:
        if not isinstance(a, DenseEntry):
            yield from _nodes(a)


def _label_of(term: Expr, block: Block) -> int | None:
    """The index at which the block stands; None for a scalar."""
    return next(
        (
            s.label
            for s in sorted(term.free_symbols, key=str)
            if isinstance(s, Vector) and s.base == block.name
        ),
        None,
    )


def _with_logarithms_apart(e: Expr) -> Expr:
    """The logarithms of positive products as sums."""
    if not e.has(log):
        return e
    if isinstance(e, Total):
        body, label = opened(e)
        return sum_over(_with_logarithms_apart(body), label, e.index.length)
    inside = [_with_logarithms_apart(a) for a in e.args]
    return log_of(inside[0]) if isinstance(e, log) else e.func(*inside)


def _power_in(term: Expr, x: Symbol) -> tuple[Expr, Expr]:
    """The n and the factor with ``term = factor x^n``, up to a sum over coordinates."""
    powers, rest = S.Zero, S.One
    for f in Mul.make_args(term):
        base, power = f.as_base_exp()
        if base == x and power.is_number:
            powers += power
        elif isinstance(f, Total) and isinstance(x, Vector):  # sum_over pulls factors out
            body, label = opened(f)
            n, inside = _power_in(body, x.at(label))
            powers += n
            rest *= relabel(inside, label, x.label) if n != 0 else f
        else:
            rest *= f
    return powers, rest


__all__ = ["Moved", "is_half_line", "means", "moves", "raised", "scaled", "scales", "shifted"]
