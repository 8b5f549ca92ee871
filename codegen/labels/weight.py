"""The weight of a label as a product: a factor of its count and a factor of its row; where a datum
has one label, a factor for each of its items, and one of the label's own number.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Add, Dummy, Expr, Integer, Mul, Symbol

from codegen.lowering.special_forms import with_digamma
from recipe.language.blocks import Scalar, Vector
from recipe.language.errors import RecipeError
from recipe.language.symbols import Indexed, Length, generic
from recipe.language.total import Total, opened
from recipe.latent.increments import hot, with_one_count, with_one_size
from recipe.latent.labels import ITEM, Labels
from recipe.latent.posterior import LabelledPosterior

COUNT = Dummy("count", nonnegative=True)  # of items with the label, without the one that is drawn
HERE = Dummy("here", real=True)  # the coordinate of the row in the column of the item
OWN = Dummy("own", real=True)  # the number that a label has beside its row, its weight


@dataclass(frozen=True)
class RowSum:
    """A sum over the columns of a row.

    Attributes:
        symbol: stands for it in expressions.
        body: the summand, of the generic column, in which earlier sums are symbols.
    """

    symbol: Symbol
    body: Expr


@dataclass(frozen=True)
class Weight:
    """The weight of a label in a draw, up to a factor that all labels share.

    Attributes:
        of_count: the factor of the count, in ``COUNT`` and parameters.
        of_row: the factor of the row in the column of the item, in ``HERE``, sums and parameters;
            its logarithm where ``of_datum``.
        sums: the sums over columns that it needs, each after those that it needs itself.
        parameters: all parameters in it, sorted by name.
        of_datum: whether a datum has one label, whose weight is the product over its items.
        of_label: the logarithm of the factor of the label's own number, in ``OWN`` and parameters;
            None where labels have no such number.
    """

    of_count: Expr
    of_row: Expr
    sums: tuple[RowSum, ...]
    parameters: tuple[Symbol, ...]
    of_datum: bool = False
    of_label: Expr | None = None


def number_of_a_label(model: LabelledPosterior) -> Scalar | None:
    """Return the block with one number a label, beside its row; None where there is none.

    Args:
        model: the model with latent labels.

    Raises:
        RecipeError: where the draws of such a model are not compiled.
    """
    z = model.labels
    further = [b for b in model.blocks if b != z.like]
    if not further:
        return None
    if len(further) > 1 or not isinstance(further[0], Scalar) or z.each == ITEM:
        listed = ", ".join(map(str, further))
        raise RecipeError(
            f"beside its row {z.like} a label has {listed}: labels are sampled with one number a"
            " label at most, a Scalar block, where a datum has one label (each='datum')"
        )
    return further[0]


def weight_of(model: LabelledPosterior) -> Weight:
    """Return the weight of a label as a product.

    Raises:
        RecipeError: where it is no such product, reads counts by column, or the model has further
            blocks, but for one number a label.
    """
    z, own = model.labels, number_of_a_label(model)
    if z.each != ITEM:
        return _of_datum(model, own)
    e = with_one_count(model.weight, z)  # a printed weight may be wrong, and this one is derived
    if z.others_counts in {generic(s) for s in e.atoms(Symbol)}:
        raise RecipeError(f"the weight {z.text_of(e)} reads counts by column, and is not compiled")
    return _split(e, z)


def _split(e: Expr, z: Labels) -> Weight:
    here = with_digamma(_at_the_item(e, z))
    sums: list[RowSum] = []
    whole = _named(here, sums)
    rows = {HERE, *(s.symbol for s in sums)}
    of_count, of_row = [], []
    for factor in Mul.make_args(whole):
        found = factor.free_symbols
        if z.others in found and found & rows:
            raise RecipeError(
                f"the weight {z.text_of(e)} is no product of a factor of the count and a factor of"
                " the row, and is not compiled"
            )
        if z.others in found:
            of_count.append(factor)
        elif found & rows:
            of_row.append(factor)  # any other factor is shared by all labels
    count = Mul(*of_count).xreplace({z.others: COUNT})
    return Weight(count, Mul(*of_row), tuple(sums), _parameters(z, e, count, *of_row, sums=sums))


def _parameters(z: Labels, weight: Expr, *e: Expr, sums: list[RowSum]) -> tuple[Symbol, ...]:
    """The parameters in expressions and sums; what is no number that a module has is refused."""
    free = {s for x in (*e, *(s.body for s in sums)) for s in x.free_symbols}
    own = {COUNT, HERE, OWN, *(s.symbol for s in sums)}
    parameters = {s for s in free - own if not isinstance(s, Indexed)}
    refused = [s for s in parameters if s == z.size or isinstance(s, Length)]
    if refused:
        raise RecipeError(
            f"the weight {z.text_of(weight)} depends on {refused[0]} together with the label, and"
            " is not compiled"
        )
    return tuple(sorted(parameters, key=str))


def _of_datum(model: LabelledPosterior, own: Scalar | None) -> Weight:
    """The weight of the label of a whole datum: its logarithm is a sum over the items of a number
    of the row and the column, of a term of the label's own number, and of terms that all labels
    share.
    """
    z = model.labels
    terms = Add.make_args(with_one_size(model.increment.expand(), z).expand())
    of_item = Add(*(_of_one_item(t, model) for t in terms if _reads(t, z.like)))
    sums: list[RowSum] = []
    of_row = _named(with_digamma(of_item), sums)
    of_label = None if own is None else with_digamma(_of_own_number(terms, own, model))
    read = [of_row] if of_label is None else [of_row, of_label]
    parameters = _parameters(z, model.weight, *read, sums=sums)
    return Weight(Integer(1), of_row, tuple(sums), parameters, of_datum=True, of_label=of_label)


def _of_own_number(terms: Iterable[Expr], own: Scalar, model: LabelledPosterior) -> Expr:
    """The terms of a log weight that read the label's own number, which read no items."""
    z = model.labels
    mine = [t for t in terms if own in t.free_symbols]
    wrong = next((t for t in mine if _reads(t, z.row) or _reads(t, z.like)), None)
    if wrong is not None:
        raise RecipeError(
            f"the weight {z.text_of(model.weight)} is no product of a factor of {own} and of"
            f" factors of items, and is not compiled: see {z.text_of(wrong)}"
        )
    return Add(*mine).xreplace({own: OWN})


