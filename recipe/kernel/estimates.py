"""Refuse Metropolis tests whose potential is estimated from a part of the data."""

from __future__ import annotations

from recipe.kernel.kernel import Kernel


def refusal_of_estimates(kernel: Kernel) -> str | None:
    """Return the sentence that refuses minibatches for a kernel; None where estimated gradients may
    be used.

    Args:
        kernel: the kernel.
    """
    if not kernel.has_metropolis():
        return None
    return (
        "a Metropolis test compares values of exp(-H), and from a minibatch it has only noisy"
        " estimates of log ratios, whose exponentials are biased: another law would be sampled. Use"
        " all of the data in every step, or a kernel without metropolis"
    )
