"""Signs under conditions between parameters, such as ``n + alpha >= 1``.

The functions are given ``signs``, which proves the sign of any expression.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Dummy, Expr, Mul, S, Symbol, factor_terms

from recipe.language.assumed import ParameterCondition, assumed, cached, summed, under
from recipe.language.blocks import Scalar, Vector
from recipe.language.data import VectorParameter
from recipe.language.symbols import GENERIC, Length
from recipe.language.total import Total, free_indexed, labels, relabel
from recipe.signs.sets import ANY, Ask, Signs, products, signs_of_sum

MAX_TERMS_UNDER_CONDITIONS = 30  # longer sums are not written with conditions on parameters


def signs_of_groups(e: Add, signs: Ask) -> Signs:
    """The signs of a sum whose terms are put together by the powers of the state in them: first
    all totals over one length to one total, then the terms of its body.
    """
    bodies: dict[Length | None, Expr] = {}
    for term in e.args:
        totals = [f for f in Mul.make_args(term) if isinstance(f, Total)]
        whole = next((t for t in totals if t.has(VectorParameter)), next(iter(totals), None))
        if whole is None or GENERIC in labels(term):
            bodies[None] = bodies.get(None, S.Zero) + term
            continue
        body = relabel(whole.body, whole.index.label, GENERIC) * (term / whole)
        bodies[whole.index.length] = bodies.get(whole.index.length, S.Zero) + body
    groups = [_by_state(body) for body in bodies.values()]
    if all(len(group) == 1 and e in group.values() for group in groups):
        return signs_of_sum([signs(a) for a in e.args])
    return signs_of_sum(
        [
            products(signs(state), signs(factor))
            for group in groups
            for state, factor in group.items()
        ]
    )


def _by_state(e: Expr) -> dict[Expr, Expr]:
    """The sum of the factors that depend on parameters alone, by the rest of each term."""
    groups: dict[Expr, Expr] = {}
    for term in Add.make_args(e.expand()):
        constant, state = term.as_independent(Vector, Scalar, as_Add=False)
        groups[state] = groups.get(state, S.Zero) + constant
    return groups


def signs_by_conditions(e: Expr, signs: Ask) -> Signs:
    """The signs of an expression by one or two of the conditions ``g >= 0`` and ``g > 0``.

    A letter of g, a parameter or a total with a number as its factor, is written with g, which
    is replaced by a number that is nonnegative or positive; then signs are asked again.
    """
    if len(Add.make_args(e)) > MAX_TERMS_UNDER_CONDITIONS:
        return ANY
    found = ANY
    for put in _written_with(e, assumed()):
        with under(()):
            found &= signs(factor_terms(put))
        if len(found) == 1:
            break
    return found


def _written_with(e: Expr, conditions: tuple[ParameterCondition, ...]) -> Iterator[Expr]:
    """The expression with letters replaced that conditions determine, one condition at a time."""
    for i, condition in enumerate(conditions):
        others = conditions[i + 1 :]
        for g in _at_every_index(condition, e):
            for letter, factor in g.as_coefficients_dict().items():
                if letter == 1 or not e.has(letter):
                    continue
                value = ((_size_of(g, condition.is_strict) - g) / factor + letter).expand()
                put = e.xreplace({letter: value}).expand()
                yield put
                yield from _written_with(put, others)


@cached(maxsize=1024)
def _size_of(g: Expr, is_strict: bool) -> Symbol:
    """The number that g is, as a symbol. It is one symbol whenever g is the same expression, so
    that signs of what contains it are found again.
    """
    return Dummy(positive=True) if is_strict else Dummy(nonnegative=True)


def _at_every_index(condition: ParameterCondition, e: Expr) -> Iterator[Expr]:
    """The expression of a condition at each index of the parameters in e, and its total."""
    own = {s.length for s in free_indexed(condition.e) if s.label == GENERIC}
    if not own:
        yield condition.e
        return
    for label in sorted({s.label for s in free_indexed(e) if s.length in own}):
        yield relabel(condition.e, GENERIC, label)
    whole = summed(condition)
    if whole is not None:
        yield whole.e
