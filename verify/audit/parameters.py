"""For which values of its parameters does an identity hold, where it does not hold for all?

A factor of the residual that has only parameters makes it zero where the factor is zero. A factor
that is linear in a parameter is solved for it. The value must satisfy the declaration of the
parameter, the rule must be defined with it, and the expression with the value put in is put to the
zero test. There may be other values.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Mul, Poly, PolynomialError, Pow, Symbol, fraction

from recipe import Update
from recipe.language.blocks import Block
from recipe.language.calculus import abstract_atoms
from recipe.language.symbols import Indexed, Length, assumptions_of
from recipe.signs.defined import Condition, conditions
from recipe.signs.sign import is_nonnegative, is_nonzero, is_positive
from verify.decide.definedness import holds
from verify.decide.zero.decide import vanishes
from verify.decide.zero.show_difference import factored
from verify.subject import Subject

SIGNS = {
    "positive": is_positive,
    "negative": lambda e: is_positive(-e),
    "nonnegative": is_nonnegative,
    "nonpositive": lambda e: is_nonnegative(-e),
    "nonzero": is_nonzero,
}
ALWAYS_TRUE = ("commutative", "real")  # of every parameter, and of every value that is defined


def parameters_of(e: Expr, subject: Subject) -> tuple[tuple[Symbol, Expr], ...]:
    """Return parameters with a value for which the expression is proved to vanish, one for each
    factor that gives any.
    """
    found = {}
    for factor in _factors(fraction(factored(e))[0]):
        first = next(_solved(factor, e, subject), None)
        if first is not None:
            found[first[0]] = first[1]
    return tuple(found.items())


def is_constant(factor: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if a factor depends on neither the state nor a coordinate."""
    return not (abstract_atoms(factor) or factor.atoms(Indexed) or factor.free_symbols & set(state))


def _factors(e: Expr) -> Iterator[Expr]:
    if isinstance(e, Mul):
        for a in e.args:
            yield from _factors(a)
    else:
        yield e.base if isinstance(e, Pow) and e.exp.is_Integer and e.exp > 0 else e


def _solved(factor: Expr, e: Expr, subject: Subject) -> Iterator[tuple[Symbol, Expr]]:
    """Yield each parameter that makes the factor zero, with its value, where the expression is
    proved to vanish.
    """
    if not is_constant(factor, subject.state):
        return
    for s in sorted(factor.free_symbols, key=str):
        try:
            slope, constant = Poly(factor, s).all_coeffs()
        except (PolynomialError, ValueError):
            continue  # it is not linear in this one
        value = (-constant / slope).factor()
        if (
            _is_allowed(s, value)
            and _is_defined_with(s, value, subject)
            and vanishes(e.xreplace({s: value}))
        ):
            yield s, value


def _is_allowed(s: Symbol, value: Expr) -> bool:
    """Return True if the value satisfies the declaration of the parameter."""
    if isinstance(s, Length) or not all(holds(c) for c in conditions(value)):
        return False
    facts = {fact: truth for fact, truth in assumptions_of(s).items() if fact not in ALWAYS_TRUE}
    return all(
        SIGNS[k](value) if truth and k in SIGNS else getattr(value, f"is_{k}") is truth
        for k, truth in facts.items()
    )


def _is_defined_with(s: Symbol, value: Expr, subject: Subject) -> bool:
    """Return True if the declaration is still defined: ``sqrt(2 - s)`` is not where s is 3."""
    step = subject.declared.step if isinstance(subject.declared, Update) else None
    found = {c for e, _ in subject.written for c in conditions(e) if s in c.e.free_symbols}
    return all(holds(Condition(c.e.xreplace({s: value}), c.sign), step) for c in found)
