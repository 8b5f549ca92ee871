"""Lower an expression of the language to loop bodies: sums become loops of their own,
coordinate-free factors are hoisted.

The caller's ``leaf`` decides which place a symbol is read from. All that a step and the gradient of
a posterior have in common is here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import singledispatchmethod
from typing import TypeVar

import sympy
from sympy import Add, Expr, Mul, Symbol
from sympy.core.function import AppliedUndef

from codegen.lowering.fold_forms import with_folds
from codegen.lowering.names import Namer
from codegen.lowering.places import Array, Cell, OneHot, at_label
from codegen.lowering.special_forms import with_digamma
from codegen.lowering.stable_forms import stabilised
from codegen.lowering.statements import ElementwiseLoop, Let, MatrixProduct, Statement, Sums
from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.symbols import GENERIC, Length
from recipe.language.total import Total, labels, opened

Leaf = Callable[[Expr, int], Expr]
ScratchOf = Callable[[str, Length], Array]
Key = TypeVar("Key")


class Lowering:
    """A list of statements under construction.

    Args:
        leaf: gives the place that a symbol or a partial derivative is read from, at the coordinate
            of a label (GENERIC in an elementwise loop, another label inside a sum).
        namer: gives new names.
        matrix: the array that holds a constant matrix.
        scratch: reserves an array of a length under a wished name.
    """

    def __init__(
        self, leaf: Leaf, namer: Namer, matrix: Callable[[Dense], Array], scratch: ScratchOf
    ) -> None:
        self.leaf, self.namer, self.matrix, self.scratch = leaf, namer, matrix, scratch
        self.statements: list[Statement] = []
        self._sums: dict[Expr, Symbol] = {}
        self._products: dict[tuple[Array, Expr, bool], Array] = {}
        self._lets: dict[Expr, Symbol] = {}
        self._lowered: dict[tuple[Expr, int], Expr] = {}

    def forget(self) -> None:
        """Forget the sums and products so far: the blocks that they read have changed."""
        self._sums.clear()
        self._products.clear()

    def lower(self, e: Expr, label: int = GENERIC) -> Expr:
        """The expression at the coordinate of a label, in cells and names."""
        self._lowered.clear()
        return self._lower(stabilised(with_digamma(with_folds(e))), label)

    def lower_all(self, expressions: Mapping[Key, Expr]) -> dict[Key, Expr]:
        """The expressions at the generic coordinate, in cells and names, in their order.

        They are read where the same blocks have the same values, so what they share is lowered
        once: each of the gradients of a model with n terms holds the n terms of the residual.
        """
        self._lowered.clear()
        return {
            key: self._lower(stabilised(with_digamma(with_folds(e))), GENERIC)
            for key, e in expressions.items()
        }

    def _lower(self, e: Expr, label: int) -> Expr:
        if (e, label) not in self._lowered:
            self._lowered[e, label] = self._in_places(e, label)
        return self._lowered[e, label]

    @singledispatchmethod
    def _in_places(self, e: Expr, label: int) -> Expr:
        return e.func(*(self._lower(a, label) for a in e.args)) if e.args else e

    @_in_places.register(Symbol)
    @_in_places.register(Partial)
    def _(self, e: Expr, label: int) -> Expr:
        if isinstance(e, Field):
            raise unbound(e)
        return self.leaf(e, label)

    @_in_places.register(AppliedUndef)
    @_in_places.register(Jet)
    def _(self, e: Expr, label: int) -> Expr:
        raise unbound(e.applied.func if isinstance(e, Jet) else e.func)

    @_in_places.register
    def _(self, e: NoncentralChiSquared, label: int) -> Expr:
        if label != GENERIC:
            raise OutsideLanguageError(
                f"{e} stands inside a sum; a draw that is not normal stands outside of sums only"
            )
        return self.leaf(e, label)

    @_in_places.register
    def _(self, e: DenseEntry, label: int) -> Expr:
        if set(e.labels) != {label}:
            raise OutsideLanguageError(
                f"{e} stands outside of a sum over one of its indices; write it as"
                f" dot({e.matrix}, v)"
            )
        return self.matrix(e.matrix)["i, i"]

    @_in_places.register
    def _(self, e: Total, label: int) -> Expr:
        body, k = opened(e, label)
        if labels(body) - {k}:
            return self._product(e, body, k, label)
        value = self._lower(body, k)
        hot = next(iter(value.atoms(OneHot)), None)
        return (
            self._sum(self.hoisted(value), e.index.length) if hot is None else self._at(hot, value)
        )

    def _at(self, hot: OneHot, value: Expr) -> Symbol:
        """The sum of ``hot * f``, which is f at the coordinate that the label names."""
        chosen = at_label(factor_of(hot, value), hot)
        if chosen not in self._lets:
            self._lets[chosen] = self.let(chosen, "at_label")
        return self._lets[chosen]

    def _sum(self, value: Expr, length: Length) -> Symbol:
        if value not in self._sums:
            target = Symbol(self.namer.fresh("total"), real=True)
            self._place_sum(target, value, length)
            self._sums[value] = target
        return self._sums[value]

    def _place_sum(self, target: Symbol, value: Expr, length: Length) -> None:
        """Let a sum join the earliest loop of that length that comes after all that the sum
        reads.
        """
        joined = None
        for n in range(len(self.statements) - 1, -1, -1):
            group = self.statements[n]
            defined = _defined_by(group)
            if defined is None or value.free_symbols & defined:
                break
            if isinstance(group, Sums) and group.length == length:
                joined = n
        if joined is None:
            self.statements.append(Sums(self.namer.fresh("sums"), length, (target,), (value,)))
            return
        group = self.statements[joined]
        assert isinstance(group, Sums)
        self.statements[joined] = Sums(
            group.function, length, (*group.targets, target), (*group.values, value)
        )

    def _product(self, e: Total, body: Expr, k: int, label: int) -> Expr:
        factors = Mul.make_args(body)
        entries = [f for f in factors if isinstance(f, DenseEntry) and set(f.labels) == {k, label}]
        rest = Mul(*(f for f in factors if f not in entries))
        if len(entries) != 1 or labels(rest) - {k}:
            raise OutsideLanguageError(
                f"{e} needs a double loop that is no product of a Dense matrix with a vector: it is"
                " refused"
            )
        entry = entries[0]
        M = entry.matrix
        transposed = not M.symmetric and entry.labels[0] == k
        rows, columns = (M.column, M.row) if transposed else (M.row, M.column)
        return self.product(
            self.matrix(M), self._lower(rest, k), rows.length, columns.length, transposed
        )

    def product(
        self, matrix: Array, value: Expr, rows: Length, columns: Length, transposed: bool = False
    ) -> Expr:
        """The product of a matrix with a vector, as an array of scratch."""
        key = (matrix, value, transposed)
        if key not in self._products:
            target = self.scratch(f"{matrix.field}_times", rows)
            function = self.namer.fresh("multiply")
            value = self.hoisted(value)
            self.statements.append(
                MatrixProduct(function, target, matrix, transposed, rows, columns, value)
            )
            self._products[key] = target
        return self._products[key]["i"]

    def let(
        self, value: Expr, wish: str, *, store: Cell | None = None, comment: str = ""
    ) -> Symbol:
        """Compute a number once, under a new name that is like the wished one."""
        target = Symbol(self.namer.fresh(wish), real=True)
        self.statements.append(Let(target, value, store, comment))
        return target

    def hoisted(self, e: Expr, local: Iterable[Symbol] = ()) -> Expr:
        """The expression with its coordinate-free compound parts computed once, before the loop.
        The symbols ``local`` vary in the loop.
        """
        inner = set(local)

        def varies(f: Expr) -> bool:
            return any((isinstance(s, Cell) and s.varies) or s in inner for s in f.free_symbols)

        def walk(f: Expr) -> Expr:
            if not varies(f):
                return self._constant(f)
            if not isinstance(f, Add | Mul):
                return f.func(*(walk(a) for a in f.args)) if f.args else f
            free = f.func(*(a for a in f.args if not varies(a)))
            return f.func(self._constant(free), *(walk(a) for a in f.args if varies(a)))

        return walk(e)

    def _constant(self, f: Expr) -> Expr:
        negative = isinstance(f, Mul) and f.could_extract_minus_sign()
        f = -f if negative else f
        if f.args and not f.is_number:
            if f not in self._lets:
                self._lets[f] = self.let(f, "factor")
            f = self._lets[f]
        return -f if negative else f

    def sweep(
        self,
        length: Length,
        values: list[tuple[Symbol, Expr]],
        stores: dict[Cell, Symbol],
        comments: Iterable[str],
        name: str,
    ) -> ElementwiseLoop:
        """Write a fused loop; common subexpressions are computed once a coordinate.

        Args:
            length: the number of coordinates.
            values: the local symbols with their values, in order.
            stores: the local symbol that each cell takes as its new value.
            comments: the lines on top of the loop body.
            name: the wished name of the loop function.
        """
        local = [s for s, _ in values]
        hoisted = [self.hoisted(e, local) for _, e in values]
        body = with_common_parts(list(zip(local, hoisted, strict=True)), self.namer)
        sweep = ElementwiseLoop(
            self.namer.fresh(name), length, tuple(body), tuple(stores.items()), tuple(comments)
        )
        self.statements.append(sweep)
        return sweep


def factor_of(hot: OneHot, e: Expr) -> Expr:
    """Return f of an expression ``hot * f``.

    Raises:
        OutsideLanguageError: where the expression has another form, or is of two labels.
    """
    f = e.diff(hot)
    if (e - hot * f).expand() != 0 or f.has(OneHot):
        raise OutsideLanguageError(
            f"{e} is not linear in the coordinate that a label names; write theta[label] as it is"
        )
    return f


def with_common_parts(values: list[tuple[Symbol, Expr]], namer: Namer) -> list[tuple[Symbol, Expr]]:
    """The assignments, and before the first use of each common subexpression its own."""
    names = (Symbol(namer.fresh("u"), real=True) for _ in iter(int, 1))
    common, reduced = sympy.cse([e for _, e in values], symbols=names, order="none")
    meaning, placed = dict(common), set()
    result: list[tuple[Symbol, Expr]] = []

    def place(e: Expr) -> None:
        for s in sorted(e.free_symbols & meaning.keys(), key=str):
            if s not in placed:
                placed.add(s)
                place(meaning[s])
                result.append((s, meaning[s]))

    for (target, _), e in zip(values, reduced, strict=True):
        place(e)
        result.append((target, e))
    return result


def unbound(head: object) -> RecipeError:
    """The error that an abstract function has no values, with the repair."""
    return RecipeError(f"{head} has no values: bind it first, bind(recipe, {{{head}: ...}})")


def _defined_by(statement: Statement) -> set[Symbol] | None:
    """The numbers that a statement computes; None where sums must not be moved before it."""
    if isinstance(statement, Sums):
        return set(statement.targets)
    if isinstance(statement, Let):
        return {statement.target}
    return None
