"""Do sums of counts over data determine a sum over data of an expression?"""

from __future__ import annotations

from sympy import Add, Expr, Integer, Mul, Symbol

from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import generic
from recipe.language.total import Total, opened, substitute, total
from recipe.latent.increments import with_one_count
from recipe.latent.labels import ITEM, Labels


def check_determined(e: Expr, z: Labels, what: str) -> None:
    """Require that sums of mean counts over data determine the sum of an expression over them.

    They do where it is affine in the counts of a datum with coefficients that are the same for all
    data, so that it does not read the size of a datum.

    Args:
        e: an expression of the generic label, its counts and its row.
        z: the labels.
        what: what the expression is, for the message.

    Raises:
        OutsideLanguageError: where that is not seen in its form; naming the term.
    """
    e = with_one_count(e, z)
    if z.size in e.free_symbols:
        raise OutsideLanguageError(
            f"{what} reads {z.text_of(z.size)} of each datum, which sums of counts over data do not"
            " determine"
        )
    wrong = _not_affine(e, {z.count, z.counts})
    if wrong is not None:
        raise OutsideLanguageError(
            f"{what} was not shown to be affine in the counts of a datum, and sums of counts over"
            f" data determine no other: see {z.text_of(wrong)}"
        )


def summed_over_data(e: Expr, z: Labels) -> Expr:
    """Return the sum over the data of a minibatch of an expression that ``check_determined`` took,
    in ``z.summed`` and ``z.batch``, and in ``z.members`` where a datum has one label.

    Args:
        e: an expression of the generic label, its counts and its row.
        z: the labels.
    """
    e = with_one_count(e, z)
    none: dict[Symbol, Expr] = {z.count: Integer(0), z.counts: Integer(0)}
    # each item has one column, so that n_k is the sum of n_kw where each item has a label
    members = total(z.summed) if z.each == ITEM else z.members
    at_batch = substitute(e, {z.count: members, z.counts: z.summed})
    return at_batch + (z.batch - 1) * substitute(e, none)


def _not_affine(e: Expr, counts: set[Symbol]) -> Expr | None:
    """A term that is not a count, or a sum over columns of such terms, times what is free of them;
    None if there is none.
    """
    for term in Add.make_args(e.expand()):
        factors = [f for f in Mul.make_args(term) if _reads(f, counts)]
        if not factors:
            continue
        if len(factors) > 1:
            return term
        (factor,) = factors
        if isinstance(factor, Total):
            if _not_affine(opened(factor)[0], counts) is not None:
                return term
        elif generic(factor) not in counts:
            return term
    return None


def _reads(e: Expr, counts: set[Symbol]) -> bool:
    return any(generic(s) in counts for s in e.free_symbols)
