"""``Total``: the sum over the coordinates of a block, and the only binder of the language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, overload

from sympy import Add, Expr, Mul, expand_mul

from recipe.language.abstract import DenseEntry, Field, Partial, Potential, moved_block
from recipe.language.as_expression import as_expression
from recipe.language.derivatives import symbols_in
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.log_density import LogDensity
from recipe.language.symbols import GENERIC, OTHER, Index, Indexed, Length, index_name


class Total(Expr):
    """``sum over k of body``. Build it with ``total`` or ``sum_over``, which split sums and pull
    constant factors out.

    Bound labels are positive, and each is one more than every label bound inside; free labels are
    zero or negative. So no index is ever captured. To work inside a sum, ``opened`` gives the body
    at a fresh free index, and ``sum_over`` closes it again.
    """

    is_commutative = True

    def __new__(cls, body: Expr, index: Index) -> Total:
        return Expr.__new__(cls, body, index)  # type: ignore[no-any-return]

    @property
    def body(self) -> Expr:
        """The summand, at the bound index."""
        return self.args[0]  # type: ignore[no-any-return]

    @property
    def index(self) -> Index:
        """The bound index."""
        return self.args[1]  # type: ignore[no-any-return]

    @property
    def free_symbols(self) -> set[Any]:
        """The symbols that the sum depends on; a bound coordinate counts as the generic coordinate
        of its block.

        The length is one of them. Without it sympy takes a sum of one block for a function of one
        variable, substitutes a value, finds the sum unchanged, and asks for its sign without end.
        """
        bound = self.index.label
        inside = {
            s.at(GENERIC) if isinstance(s, Indexed) and s.label == bound else s
            for s in self.body.free_symbols
        }
        return inside | {self.index.length}

    def _eval_derivative(self, x: Any) -> Expr:
        # the calculus imports this file
        from recipe.language.calculus import partial

        return partial(self, x)

    def _eval_is_real(self) -> bool | None:
        return self.body.is_real

    def _eval_is_positive(self) -> bool | None:
        return True if without_hot(self.body).is_positive else None

    def _eval_is_nonnegative(self) -> bool | None:
        return True if without_hot(self.body).is_nonnegative else None

    def _sympystr(self, printer: Any) -> str:
        k = self.index.label
        if labels(self.body) == {k}:
            return f"total({printer.doprint(relabel(self.body, k, GENERIC))})"
        return f"total_{index_name(k)}({printer.doprint(self.body)})"


def without_hot(body: Expr) -> Expr:
    """The body of a sum without a factor that is 1 at the coordinate that a label names and 0 at
    all others: the sum is the rest of it at that coordinate.
    """
    hot = [s for s in Mul.make_args(body) if getattr(s, "labels", None) is not None]
    return body / hot[0] if hot else body


@overload
def total(e: LogDensity, over: Indexed | None = None) -> LogDensity: ...


@overload
def total(e: Any, over: Indexed | None = None) -> Expr: ...


def total(e: Any, over: Indexed | None = None) -> Expr | LogDensity:
    """The sum of an elementwise expression over the coordinates of its block.

    Args:
        e: an expression of one generic coordinate; all vectors in it have one length. A law of
            ``recipe.laws`` is summed to a law.
        over: a ``Vector`` to sum over, needed only where ``e`` contains no vector.

    Returns:
        A number: linear in e, with every factor that is free of the coordinate pulled out.

    Raises:
        RecipeError: where ``e`` mixes two lengths, or contains no vector and ``over`` is not given.

    Example:
        >>> from recipe import Vector, total
        >>> theta = Vector("theta")
        >>> total(3 * theta**2 + 1)
        d_theta + 3*total(theta**2)
        >>> total(1, over=theta)
        d_theta
    """
    if isinstance(e, LogDensity):
        return replace(e.mapped(total(e.expression, over or e.variable)), variable=None)
    e = as_expression(e, "total(...)")
    lengths = {s.length for s in free_indexed(e) if s.label == GENERIC}
    if over is not None:
        if not isinstance(over, Indexed):
            raise RecipeError(f"total({e}, over={over}): only a Vector has coordinates to sum over")
        lengths |= {over.length}
    if len(lengths) > 1:
        raise RecipeError(
            f"total({e}) mixes the lengths {', '.join(sorted(map(str, lengths)))}: sum over one"
            " block at a time"
        )
    if not lengths:
        _refuse_rows(e)
        raise RecipeError(
            f"total({e}) has no vector in it, so there is nothing to sum: leave total out, or say"
            f" which block it runs over, total({e}, over=theta)"
        )
    return sum_over(e, GENERIC, lengths.pop())


def _refuse_rows(e: Expr) -> None:
    """Refuse a sum over the rows of data that labels choose coordinates by."""
    chosen = {s for s in e.atoms(Indexed) if getattr(s, "labels", None) is not None}
    if chosen:
        names = " and ".join(sorted({f"{s.length.owner}[{s.labels}]" for s in chosen}))  # type: ignore[attr-defined]
        raise RecipeError(
            f"total(...) of an expression in {names}, one number for each row of the data, has no"
            " coordinates to sum over; the log_likelihood is summed over the rows: write it there"
            " as a term, without total"
        )


def sum_over(e: Expr, label: int, length: Length) -> Expr:
    """Sum the expression over the index ``label``, term by term, with every factor that is free of
    the index pulled out.
    """
    if isinstance(e, Add):
        return Add(*(sum_over(term, label, length) for term in e.args))
    constant: list[Expr] = []
    bound: list[Expr] = []
    for factor in Mul.make_args(e):
        (bound if label in labels(factor) else constant).append(factor)
    if not bound:
        return e * length
    body = Mul(*bound)
    if any(isinstance(factor, Add) and labels(factor) != {label} for factor in bound):
        # (r_i - r_k) s_k: sum its terms one by one, so that no double loop is ever needed
        body = expand_mul(body)
    if isinstance(body, Add):
        return Mul(*constant) * sum_over(body, label, length)
    fresh = 1 + max((t.index.label for t in body.atoms(Total)), default=0)
    return Mul(*constant) * Total(relabel(body, label, fresh), Index("", length, fresh))


def labels(e: Expr) -> set[int]:
    """The labels of the indices that are free in an expression."""
    return {s.label for s in free_indexed(e)}


@lru_cache(maxsize=65536)
def free_indexed(e: Expr) -> frozenset[Indexed]:
    """The symbols at a free index in an expression; the blocks that a potential depends on are not
    among them.
    """
    if isinstance(e, Indexed):
        return frozenset({e})
    if isinstance(e, Total):
        return frozenset(s for s in free_indexed(e.body) if s.label != e.index.label)
    return frozenset().union(*(free_indexed(a) for a in e.args))


def free_places(e: Expr) -> set[tuple[int, Length]]:
    """The indices of an expression that its sums do not bind, each a label with its length. They
    must be bound, or free, wherever the expression is to stand.
    """
    return {(s.label, s.length) for s in free_indexed(e)}


def relabel(e: Expr, old: int, new: int) -> Expr:
    """Move every symbol at the index ``old`` to the index ``new``."""
    moved = [s for s in symbols_in(e) if isinstance(s, Indexed) and s.label == old]
    return _with_symbols(e, {s: s.at(new) for s in moved}) if moved else e


def _with_symbols(e: Any, values: Mapping[Any, Any]) -> Any:
    """What ``e.xreplace(values)`` is, in time that grows with the parts that hold a symbol."""
    if symbols_in(e).isdisjoint(values):
        return e
    return values[e] if e in values else e.func(*(_with_symbols(a, values) for a in e.args))


def swap_free(e: Expr, one: int, other: int) -> Expr:
    """Exchange two free indices."""
    move = {one: other, other: one}
    return e.xreplace({s: s.at(move[s.label]) for s in e.atoms(Indexed) if s.label in move})


def opened(t: Total, *avoid: int) -> tuple[Expr, int]:
    """Return the body of a sum at a fresh free index, and the label of this index.

    The index occurs neither in the sum nor in ``avoid``.
    """
    fresh = min({OTHER, *avoid, *(k for k in labels(t.body) if k <= 0)}) - 1
    return relabel(t.body, t.index.label, fresh), fresh


def substitute(e: Expr, values: Mapping[Any, Expr]) -> Expr:
    """Replace symbols by expressions at every index, without capture.

    Args:
        e: the expression.
        values: the new expressions, by symbols at the generic index.

    Raises:
        OutsideLanguageError: where an abstract function would be evaluated at another point than
            its own block.
    """
    if isinstance(e, Potential | Field | Partial):
        return _checked_unmoved(e, values)
    if not e.args:
        return _value_at(e, values)
    if isinstance(e, DenseEntry):
        return e
    if isinstance(e, Total):
        body, label = opened(e)
        return sum_over(substitute(body, values), label, e.index.length)
    return e.func(*(substitute(a, values) for a in e.args))


def _checked_unmoved(e: Expr, values: Mapping[Any, Expr]) -> Expr:
    """Return an abstract function unchanged, after a check that none of its blocks is replaced."""
    moved = moved_block(e, values)
    if moved is not None:
        raise OutsideLanguageError(f"{e} at another value of {moved} is outside the language")
    return e


def _value_at(symbol: Expr, values: Mapping[Any, Expr]) -> Expr:
    """The new value of a symbol, moved to the index that the symbol stands at."""
    if not isinstance(symbol, Indexed):
        return values.get(symbol, symbol)
    value = values.get(symbol.at(GENERIC))
    return symbol if value is None else relabel(value, GENERIC, symbol.label)
