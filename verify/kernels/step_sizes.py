"""The step sizes for which a kernel is defined: conditions such as ``1 - h >= 0`` under a root
belong to the scope of a proof.

Every such condition holds for all steps below some size, and there are finitely many, so the scope
is never empty. A condition that depends on the state has such a size at each state and perhaps none
for all states, so it is not a condition on the step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from sympy import Expr, Rational, Symbol

from recipe import Kernel
from recipe.kernel.part import MetropolisHastings, leaves_of
from recipe.language.blocks import Scalar, Vector
from recipe.language.expectation import NOISE
from recipe.signs.defined import PROVERS, Condition, conditions
from verify.decide.definedness import decide_for_small_steps
from verify.verdict import Outcome, Verdict, Witness, undecided


def expressions_of(kernel: Kernel) -> list[tuple[Expr, str]]:
    """Return every expression that must have a value, with its place: all that the kernel writes,
    and the acceptance of each proposal.
    """
    leaves = [leaf for part in kernel.parts for leaf in leaves_of(part)]
    return kernel.written() + [
        (leaf.cost, "the acceptance") for leaf in leaves if isinstance(leaf, MetropolisHastings)
    ]


def conditions_on_step(kernel: Kernel) -> tuple[Condition, ...]:
    """Return the conditions that some step sizes fulfil and others may not, without repetition."""
    step = kernel.step
    if step is None:
        return ()
    found = dict.fromkeys(
        c for e, _ in expressions_of(kernel) for c in conditions(e) if step in c.e.free_symbols
    )
    open_ones = [c for c in found if not depends_on_state(c.e) and not PROVERS[c.sign](c.e)]
    return tuple(c for c in open_ones if decide_for_small_steps(c, step).verdict is Verdict.PROVED)


def depends_on_state(e: Expr) -> bool:
    """Return True if e contains a block (before or after a proposal) or noise, directly or inside
    an abstract function.
    """
    return any(isinstance(s, (Vector, Scalar, *NOISE)) for s in e.free_symbols)


def hold_at(found: Iterable[Condition], values: Mapping[Symbol, Expr]) -> bool:
    """Return True if all conditions certainly hold where their symbols have these values."""
    return all(PROVERS[c.sign](c.e.xreplace(dict(values))) for c in found)


def within_scope(outcome: Outcome, kernel: Kernel, found: tuple[Condition, ...]) -> Outcome:
    """Return the outcome, but undecided where its witness has a step, or parameters, outside the
    scope of the kernel.
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
    """Return the numbers that a witness gives to the symbols of the conditions."""
    values = {}
    for s in {s for c in found for s in c.e.free_symbols}:
        try:
            values[s] = Rational(Fraction(str(witness.point.get(str(s)))))
        except ValueError:  # the witness has no value for s, several, or no fraction
            continue
    return values
