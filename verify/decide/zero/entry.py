"""Zero testing of an entry between two blocks."""

from __future__ import annotations

from dataclasses import replace

from recipe.language.entry import Coupling, Entry
from verify.decide.zero.decide import decide_zero
from verify.verdict import Outcome, Verdict


def decide_zero_entry(entry: Entry) -> Outcome:
    """Whether an entry vanishes for every length.

    Off the diagonal a coupling is its kernel; only where that is zero is its diagonal part what
    stands on the diagonal.
    """
    if not isinstance(entry, Coupling):
        return decide_zero(entry.value)
    off_diagonal = decide_zero(entry.kernel)
    if off_diagonal.verdict is not Verdict.PROVED:
        return replace(off_diagonal, by=f"off the diagonal: {off_diagonal.by}")
    return decide_zero(entry.diagonal)
