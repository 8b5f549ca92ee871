"""The slopes at infinity of sums of functions of linear forms.

Let ``H = sum of g_k(l_k(z))`` with linear forms l_k and continuous functions g_k of one variable,
and sums ``c log(sum of w_j exp(l_j))``, of finitely many coordinates. Each g_k has a slope at
either end: the number s with ``g_k(u) = s |u| + o(u)``, or infinity, if g_k exceeds every multiple
of ``|u|``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Add, Expr, Mul, Rational, S, Symbol, exp, log, oo

from recipe.language.blocks import Block, Scalar
from recipe.language.calculus import abstract_atoms
from recipe.language.free_symbols import blocks_in
from recipe.signs.defined import is_continuous
from recipe.signs.sets import NEGATIVE
from recipe.signs.sign import is_nonnegative, is_positive, possible_signs
from verify.decide.asymptotics.growth import (
    OrderOfInfinity,
    bound,
    compare,
    is_bounded,
    leading,
)
from verify.diffusion.infinity.ends import T, at_end, ends

ARGUMENT = Scalar("value_of_the_form")  # the value of a linear form
LINEAR = OrderOfInfinity(S.One, S.One)
Form = tuple[Rational, ...]  # the coefficients of a linear form


@dataclass(frozen=True)
class Ridge:
    """``g(l(z))``, with the slopes of g at the lower and the upper end.

    A slope is a rational number, or oo, or -oo for an unknown number, or another expression that
    is not negative. ``bounded`` says of each end whether ``g(u) - slope |u|`` is bounded above
    there.
    """

    form: Form
    slopes: tuple[Expr, Expr]
    bounded: tuple[bool, bool]


@dataclass(frozen=True)
class Largest:
    """``c log(sum of w_j exp(l_j(z)))``: c times the largest of the forms, up to a constant."""

    c: Rational
    forms: tuple[Form, ...]


@dataclass(frozen=True)
class Growth:
    """How a sum grows, as ridges and maxima; ``is_exact`` is False if terms that are not negative
    were left out.
    """

    ridges: tuple[Ridge, ...]
    maxima: tuple[Largest, ...]
    is_exact: bool


def growth_of(h: Expr, blocks: tuple[Block, ...]) -> Growth | None:
    """The growth of a sum; None if a term is neither known to grow nor proved not to be
    negative.
    """
    by_form: dict[Form, Expr] = {}
    maxima: list[Largest] = []
    is_exact = True
    for term in Add.make_args(_as_squares(h, blocks)):
        if not blocks_in(term, blocks):
            continue
        ridge, largest = _as_ridge(term, blocks), _as_largest(term, blocks)
        if ridge is not None:
            form, g = ridge
            by_form[form] = by_form.get(form, S.Zero) + g
        elif largest is not None:
            maxima.append(largest)
        elif is_nonnegative(term):
            is_exact = False
        else:
            return None
    linear = _linear(by_form, len(blocks))
    ridges = [_ridge(form, g) for form, g in by_form.items()]
    if any(r is None for r in ridges):
        return None
    found = [r for r in ridges if r is not None]
    if any(linear):
        found.append(Ridge(linear, (S.NegativeOne, S.One), (True, True)))
    return _comparable(Growth(tuple(found), tuple(maxima), is_exact))


def _as_squares(h: Expr, blocks: tuple[Block, ...]) -> Expr:
    """Write the quadratic terms with rational factors as squares of linear forms, one coordinate
    after the other (Lagrange's reduction); h as it is where a product of two is left.
    """
    terms = [
        t
        for t in Add.make_args(h)
        if t.is_polynomial(*blocks)
        and (p := t.as_poly(*blocks)) is not None
        and p.total_degree() == 2
        and p.LC().is_Rational
    ]
    rest, squares = Add(*terms).expand(), S.Zero
    if not any(len(blocks_in(t, blocks)) > 1 for t in Add.make_args(rest)):
        return h
    for b in blocks:
        a = rest.coeff(b, 2)
        if a != 0:
            square = a * (b + rest.coeff(b, 1) / (2 * a)).expand() ** 2
            squares, rest = squares + square, (rest - square).expand()
    return h if blocks_in(rest, blocks) else h - Add(*terms) + squares + rest


def _linear(by_form: dict[Form, Expr], n: int) -> Form:
    """Take the forms that stand by themselves, with rational factors, out as one linear form."""
    whole: list[Rational] = [S.Zero] * n
    for form, g in list(by_form.items()):
        slope = g.diff(ARGUMENT)
        if slope.is_Rational:
            whole = [a + slope * c for a, c in zip(whole, form, strict=True)]
            del by_form[form]
    return tuple(whole)


def _ridge(form: Form, g: Expr) -> Ridge | None:
    """``g(l(z))`` with its slopes; None if one is not known."""
    if not is_continuous(g) or abstract_atoms(g):
        return None
    low, high = (_slope(at_end(g, ARGUMENT, end)) for end in ends(ARGUMENT))
    if low is None or high is None:
        return None
    return Ridge(form, (low[0], high[0]), (low[1], high[1]))


def _slope(f: Expr | None) -> tuple[Expr, bool] | None:
    """The slope s of a function of T, and whether ``f - s T`` is bounded above; None where it is
    not known.
    """
    if f is None:
        return None
    order = leading(f, T)
    size = None if order is None else compare(order, LINEAR)
    if size == -1 or (size is None and _is_slow(f)):
        falls = order is not None and possible_signs(order.coefficient) == NEGATIVE
        return S.Zero, falls or is_bounded(bound(f, T))
    if order is not None and size == 0:
        return order.coefficient, is_bounded(bound(f - order.coefficient * T, T))
    if order is not None and size == 1 and is_positive(order.coefficient):
        return oo, False
    return (-oo, False) if _is_at_most_linear(f) else None


def slopes(g: Expr) -> tuple[Expr, Expr] | None:
    """The slopes of a function of ``ARGUMENT`` at both ends, as those of a ``Ridge``; None if one
    is not known.
    """
    if ARGUMENT not in g.free_symbols:
        return S.Zero, S.Zero
    found = _ridge((S.One,), g)
    return None if found is None else found.slopes


def _is_slow(f: Expr) -> bool:
    """Return True if f is proved to be ``o(t)``."""
    order = bound(f, T)
    return order is not None and compare(order, LINEAR) == -1


def _is_at_most_linear(f: Expr) -> bool:
    order = bound(f, T)
    return order is not None and compare(order, LINEAR) in (0, -1)


def _comparable(growth: Growth) -> Growth | None:
    """Slopes as rational numbers or oo, or -oo for unknown numbers.

    Where no slope is negative, R(v) <= 0 only where each form with a positive slope vanishes, so
    a positive slope of unknown size may count as oo in a proof. Else it counts as 0, a lower bound.
    """
    every = [s for r in growth.ridges for s in r.slopes]
    if all(s.is_Rational or s == oo for s in every):
        return growth
    if not all(_is_plain(s) or is_nonnegative(s) for s in every):
        return None
    mixed = any(_is_plain(s) and s < 0 for s in every) or bool(growth.maxima)
    stand_in = S.Zero if mixed else oo

    def known(s: Expr) -> Expr:
        return s if _is_plain(s) else stand_in if is_positive(s) else S.Zero

    ridges = tuple(
        Ridge(r.form, (known(r.slopes[0]), known(r.slopes[1])), r.bounded) for r in growth.ridges
    )
    return Growth(ridges, growth.maxima, is_exact=False)


def _is_plain(s: Expr) -> bool:
    return bool(s.is_Rational) or s in (oo, -oo)


def _as_ridge(term: Expr, blocks: tuple[Block, ...]) -> tuple[Form, Expr] | None:
    """``(l, g)`` with ``term = g(l)``; None if the term depends on several linear forms."""
    nodes = list(_affine_nodes(term, blocks))
    forms = [_coefficients(node, blocks) for node in nodes]
    if not forms or any(f is None for f in forms):
        return None
    form, _ = _normed(forms[0])  # type: ignore[arg-type]
    values: dict[Expr, Expr] = {}
    for node, other in zip(nodes, forms, strict=True):
        again, factor = _normed(other)  # type: ignore[arg-type]
        if again != form:
            return None
        values[node] = factor * ARGUMENT + node.xreplace(dict.fromkeys(blocks, S.Zero))
    g = _replaced(term, values)
    return None if blocks_in(g, blocks) else (form, g)


def _replaced(e: Expr, values: dict[Expr, Expr]) -> Expr:
    """Replace the outermost nodes that are keys."""
    if e in values:
        return values[e]
    return e.func(*(_replaced(a, values) for a in e.args)) if e.args else e


def _affine_nodes(e: Expr, blocks: tuple[Block, ...]) -> Iterator[Expr]:
    """The largest parts of an expression that are linear in the coordinates, up to constants."""
    if not blocks_in(e, blocks):
        return
    if _coefficients(e, blocks) is not None or not e.args:
        yield e
        return
    for a in e.args:
        yield from _affine_nodes(a, blocks)


def _coefficients(e: Expr, blocks: tuple[Block, ...]) -> Form | None:
    """The coefficients of an expression that is affine with rational slopes; else None."""
    if not isinstance(e, Add | Mul | Symbol):
        return None
    slopes = []
    for b in blocks:
        parts = [a for a in Add.make_args(e) if blocks_in(a, (b,))]
        slope = Add(*(a / b for a in parts))
        if not slope.is_Rational:
            return None
        slopes.append(slope)
    return tuple(slopes)


def _normed(form: Form) -> tuple[Form, Rational]:
    """The form with 1 as its first coefficient that is not 0, and that coefficient."""
    scale = next(c for c in form if c != 0)
    return tuple(c / scale for c in form), scale


def _as_largest(term: Expr, blocks: tuple[Block, ...]) -> Largest | None:
    """Read ``c log(sum of w exp(l))`` with positive weights w; else None."""
    c, rest = term.as_independent(*blocks, as_Add=False)
    if not (isinstance(rest, log) and c.is_Rational):
        return None
    forms = []
    for part in Add.make_args(rest.args[0]):
        w, of = part.as_independent(*blocks, as_Add=False)
        if not is_positive(w) or not (of == 1 or isinstance(of, exp)):
            return None
        form = _coefficients(of.args[0], blocks) if of != 1 else (S.Zero,) * len(blocks)
        if form is None:
            return None
        forms.append(form)
    return Largest(c, tuple(forms))


__all__ = ["ARGUMENT", "Form", "Growth", "Largest", "Ridge", "growth_of", "slopes"]
