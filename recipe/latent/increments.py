"""What one more item with a label adds to the log joint law of that label."""

from __future__ import annotations

from sympy import Add, Expr, Integer, Mul, exp, expand_log, log, loggamma

from recipe.language.data import VectorData, one_hot
from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import GENERIC, Indexed, generic
from recipe.language.total import Total, opened, relabel, substitute, total
from recipe.latent.labels import ITEM, Labels

MAX_STEPS = 40  # by which arguments of Gamma functions may differ


def increment(f: Expr, z: Labels) -> Expr:
    """The log joint law of a label with the item in question, less that without it.

    Args:
        f: the log joint law of one generic label, in ``z.count`` and ``z.counts``.
        z: the labels.

    Returns:
        An expression of ``z.others``, ``z.others_counts`` and coordinates at ``z.item``; of
        ``z.row`` where a datum has one label.

    Raises:
        OutsideLanguageError: where a sum of counts stands inside of another one.
    """
    f = with_one_count(f, z)
    if z.each == ITEM:
        return _change(f, z)
    return substitute(f, {z.count: Integer(1), z.counts: z.row}) - substitute(
        f, {z.count: Integer(0), z.counts: Integer(0)}
    )


def with_one_count(f: Expr, z: Labels) -> Expr:
    """The expression with ``z.count`` for ``total(z.counts)``, which is the same number where each
    item has a label. Where a datum has one, ``z.count`` is 1 or 0 and the sum is its size or 0.
    """
    if z.each != ITEM:
        return f
    same = {total(z.counts): z.count, total(z.others_counts): z.others}
    return f.xreplace(same)


def with_one_size(e: Expr, z: Labels) -> Expr:
    """The expression with ``total(z.row)`` for ``z.size``, the same number, where a datum has one
    label: weights read both.
    """
    return e if z.each == ITEM else e.xreplace({z.size: total(z.row)})


def _counts(f: Expr, z: Labels) -> set[VectorData]:
    return {s for s in f.atoms(VectorData) if generic(s) == z.counts}


def _change(f: Expr, z: Labels) -> Expr:
    """What one item more changes, term by term, so that what is the same is not written twice."""
    if isinstance(f, Add):
        return Add(*(_change(term, z) for term in f.args))
    if not f.has(z.count) and not _counts(f, z):
        return Integer(0)
    if isinstance(f, Mul):
        constant = [a for a in f.args if not a.has(z.count) and not _counts(a, z)]
        if constant:
            return Mul(*constant) * _change(Mul(*(a for a in f.args if a not in constant)), z)
    if isinstance(f, Total) and not f.has(z.count):
        return _at_the_column(f, z)
    return _one_more(f, z) - _without(f, z)


def _without(f: Expr, z: Labels) -> Expr:
    at = {s: z.others_counts.at(s.label) for s in _counts(f, z)}
    return f.xreplace({z.count: z.others, **at})


def _one_more(f: Expr, z: Labels) -> Expr:
    """The expression with one item more."""
    if isinstance(f, Total) and _counts(f, z):
        rest = f.xreplace({z.count: z.others + 1})
        return _without(rest, z) + _at_the_column(rest, z)
    if not f.args:
        return z.others + 1 if f == z.count else f
    return f.func(*(_one_more(a, z) for a in f.args))


def _at_the_column(t: Total, z: Labels) -> Expr:
    """What one item more changes in ``total(F(n_kw))``: ``F(n_kw + 1) - F(n_kw)`` at its column."""
    body, label = opened(t)
    if any(_counts(inner, z) for inner in body.atoms(Total)):
        raise OutsideLanguageError(
            f"{t} is a sum of counts inside of a sum of counts, which one item changes in more"
            " than one place; it is outside of the language"
        )
    more = body.xreplace({s: z.others_counts.at(s.label) + 1 for s in _counts(body, z)})
    return at_item(relabel((more - _without(body, z)).expand(), label, GENERIC), z)


def at_item(e: Expr, z: Labels) -> Expr:
    """An expression of one generic column, at the column of the item."""
    return e.xreplace(
        {s: total(hot(z) * s) for s in e.atoms(Indexed) if s.label == GENERIC and s != hot(z)}
    )


def hot(z: Labels) -> Indexed:
    """1 in the column of the item and 0 in all others, as ``theta[z.item]`` has it."""
    return one_hot(f"{z.item}_in_{z.like.length}", z.like, z.item)


def weight_of(change: Expr) -> Expr:
    """The exponential of a change of the log joint law, as a product where it is one."""
    factors: list[Expr] = []
    rest: list[Expr] = []
    for term in Add.make_args(without_gammas(expand_log(change.expand()))):
        number, e = term.as_coeff_Mul()
        if isinstance(e, log):
            factors.append(e.args[0] ** number)
        else:
            rest.append(term)
    return Mul(*factors) * (exp(Add(*rest)) if rest else 1)


def without_gammas(e: Expr) -> Expr:
    """The sum with ``loggamma(x + m)`` written by ``loggamma(x)``, where both occur.

    Args:
        e: a sum in which every argument of ``loggamma`` is positive.
    """
    found = sorted(e.atoms(loggamma), key=str)
    written: dict[Expr, Expr] = {}
    for f in found:
        steps = {base: (f.args[0] - base.args[0]).expand() for base in found}
        below = {b: int(n) for b, n in steps.items() if n.is_Integer and 0 < n <= MAX_STEPS}
        if below:
            base = max(below, key=lambda b: below[b])
            written[f] = base + Add(*(log(base.args[0] + k) for k in range(below[base])))
    return e.xreplace(written).expand()
