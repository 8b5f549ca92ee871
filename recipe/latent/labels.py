"""``Labels``: a label for each item of a datum, or one for the whole datum, and their counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sympy import Expr, Mul, Symbol

from recipe.language.as_expression import as_expression
from recipe.language.blocks import Vector
from recipe.language.data import ScalarData, VectorData
from recipe.language.errors import RecipeError
from recipe.language.names import checked_name
from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import Total

ITEM, DATUM = "item", "datum"


class LabelSum(Expr):
    """``sum over labels k of body``; ``Labels.sum`` builds it, and a joint law is made of it."""

    is_commutative = True

    def __new__(cls, body: Expr, labels: Symbol) -> LabelSum:
        return Expr.__new__(cls, body, labels)  # type: ignore[no-any-return]

    @property
    def body(self) -> Expr:
        """The summand of one generic label."""
        return self.args[0]  # type: ignore[no-any-return]

    def _sympystr(self, printer: Any) -> str:
        return f"sum_over_labels({printer.doprint(self.body)})"


@dataclass(frozen=True, init=False)
class Labels:
    """The labels of one datum: discrete latent variables, each one of K.

    Args:
        name: an identifier.
        like: a ``Vector`` block, the row of parameters of one generic label; an item of a datum
            stands in one of its columns, such as a word in a vocabulary.
        each: ``"item"`` if each item of a datum has a label, such as each word of a document a
            topic; ``"datum"`` if all of them have one, as in a mixture.

    Attributes:
        name, like, each: as given.
        labels: K, the number of labels.
        size: the number of items of the datum.
        count: n_k, the number of items with the generic label k; 1 or 0 where ``each="datum"``
            has one label.
        counts: n_kw, the same by column, with one value for each coordinate of ``like``.
        others, others_counts: the same, without the item whose label is drawn.
        item: the column of the item whose label is drawn: ``theta[z.item]`` is its coordinate.
        row: the counts of the datum by column, whatever the labels.
        summed: n_kw summed over a minibatch, each a mean over draws of the labels.
        members: n_k summed over a minibatch, each a mean over draws of the labels: where a datum
            has one label, how many data have it.
        data, batch: N, the number of all data, and n, the number in a minibatch.

    Raises:
        RecipeError: for an unusable name, a ``like`` that is no ``Vector``, or another ``each``.

    Source:
        Griffiths & Steyvers (2004), "Finding scientific topics", PNAS, for labels of words.

    Example:
        >>> from sympy import Interval, log, oo
        >>> from recipe import Labels, Vector, total
        >>> theta = Vector("theta", domain=Interval.open(0, oo))
        >>> z = Labels("z", like=theta)
        >>> z.sum(total(z.counts * log(theta)))
        sum_over_labels(total(z_counts*log(theta)))
    """

    name: str
    like: Vector
    each: str

    def __init__(self, name: str, like: Any, each: str = ITEM) -> None:
        checked_name(name)
        if not isinstance(like, Vector):
            raise RecipeError(
                f"Labels({name!r}, like={like!r}): labels are of items that stand in the columns of"
                " a Vector block, such as the words of a vocabulary; give that block"
            )
        if each not in (ITEM, DATUM):
            raise RecipeError(
                f"Labels({name!r}, each={each!r}): each item has a label, each='item', or each"
                " datum has one, each='datum'"
            )
        for attribute, value in (("name", name), ("like", like), ("each", each)):
            object.__setattr__(self, attribute, value)

    @property
    def labels(self) -> Symbol:
        """K, the number of labels."""
        return Symbol(f"{self.name}_labels", integer=True, positive=True)

    @property
    def size(self) -> Symbol:
        """The number of items of the datum."""
        return Symbol(f"{self.name}_size", integer=True, positive=True)

    @property
    def data(self) -> Symbol:
        """N, the number of data."""
        return Symbol(f"{self.name}_data", integer=True, positive=True)

    @property
    def batch(self) -> Symbol:
        """n, the number of data in a minibatch."""
        return Symbol(f"{self.name}_batch", integer=True, positive=True)

    @property
    def count(self) -> Symbol:
        """n_k, the number of items with the generic label."""
        return Symbol(f"{self.name}_count", integer=True, nonnegative=True)

    @property
    def others(self) -> Symbol:
        """n_k without the item whose label is drawn."""
        return Symbol(f"{self.name}_others", integer=True, nonnegative=True)

    @property
    def counts(self) -> VectorData:
        """n_kw, the number of items of each column with the generic label."""
        return self._by_column("counts", integer=True)

    @property
    def others_counts(self) -> VectorData:
        """n_kw without the item whose label is drawn."""
        return self._by_column("others_counts", integer=True)

    @property
    def row(self) -> VectorData:
        """The number of items of the datum in each column."""
        return self._by_column("row", integer=True)

    @property
    def summed(self) -> VectorData:
        """n_kw, summed over a minibatch; a mean over draws of the labels is no whole number."""
        return self._by_column("summed")

    @property
    def members(self) -> Symbol:
        """n_k, summed over a minibatch; a mean over draws of the labels is no whole number."""
        return Symbol(f"{self.name}_members", nonnegative=True)

    @property
    def item(self) -> ScalarData:
        """The column of the item whose label is drawn."""
        return ScalarData(f"{self.name}_item")

    def sum(self, e: Any) -> Expr:
        """Return the sum over all labels of an expression of one generic label.

        Args:
            e: a number in the row of one label, in ``count`` and ``counts``.
        """
        return LabelSum(as_expression(e, f"{self.name}.sum(...)"), self.labels)

    def text_of(self, e: Expr) -> str:
        """Return the expression as its user writes it: ``z.others``, ``theta[z.item]``.

        Args:
            e: an expression of counts and sizes of these labels.
        """
        own = {
            "count": self.count,
            "counts": self.counts,
            "others": self.others,
            "others_counts": self.others_counts,
            "row": self.row,
            "summed": self.summed,
            "members": self.members,
            "labels": self.labels,
            "size": self.size,
            "data": self.data,
            "batch": self.batch,
        }
        at_item = {t: self._named_by_item(t) for t in e.atoms(Total)}
        e = e.xreplace({t: s for t, s in at_item.items() if s is not None})
        written: dict[Symbol, Symbol] = {}
        for name, s in own.items():
            for found in e.atoms(Symbol):
                if generic(found) == s:
                    written[found] = self._written(found, name)
        return str(e.xreplace(written))

    def _written(self, s: Symbol, name: str) -> Symbol:
        shown = f"{self.name}.{name}"
        if isinstance(s, Indexed):
            return Indexed.__new__(VectorData, shown, s.length, s.label)
        return Symbol(shown)

    def _named_by_item(self, t: Total) -> Symbol | None:
        """``theta[z.item]`` for the sum that it stands for."""
        hot = [s for s in Mul.make_args(t.body) if getattr(s, "labels", None) == self.item]
        rest = t.body / hot[0] if hot else None
        if not isinstance(rest, Indexed):
            return None
        rest = rest.at(GENERIC)
        mine = rest in (self.counts, self.others_counts, self.row)
        base = rest.base.replace(f"{self.name}_", f"{self.name}.", 1) if mine else rest.base
        return Symbol(f"{base}[{self.name}.item]", positive=rest.is_positive)

    def _by_column(self, ending: str, **facts: bool) -> VectorData:
        return Indexed.__new__(  # type: ignore[return-value]
            VectorData,
            f"{self.name}_{ending}",
            self.like.length,
            GENERIC,
            (),
            real=True,
            nonnegative=True,
            **facts,
        )
