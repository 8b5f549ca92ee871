"""For which step sizes a kernel is defined at all: conditions such as ``1 - h >= 0`` under a root
belong to the scope of a proof.

Every one of them holds for all steps below some size, and there are finitely many, so that the
scope is never empty. One that depends on the state has such a size at each state and perhaps none
for all of them: it is no condition on the step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from sympy import Expr, Rational, Symbol

from recipe import Kernel
from recipe.kernel.part import MetropolisHastings, leaves_of
from recipe.language.expectation import NOISE
from recipe.language.symbols import Scalar, Vector
from verify.decide.definedness import PROVERS, Condition, conditions, decide_for_small_steps
from verify.verdict import Outcome, Verdict, Witness, undecided


def expressions_of(kernel: Kernel) -> list[tuple[Expr, str]]:
    """Everything that must have a value, with its place: what is written, and the acceptance of
    proposals.
    """
    leaves = [leaf for part in kernel.parts for leaf in leaves_of(part)]
    return kernel.written() + [
        (leaf.cost, "the acceptance") for leaf in leaves if isinstance(leaf, MetropolisHastings)
    ]


def conditions_on_step(kernel: Kernel) -> tuple[Condition, ...]:
    """The conditions that some steps fulfil and others may not, each once."""
    step = kernel.step
    if step is None:
        return ()
    found = dict.fromkeys(
        c for e, _ in expressions_of(kernel) for c in conditions(e) if step in c.e.free_symbols
    )
    open_ones = [c for c in found if not depends_on_state(c.e) and not PROVERS[c.sign](c.e)]
    return tuple(c for c in open_ones if decide_for_small_steps(c, step).verdict is Verdict.PROVED)


def depends_on_state(e: Expr) -> bool:
    """Whether a block (of the state before or after a proposal) or noise is in it, seen or within
    an abstract function.
    """
    return any(isinstance(s, (Vector, Scalar, *NOISE)) for s in e.free_symbols)


def hold_at(found: Iterable[Condition], values: Mapping[Symbol, Expr]) -> bool:
    """Whether conditions certainly hold where their symbols have these values."""
    return all(PROVERS[c.sign](c.e.xreplace(dict(values))) for c in found)


def within_scope(outcome: Outcome, kernel: Kernel, found: tuple[Condition, ...]) -> Outcome:
    """The outcome, unless its witness has a step, or parameters, for which the kernel was not
    claimed.
    """
    witness = outcome.witness
    if witness is None or not found or str(kernel.step) not in witness.point:
        return outcome  # a witness that does not name the step is one at every step
    if hold_at(found, _values_of(witness, found)):
        return outcome
    wanted = " and ".join(map(str, found))
    return undecided(
        f"a counterexample was found only where {wanted} is not known to hold, outside of the scope"
        f" ({outcome.by})"
    )


def _values_of(witness: Witness, found: Iterable[Condition]) -> dict[Symbol, Expr]:
    values = {}
    for s in {s for c in found for s in c.e.free_symbols}:
        try:
            values[s] = Rational(Fraction(str(witness.point.get(str(s)))))
        except ValueError:  # it has no value, several, or one that is no fraction
            continue
    return values
