"""Equal long sums as one object.

The residual of a model stands in each of its gradients, in the text and in the rule. To compare two
equal sums of n terms takes n comparisons, unless they are one object; so a proof that keeps two of
them compares n terms for each of n gradients, in every table that is asked for them.
"""

from __future__ import annotations

from sympy import Add, Expr, Function, Mul

LONG = 8  # terms of a sum that is worth it


def is_long_sum(e: Expr) -> bool:
    """Return True for a sum of many terms."""
    return isinstance(e, Add) and len(e.args) >= LONG


class EqualSums:
    """The long sums of expressions that were given, each with the first one that is equal to it."""

    def __init__(self) -> None:
        self._first: dict[Expr, Expr] = {}
        self._opposite: dict[Expr, Expr] = {}
        self._given: dict[
            int, tuple[Expr, Expr, int]
        ] = {}  # by identity, kept so that it stays one

    def shared(self, e: Expr) -> Expr:
        """Return an equal expression whose outermost long sums are those that were given first,
        and in whose products a sum that is the opposite of one of these is -1 times that one.
        """
        if is_long_sum(e):
            first, sign = self._one(e)
            return first if sign > 0 else e
        if not (e.is_Add or e.is_Mul or e.is_Pow or isinstance(e, Function)):
            return e
        parts, turned = [], 1
        for part in e.args:
            if e.is_Mul and is_long_sum(part):
                first, sign = self._one(part)
                turned *= sign
                parts.append(first)
            else:
                parts.append(self.shared(part))
        if turned > 0 and all(new is old for new, old in zip(parts, e.args, strict=True)):
            return e
        return e.func(*parts) if turned > 0 else Mul(-1, *parts)

    def _one(self, e: Expr) -> tuple[Expr, int]:
        """Return the sum that was given first, and 1 or -1: this times that one is the sum."""
        if id(e) not in self._given:
            first, sign = self._first.get(e), 1
            if first is None and e in self._opposite:
                first, sign = self._opposite[e], -1
            if first is None:
                first = self._first[e] = e
                self._opposite[-e] = e
            self._given[id(e)] = e, first, sign
        _, first, sign = self._given[id(e)]
        return first, sign
