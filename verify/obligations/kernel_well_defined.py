"""``well-defined`` of a kernel: every expression in its parts has a value at every point of the domain."""

from __future__ import annotations

from recipe.kernel.part import MetropolisHastings, leaves_of
from verify.obligation import Obligation, of_kernels
from verify.signs.definedness import NO_POINT, conditions, decide_condition, decide_for_small_steps, has_a_point
from verify.subject import KernelSubject
from verify.verdict import Outcome, Verdict, conjunction, undecided


def discharge(subject: KernelSubject) -> Outcome:
    """Collect every condition on denominators, logarithms and roots, and decide each."""
    kernel = subject.declared
    if not has_a_point([*(e for e, _ in subject.written), *subject.state]):
        return undecided(NO_POINT)
    leaves = [leaf for part in kernel.parts for leaf in leaves_of(part)]
    costs = [(leaf.cost, "the acceptance") for leaf in leaves if isinstance(leaf, MetropolisHastings)]
    named: dict[object, tuple[str, Outcome]] = {}
    for e, where in (*subject.written, *costs):
        for condition in conditions(e):
            outcome = decide_condition(condition)
            if outcome.verdict is not Verdict.PROVED and kernel.step is not None and kernel.step in condition.e.free_symbols:
                outcome = decide_for_small_steps(condition, kernel.step)
            named.setdefault(condition, (where, outcome))
    count = len(named)
    by = "no denominators, logarithms or roots" if count == 0 else f"{count} condition{'s' if count > 1 else ''} on signs"
    return conjunction(named.values(), by=by)


KERNEL_WELL_DEFINED = Obligation(
    name="well-defined",
    statement="H, the rules of all parts and the acceptance are defined at every point of the domain",
    explanation=(
        "A denominator that can vanish, or a logarithm or root of something negative, leaves the kernel undefined there. Each such "
        "condition is proved from the signs that the declared assumptions give to its parts."
    ),
    discharge=discharge,
    applies=of_kernels,
)
