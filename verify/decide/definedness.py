"""Decide the conditions under which an expression is defined: by signs, for small steps, or by a
point where one fails.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction

from sympy import Dummy, Expr, Rational, S, Symbol, fraction, together

from recipe.language.assumed import assumed
from recipe.language.calculus import freeze, partial, thaw
from recipe.language.free_symbols import parameters_of
from recipe.language.symbols import GENERIC, OTHER, Indexed, Length, name_of
from recipe.language.total import substitute
from recipe.signs.defined import NONNEGATIVE, NONZERO, POSITIVE, PROVERS, Condition
from verify.decide.points.balls import WORKING_BITS, NoValueError, at_precision, shown_ball
from verify.decide.points.point import Point
from verify.decide.zero.decide import explicit_sizes, points
from verify.verdict import Outcome, Verdict, Witness, proved, refuted, undecided

POINTS_PER_LENGTH_CHOICE = 48
SEEDS_UNDER_CONDITIONS = 4
NO_POINT = (
    "no point was found that satisfies all assumptions; a proof about an empty domain would say"
    " nothing"
)
EXPANSION_ORDERS = 9  # powers of sqrt(step) in which a nonzero coefficient is searched for


def has_a_point(expressions: Iterable[Expr]) -> bool:
    """Return True if every symbol in the expressions was given a value that satisfies its
    declaration.
    """
    listed = list(expressions)
    point = Point(next(explicit_sizes(listed)), seed=1)
    try:
        if not point.meets_conditions():
            return False
        for e in listed:
            for s in sorted(e.atoms(Symbol), key=str):
                point.choose(s)
    except NoValueError:
        return False
    return True


def meets_conditions(sizes: Mapping[Length, int], shown: Mapping[str, str | list[str]]) -> bool:
    """Return True if parameters were found, for these lengths and with the values that a witness
    shows, that meet the conditions under which the proof at hand is.

    Args:
        sizes: the number behind each length.
        shown: the point of the witness, by name. A value that is no rational number is taken to
            break the conditions.
    """
    try:
        known = list(_known_parameters(shown))
    except (TypeError, ValueError):
        return False
    return any(_meets_with(Point(sizes, seed), known) for seed in range(SEEDS_UNDER_CONDITIONS))


def _known_parameters(
    shown: Mapping[str, str | list[str]],
) -> Iterator[tuple[Symbol, int | None, Rational]]:
    """Yield the parameters in conditions whose values a witness shows, a vector by coordinate.

    Raises:
        TypeError, ValueError: for a value that is no rational number.
    """
    for s in parameters_of(c.e for c in assumed()):
        value = shown.get(name_of(s), shown.get(str(s)))  # an instance shows a vector as alpha[i]
        if isinstance(value, list):
            for k, text in enumerate(value):
                if text != "any":
                    yield s.at(GENERIC), k, Rational(Fraction(text))
        elif value is not None and isinstance(s, Indexed):
            yield s.at(GENERIC), 0, Rational(Fraction(value))
        elif value is not None:
            yield s, None, Rational(Fraction(value))


def _meets_with(point: Point, known: Iterable[tuple[Symbol, int | None, Rational]]) -> bool:
    for s, k, value in known:
        point.put(s, k, value)
    return point.meets_conditions()


def decide_condition(condition: Condition) -> Outcome:
    """Prove a condition by the signs of its parts, or refute it by a point of the domain where it
    fails.
    """
    if PROVERS[condition.sign](condition.e):
        return proved("signs")
    witness = breaking_point(condition)
    if witness is not None:
        return refuted(
            f"{condition} fails at the witness, where {condition.of} has no value", witness
        )
    return undecided(f"{condition} could neither be proved from the signs of its parts nor refuted")


def decide_for_small_steps(condition: Condition, step: Symbol) -> Outcome:
    """Decide a condition for all steps below some size.

    In the expansion in sqrt(step), the first coefficient that does not vanish has the sign of the
    expression for all small steps. A proof is for small steps and carries this as an assumption.
    """
    lead = leading_sign(condition.e, step)
    if lead is None:
        return undecided(f"no expansion of {condition.e} at {step} = 0 was found")
    if PROVERS[condition.strict_sign](lead):
        return proved("for small steps", f"the step is so small that {condition}")
    against = decide_condition(Condition(lead, NONNEGATIVE))
    if condition.sign != NONZERO and against.witness is not None:
        return refuted(f"{condition} fails for every small step at the witness", against.witness)
    return undecided(
        f"{condition} could not be proved for small steps: there it has the sign of {lead}"
    )


def holds(condition: Condition, step: Symbol | None = None) -> bool:
    """Return True if a condition is proved; if it contains ``step``, a proof for small steps is
    enough.
    """
    if PROVERS[condition.sign](condition.e):
        return True
    return (
        step is not None
        and step in condition.e.free_symbols
        and decide_for_small_steps(condition, step).verdict is Verdict.PROVED
    )


def leading_sign(e: Expr, step: Symbol) -> Expr | None:
    """An expression that has the sign of ``e`` for small steps; None if no expansion was found.

    Where ``e`` is singular at step 0, its numerator and its denominator are expanded.
    """
    lead = _leading_coefficient(e, step)
    if lead is not None:
        return lead
    frozen, stands_for = freeze(e)
    above, below = (
        _leading_coefficient(thaw(part, stands_for), step) for part in fraction(together(frozen))
    )
    return None if above is None or below is None else above * below


def _leading_coefficient(e: Expr, step: Symbol) -> Expr | None:
    """A positive multiple of the first nonzero coefficient in powers of sqrt(step); None if there
    is none.
    """
    s = Dummy("s", positive=True)
    e = e.xreplace({step: s**2})
    for _ in range(EXPANSION_ORDERS):
        value = substitute(e, {s: S.Zero})
        if value.has(S.NaN, S.ComplexInfinity, S.Infinity, S.NegativeInfinity):
            return None
        if value.expand() != 0:
            return value
        e = partial(e, s)
    return None


def breaking_point(condition: Condition) -> Witness | None:
    """A point of the domain where the condition certainly fails; None if none was found, which
    proves nothing.
    """
    for point, places in points(condition.e, POINTS_PER_LENGTH_CHOICE, edge=True):
        at = dict.fromkeys(range(-40, OTHER), 0) | dict(places)
        try:
            value = at_precision(
                WORKING_BITS[0],
                lambda p=point, q=at: p.evaluate(condition.e, q),  # type: ignore[misc]
            )
        except NoValueError:
            continue
        vanishes = (value.is_exact() and value == 0) or (
            value.contains(0) and point.is_exactly_zero(condition.e, at)
        )
        broken = {POSITIVE: value < 0 or vanishes, NONNEGATIVE: value < 0, NONZERO: vanishes}[
            condition.sign
        ]
        if broken:
            return Witness(
                point.shown(), f"there {condition.e} is {'0' if vanishes else shown_ball(value)}"
            )
    return None
