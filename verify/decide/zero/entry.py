"""Zero testing of a matrix entry between two blocks."""

from __future__ import annotations

from dataclasses import replace

from recipe.language.entry import Coupling, Entry
from verify.decide.zero.decide import decide_zero
from verify.verdict import Outcome, Verdict


def decide_zero_entry(entry: Entry) -> Outcome:
    """Decide whether an entry of D or Q, a matrix between two blocks, vanishes for every length.

    Off the diagonal, a coupling equals its kernel. Its diagonal part alone stands on the diagonal
    only if the kernel is zero, so the kernel is decided first.
    """
    if not isinstance(entry, Coupling):
        return decide_zero(entry.value)
    off_diagonal = decide_zero(entry.kernel)
    if off_diagonal.verdict is not Verdict.PROVED:
        return replace(off_diagonal, by=f"off the diagonal: {off_diagonal.by}")
    return decide_zero(entry.diagonal)
