"""``uniqueness`` of a kernel: exp(-H) is the only law that it leaves invariant."""

from __future__ import annotations

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap
from verify.kernels.irreducible import reaches_everywhere
from verify.kernels.liveness import without_effects_on
from verify.kernels.periodic import witness_of_period
from verify.obligation import Obligation, Outcomes, of_kernels
from verify.subject import KernelSubject
from verify.verdict import Outcome, Verdict, conjunction, refuted, undecided

MAY_BE_PERIODIC = (
    "a fixed number of steps may return to where it began: leapfrog with step 1, three steps, on"
    " H = (theta^2 + r^2)/2 is the map z -> -z, which never changes |theta|; draw the number of"
    " steps, times=(1, n)"
)


def discharge(subject: KernelSubject, outcomes: Outcomes) -> Outcome:
    """Decide whether some part reaches every set of positive volume from every point.

    If none is proved to, the kernel may still have only one invariant law. It is refuted by a step
    size at which all paths come back, up to signs.
    """
    kernel = subject.declared
    reached = reaches_everywhere(kernel)
    if reached.verdict is not Verdict.PROVED:
        witness = witness_of_period(kernel)
        if witness is not None:
            return refuted(
                "at some step size a sweep turns every sign, and does nothing else", witness
            )
        return undecided(MAY_BE_PERIODIC) if _is_hmc(kernel) else reached
    needed = [(name, outcomes[name]) for name in ("invariance", "well-defined")]
    for name, outcome in needed:
        if outcome.verdict is not Verdict.PROVED:
            return undecided(f"{name} is not proved")
    return conjunction([*needed, ("irreducible", reached)], by=reached.by)


def _is_hmc(kernel: Kernel) -> bool:
    """Return True if a part redraws a block, and another one takes a fixed number of steps of a
    map.
    """
    fixed = any(
        isinstance(part, MetropolisedMap) and isinstance(part.times, int) for part in kernel.parts
    )
    return fixed and any(without_effects_on(frozenset(), [part])[1] for part in kernel.parts)


KERNEL_UNIQUENESS = Obligation(
    name="uniqueness",
    statement="exp(-H) is the only probability law that the kernel leaves invariant",
    explanation=(
        "If there were another invariant law, a chain might converge to that one. If every set of"
        " positive volume is reached from every point with positive probability, there is no other."
        " Hamiltonian Monte Carlo with a fixed number of steps is periodic at some step size, if H"
        " may be quadratic."
        " This says nothing about the speed of convergence."
    ),
    discharge=discharge,
    needs=("invariance", "well-defined"),
    applies=of_kernels,
    required=False,
)
