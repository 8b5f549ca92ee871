"""Are the changes of variable of a subject proved to be bijections, smooth enough both ways to carry a law over?"""

from __future__ import annotations

from verify.map.monotone import decide_monotone
from verify.map.of_blocks import for_every_map
from verify.map.onto import decide_onto
from verify.subject import Subject
from verify.verdict import Verdict


def is_bijection(subject: Subject) -> bool:
    """Whether every map is proved to be monotone and onto."""
    found = [
        for_every_map(subject, lambda _, f, domain: decide_monotone(f)),
        for_every_map(subject, lambda _, f, domain: decide_onto(f, domain)),
    ]
    return all(outcome.verdict is Verdict.PROVED for outcome in found)
