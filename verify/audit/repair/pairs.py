"""Two edits of the drift together, where no single edit repairs a rule: two signs, or two missing
terms.

The residual is linear in the drift. Let ``R`` be the residual, and ``R_k`` what the k-th edit adds
to it for each unit of its coefficient. Then ``R + a R_k + b R_l = 0`` is a linear system for two
numbers, solved for every pair. The rule with both edits is then put to the zero test like any
other.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from sympy import Add, Expr

from recipe import RecipeError, Update
from verify.audit.parameters import is_constant
from verify.audit.repair.edits import ADDITIVE, Claim, Edit, edits_of
from verify.audit.repair.residual import operations, residual_of
from verify.audit.vectors import VectorReader
from verify.decide.linear_algebra.equations import solve
from verify.decide.zero.errors import CannotDecideError

MAX_EDITS = 24
MAX_SECONDS = 5.0  # of processor time


@dataclass(frozen=True)
class Pair:
    """Two edits with their coefficients."""

    edits: tuple[Edit, Edit]
    coefficients: tuple[Expr, Expr]

    @property
    def cost(self) -> int:
        """How much there is to change, in operations."""
        return sum(
            e.cost + operations(c) for e, c in zip(self.edits, self.coefficients, strict=True)
        )

    def describe(self) -> str:
        """Return both edits in words."""
        one, other = (e.describe(c) for e, c in zip(self.edits, self.coefficients, strict=True))
        return f"{one}, and {other}"

    def update(self, original: Update) -> Update:
        """Return the rule with both edits.

        Each edit adds to one line, so the changes of both add up.
        """
        made = [e.build(c) for e, c in zip(self.edits, self.coefficients, strict=True)]
        lines = zip(original.rule, *(u.rule for u in made), strict=True)
        pairs = [(b, one + other - e) for (b, e), (_, one), (_, other) in lines]
        return Update(
            original.step,
            pairs if original.sequential else dict(pairs),
            original.target,
            where=original.where,
        )


def pairs_of(claim: Claim, left_over: Expr) -> list[Pair]:
    """Return every pair whose coefficients are known, the cheapest first."""
    try:
        return sorted(_pairs(claim, left_over), key=lambda p: p.cost)
    except (CannotDecideError, RecursionError):
        return []


def _pairs(claim: Claim, left_over: Expr) -> Iterator[Pair]:
    """Yield pairs of edits that make the residual zero, until time is up."""
    deadline = time.process_time() + MAX_SECONDS
    edits = [e for e in edits_of(claim, ADDITIVE) if e.fixed is None][:MAX_EDITS]
    slopes = [_slope(e, left_over) for e in edits]
    known = [
        (e, slope)
        for e, slope in zip(edits, slopes, strict=True)
        if slope is not None and slope != 0
    ]
    reader = VectorReader(claim.dynamics.state)
    *columns, wanted = reader.columns([*([slope] for _, slope in known), [-left_over]])
    for (one, u), (other, v) in combinations(zip((e for e, _ in known), columns, strict=True), 2):
        if time.process_time() > deadline:
            return
        found = solve([u, v], wanted, reader.generators.field)
        if found is None or any(c.is_zero() for c in found):
            continue
        coefficients = [
            (reader.expression(c) + e.start).factor()
            for c, e in zip(found, (one, other), strict=True)
        ]
        slips = all(_is_slip(e, c) for e, c in zip((one, other), coefficients, strict=True))
        if slips and all(is_constant(c, claim.dynamics.state) for c in coefficients):
            yield Pair((one, other), (coefficients[0], coefficients[1]))


def _is_slip(edit: Edit, c: Expr) -> bool:
    """Return True if an edit with this coefficient looks like a slip of the pen: a number before an
    existing summand, a product before a missing one.

    With arbitrary coefficients, two edits rewrite the drift of nearly every rule in one block,
    which is no repair.
    """
    return c.is_Rational if edit.start == 1 else not c.has(Add)


def _slope(edit: Edit, left_over: Expr) -> Expr | None:
    """Return what the residual gains for one more unit of the coefficient; None where the edited
    rule has no limit.
    """
    try:
        return residual_of(edit.build(edit.start + 1)) - left_over
    except RecipeError:
        return None
