"""A recipe or a rule that is bound to data, with the potential written out: the data enter as sums
that may be any numbers.
"""

from __future__ import annotations

from sympy import Add, Expr, Mul, S, Symbol, expand_mul

from recipe import Posterior, Recipe, RecipeError, Update
from recipe.declare.replace_fields import with_fields
from recipe.language.blocks import Block, Vector
from recipe.language.data import Parameter, ScalarData, VectorData
from recipe.language.free_symbols import UnusedNames, blocks_in
from recipe.language.total import Total, opened, sum_over
from recipe.rebuild.bind import bind


def with_data_summed_up(recipe: Recipe | Update) -> Recipe | Update | None:
    """Return a recipe or a rule with each potential that is bound to data written out, where the
    log likelihood of a datum is a sum of products of a statistic of the datum and a function of the
    state: its sum over the data is that of the summed statistics, whatever the data are.

    The sums are parameters that may be any real numbers, so that what is proved for all of their
    values holds for all data; that some data have given sums is not said.

    Returns:
        The recipe or rule; None where there are no data, a gradient of the user stands in for the
        model, or a log likelihood is no such sum.
    """
    if not recipe.posteriors:
        return None
    laws = [law for _, law in recipe.posteriors]
    models = [e for p in laws for e in (p.log_likelihood, p.log_prior) if e is not None]
    names = UnusedNames([*recipe.state, *models, *(e for e, _ in recipe.written())])
    energies = {}
    for U, law in recipe.posteriors:
        energy = _energy(law, recipe.state, names)
        if energy is None:
            return None
        energies[U] = energy
    try:
        return bind(with_fields(recipe, posteriors=()), energies)  # type: ignore[type-var]
    except RecipeError:
        return None


def _energy(law: Posterior, state: tuple[Block, ...], names: UnusedNames) -> Expr | None:
    """Return minus the log posterior of any data, up to a constant; None if there is no such
    expression.
    """
    if law.user_gradient is not None or law.log_likelihood is None:
        return None
    terms = []
    rows = Parameter(names.fresh("rows"), positive=True)
    for term in Add.make_args(expand_mul(law.log_likelihood)):
        summed = _summed(term, rows, state, names)
        if summed is None:
            return None
        terms.append(summed)
    return -law.log_prior - Add(*terms)


def _summed(term: Expr, rows: Symbol, state: tuple[Block, ...], names: UnusedNames) -> Expr | None:
    """Return the sum of a term over the data."""
    if not _has_data(term):
        return rows * term
    factors = Mul.make_args(term)
    totals = [f for f in factors if isinstance(f, Total) and _has_data(f)]
    others = Mul(*(f for f in factors if f not in totals))
    if not totals:
        return _split(others, Parameter(names.fresh("data_sum")), state)
    if len(totals) > 1 or _has_data(others):
        return None
    (total,) = totals
    body, label = opened(total)
    parts = []
    for each in Add.make_args(expand_mul(body)):
        if not _has_data(each):
            parts.append(rows * each)
            continue
        like = next((b for b in state if getattr(b, "length", None) == total.index.length), None)
        if not isinstance(like, Vector):
            return None
        symbol = Parameter(names.fresh("data_sum"), like=like)
        split = _split(each, symbol.at(label), state)
        if split is None:
            return None
        parts.append(split)
    return others * sum_over(Add(*parts), label, total.index.length)


def _split(term: Expr, summed: Expr, state: tuple[Block, ...]) -> Expr | None:
    """Return a product with all of its factors that have data replaced by their sum; None if one
    of these has the state in it as well.
    """
    rest: Expr = S.One
    for factor in Mul.make_args(term):
        if not _has_data(factor):
            rest *= factor
        elif blocks_in(factor, state):
            return None
    return rest * summed


def _has_data(e: Expr) -> bool:
    return bool(e.atoms(VectorData, ScalarData))