def _of_one_item(term: Expr, model: LabelledPosterior) -> Expr:
    """What one item in the column of ``HERE`` adds to a term of the log weight."""
    z = model.labels
    of_items: list[Expr] = []
    others: list[Expr] = []
    for factor in Mul.make_args(term):
        (of_items if _reads(factor, z.row) else others).append(factor)
    if len(of_items) == 1 and isinstance(of_items[0], Total):
        body, label = opened(of_items[0])
        rest = body / z.row.at(label)
        if not _reads(rest, z.row):
            at = {s: HERE for s in rest.atoms(Indexed) if s == z.like.at(label)}
            return Mul(*others) * rest.xreplace(at)
    raise RecipeError(
        f"the weight {z.text_of(model.weight)} is no product over the items of the datum, and is"
        f" not compiled: see {z.text_of(term)}"
    )


def _reads(e: Expr, symbol: Symbol) -> bool:
    return any(generic(s) == symbol for s in e.free_symbols)


def _at_the_item(e: Expr, z: Labels) -> Expr:
    """The expression with ``HERE`` for the coordinate of the row in the column of the item."""
    at = {}
    for t in e.atoms(Total):
        mine = hot(z).at(t.index.label)
        if t.body.has(mine):
            rest = t.body / mine
            if not (isinstance(rest, Vector) and rest.at(0) == z.like):
                raise RecipeError(f"{z.text_of(e)} reads more than {z.like} at the item")
            at[t] = HERE
    return e.xreplace(at)


def _named(e: Expr, sums: list[RowSum]) -> Expr:
    """The expression with a symbol for each sum over columns, innermost sums first."""
    if isinstance(e, Total):
        body = _named(e.body, sums)
        known = next((s for s in sums if s.body == body), None)
        if known is None:
            known = RowSum(Dummy(f"row_sum_{len(sums)}", real=True), body)
            sums.append(known)
        return known.symbol
    return e.func(*(_named(a, sums) for a in e.args)) if e.args else e
