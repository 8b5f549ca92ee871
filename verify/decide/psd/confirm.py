"""Confirm a proposed factor of D by multiplying it out. Only a confirmed factor leads to
*proved*.
"""

from __future__ import annotations

from sympy import Expr

from recipe.language.entry import combine, parts
from recipe.signs.defined import Condition, is_continuous
from recipe.signs.sign import is_nonnegative
from verify.decide.psd.nowhere_dense import condition_not_proved_densely
from verify.decide.psd.product import entry_of_product
from verify.decide.zero.decide import vanishes
from verify.decide.zero.entry import decide_zero_entry
from verify.evidence import FactorColumn, FactorStep
from verify.generator.coupling import Diffusion, Group
from verify.verdict import Verdict


def problem_with(step: FactorStep, diffusion: Diffusion, group: Group) -> str | None:
    """Check that a factor proves the group positive semidefinite.

    Returns the first problem in words, or None if the factor is a proof: the signs of the weights
    are proved, the factor is defined off a nowhere dense set, and ``B W B^T`` equals D.
    """
    for column, sign in zip(step.columns, step.signs, strict=True):
        same = sign.e == column.weight or vanishes(sign.e - column.weight)
        read = is_nonnegative(sign.form) and (sign.form == sign.e or vanishes(sign.e - sign.form))
        if not (same and read):
            return f"the sign of the weight {column.weight} is not proved"
    return _problem_with_domain(step, diffusion, group) or _problem_with_product(
        step, diffusion, group
    )


def _problem_with_domain(step: FactorStep, diffusion: Diffusion, group: Group) -> str | None:
    written = [e for column in step.columns for e in _expressions(column)] + [
        sign.form for sign in step.signs
    ]
    if is_continuous(*written):
        return None
    entries = [p for a in group for b in group for p in parts(diffusion[a, b])]
    if not is_continuous(*entries):
        return (
            "D is not proved to be defined everywhere, and its factor is undefined at some points"
        )
    open_condition: Condition | None = condition_not_proved_densely(written)
    return (
        None
        if open_condition is None
        else f"the factor of D needs {open_condition}, which may fail on an open set"
    )


def _problem_with_product(step: FactorStep, diffusion: Diffusion, group: Group) -> str | None:
    for n, a in enumerate(group):
        for b in group[n:]:
            entry = combine(diffusion[a, b], entry_of_product(step.columns, a, b), -1)
            if decide_zero_entry(entry).verdict is not Verdict.PROVED:
                return f"D = B W B^T is not proved between {a} and {b}"
    return None


def _expressions(column: FactorColumn) -> list[Expr]:
    return [column.weight, *(p for _, entry in column.entries for p in parts(entry))]
