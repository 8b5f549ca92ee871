"""``well-defined`` of a kernel: its expressions have a value at every point of the domain."""

from __future__ import annotations

from sympy import Symbol

from recipe.signs.defined import Condition, conditions
from verify.decide.assumptions_on_data import decide_on_data, is_about_data
from verify.decide.definedness import (
    NO_POINT,
    decide_condition,
    decide_for_small_steps,
    has_a_point,
)
from verify.diffusion.change_of_variable.bijection import decide_all_monotone, decide_all_onto
from verify.diffusion.change_of_variable.maps_of_blocks import has_maps
from verify.kernels.step_sizes import expressions_of
from verify.obligation import Obligation, of_kernels
from verify.subject import KernelSubject, densities_of
from verify.verdict import Outcome, Verdict, conjunction, proved, undecided


def discharge(subject: KernelSubject) -> Outcome:
    """Decide every condition on denominators, logarithms and roots, and whether changes of variable
    are bijections.
    """
    if not has_a_point([*(e for e, _ in subject.written), *subject.state]):
        return undecided(NO_POINT)
    named: dict[object, tuple[str, Outcome]] = {}
    for e, where in (*densities_of(subject.declared), *expressions_of(subject.declared)):
        for condition in conditions(e):
            if condition not in named:
                named[condition] = (where, _decide(condition, subject))
    if has_maps(subject):
        named["monotone"] = ("monotone", decide_all_monotone(subject))
        named["onto"] = ("onto", decide_all_onto(subject))
    count = sum(isinstance(key, Condition) for key in named)
    by = (
        "no denominators, logarithms or roots"
        if count == 0
        else f"{count} condition{'s' if count > 1 else ''} on signs"
    )
    scoped = ", ".join(map(str, subject.conditions))
    return conjunction(named.values(), by=f"{by}; the scope has {scoped}" if scoped else by)


def _decide(condition: Condition, subject: KernelSubject) -> Outcome:
    if condition in subject.conditions:
        return proved("it belongs to the scope")
    outcome = decide_condition(condition)
    if outcome.verdict is not Verdict.PROVED and is_about_data(condition):
        return decide_on_data(condition, subject.state)
    step = subject.declared.step
    if outcome.verdict is Verdict.PROVED or step is None or step not in condition.e.free_symbols:
        return outcome
    return _for_small_steps(condition, step)


def _for_small_steps(condition: Condition, step: Symbol) -> Outcome:
    """Decide a condition that depends on the state and on the step size.

    How small a step must be then depends on the state, and a kernel has one step for all states. So
    a proof for small steps at each state leaves the condition undecided.
    """
    outcome = decide_for_small_steps(condition, step)
    if outcome.verdict is not Verdict.PROVED:
        return outcome
    return undecided(
        f"at every state {condition} holds for small {step}, but it was not proved that one {step}"
        " is small enough for all states"
    )


KERNEL_WELL_DEFINED = Obligation(
    name="well-defined",
    statement=(
        "H, the rules of all parts and the acceptance are defined at every point of the domain"
    ),
    explanation=(
        "A denominator that can vanish, or a logarithm or root of something negative, leaves the"
        " kernel undefined there. Each such condition is proved from the signs that the declared"
        " assumptions give to its parts."
    ),
    discharge=discharge,
    handles_kinks=True,
    applies=of_kernels,
)
