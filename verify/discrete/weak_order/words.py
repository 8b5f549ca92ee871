"""The step-size error of a printed rule, in a sentence beside the draws that the rule made."""

from __future__ import annotations

from recipe import RecipeError, Update
from recipe.language.symbols import name_of
from recipe.language.text import text
from recipe.rebuild.potentials import blocks_of_interest
from verify.decide.zero.errors import CannotDecideError
from verify.discrete.weak_order.invariant import Order, invariant_order


def step_error_in_words(rule: Update, name: str) -> str:
    """Return what a proof of a rule says of draws at a step size.

    Args:
        rule: a rule that is proved to leave its target stationary as its step vanishes.
        name: its name.

    Returns:
        A sentence: the limit is proved, and of which order in the step the law at a step size is
        off, or why that is not known.
    """
    h = rule.step
    limit = (
        f"{name} is proved to leave exp(-H) stationary, H = {text(rule.target)}, as its step {h}"
        " vanishes"
    )
    judged = blocks_of_interest(rule)
    some = [] if set(judged) == set(rule.state) else [judged]
    try:
        found = invariant_order(rule, marginals=some)
    except (RecipeError, CannotDecideError) as error:
        return f"{limit}; of which order in {h} its law is off at a step size is not known: {error}"
    off = h if found.order == 1 else f"{h}^{found.order}"
    return f"{limit}; at a step size its law is off by a multiple of {off} ({_order(found)})"


def _order(found: Order) -> str:
    """Return the orders of the joint law and of the law of the judged blocks."""
    said = f"order {found.known}"
    for marginal in found.marginals:
        names = ", ".join(name_of(b) for b in marginal.kept)
        known = f"{'exactly' if marginal.exact else 'at least'} {marginal.order}"
        said += f", of {names} alone {known}"
    return f"{said}; proved in one dimension"
