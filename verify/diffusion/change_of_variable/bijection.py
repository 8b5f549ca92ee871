"""Are the changes of variable of a subject proved to be bijections, smooth enough both ways to
carry a law over?
"""

from __future__ import annotations

from verify.diffusion.change_of_variable.maps_of_blocks import for_every_map
from verify.diffusion.change_of_variable.monotone import decide_monotone
from verify.diffusion.change_of_variable.onto import decide_onto
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict


def decide_all_monotone(subject: Subject | KernelSubject) -> Outcome:
    """The sign of f' by its structure, or by counting its roots."""
    return for_every_map(subject, lambda _, f, domain: decide_monotone(f))


def decide_all_onto(subject: Subject | KernelSubject) -> Outcome:
    """The limits of a monotone f at both ends, and ``f(g(theta)) = theta``."""
    return for_every_map(subject, lambda _, f, domain: decide_onto(f, domain))


def is_bijection(subject: Subject) -> bool:
    """Whether every map is proved to be monotone and onto."""
    return all(
        decide(subject).verdict is Verdict.PROVED
        for decide in (decide_all_monotone, decide_all_onto)
    )
