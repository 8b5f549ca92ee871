"""The weight of a label as a product: a factor of its count and a factor of its row; where a datum
has one label, a factor for each of its items.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Dummy, Expr, Integer, Mul, Symbol

from codegen.lowering.special_forms import with_digamma
from recipe.language.errors import RecipeError
from recipe.language.symbols import Indexed, Length, Vector, generic
from recipe.language.total import Total, opened
from recipe.latent.increments import hot, with_one_count, with_one_size
from recipe.latent.labels import ITEM, Labels
from recipe.latent.posterior import LabelledPosterior

COUNT = Dummy("count", nonnegative=True)  # of items with the label, without the one that is drawn
HERE = Dummy("here", real=True)  # the coordinate of the row in the column of the item


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
    """

    of_count: Expr
    of_row: Expr
    sums: tuple[RowSum, ...]
    parameters: tuple[Symbol, ...]
    of_datum: bool = False


def weight_of(model: LabelledPosterior) -> Weight:
    """Return the weight of a label as a product.

    Raises:
        RecipeError: where it is no such product, reads counts by column, or the model has several
            blocks.
    """
    z = model.labels
    if len(model.blocks) != 1:
        raise RecipeError(
            f"labels are sampled for one block of a label, and there are {len(model.blocks)}"
        )
    if z.each != ITEM:
        return _of_datum(model)
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
    own = {COUNT, HERE, *(s.symbol for s in sums)}
    parameters = {s for s in free - own if not isinstance(s, Indexed)}
    refused = [s for s in parameters if s == z.size or isinstance(s, Length)]
    if refused:
        raise RecipeError(
            f"the weight {z.text_of(weight)} depends on {refused[0]} together with the label, and"
            " is not compiled"
        )
    return tuple(sorted(parameters, key=str))


def _of_datum(model: LabelledPosterior) -> Weight:
    """The weight of the label of a whole datum: its logarithm is a sum over the items of a number
    of the row and the column, and of terms that all labels share.
    """
    z = model.labels
    terms = Add.make_args(with_one_size(model.increment.expand(), z).expand())
    of_item = Add(*(_of_one_item(t, model) for t in terms if _reads(t, z.like)))
    sums: list[RowSum] = []
    of_row = _named(with_digamma(of_item), sums)
    parameters = _parameters(z, model.weight, of_row, sums=sums)
    return Weight(Integer(1), of_row, tuple(sums), parameters, of_datum=True)


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
