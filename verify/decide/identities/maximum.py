"""The largest of some numbers, as texts of modules have it, which no recipe is written with."""

from __future__ import annotations

from sympy import Function


class Maximum(Function):
    """The largest of its arguments. Of it proofs know only that it is real, and that equal
    arguments have an equal one; at a point its value is that of its largest argument.
    """

    nargs = None

    def _eval_is_real(self) -> bool:
        return True
