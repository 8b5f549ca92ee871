"""Prove that the changes of variable of a subject are bijections that carry a law over."""

from __future__ import annotations

from verify.diffusion.change_of_variable.joint import decide_invertible, decide_reaches_simplex
from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.onto import decide_onto
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict


def decide_all_monotone(subject: Subject | KernelSubject) -> Outcome:
    """Decide whether every map is monotone, by the sign of f' or by counting its roots; one of all
    coordinates together, whether it is invertible.
    """
    return for_every_map(subject, lambda _, f, domain: decide_monotone(f), decide_invertible)


def decide_all_onto(subject: Subject | KernelSubject) -> Outcome:
    """Decide whether every map is onto, by the limits of f at both ends and ``f(g(theta)) =
    theta``.
    """
    return for_every_map(
        subject, lambda _, f, domain: decide_onto(f, domain), decide_reaches_simplex
    )


def is_bijection(subject: Subject) -> bool:
    """Return True if every map is proved monotone and onto; False proves nothing."""
    return all(
        decide(subject).verdict is Verdict.PROVED
        for decide in (decide_all_monotone, decide_all_onto)
    )
