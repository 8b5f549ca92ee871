"""A whole rule as assignments that are carried out one after another, each with noise of its
own.
"""

from __future__ import annotations

from sympy import Expr

from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import generic
from verify.kernels.assignment import decide_assignment
from verify.verdict import Outcome, conjunction, proved, undecided

Assignments = list[tuple[Block, Expr]]


def assignments_of(update: Update) -> Assignments | str:
    """Return the rule as a sequence of independent assignments, or a sentence that says why it
    cannot be read so.
    """
    moving = [(b, e) for b, e in update.rule if e != b]
    if not update.sequential:
        together = tuple(b for b, _ in moving)
        reader = next(((b, e) for b, e in moving if blocks_in(e, together) - {b}), None)
        if reader is not None:
            return (
                f"{reader[0]} := {reader[1]} sees the old value of another block that moves at once"
            )
    drawn = [{generic(s) for s in e.atoms(*NOISE)} for _, e in moving]
    if len(set().union(*drawn)) < sum(map(len, drawn)):
        return "a noise is used in more than one assignment, which are then not independent"
    return moving


def decide_rule(update: Update) -> Outcome:
    """Decide whether a rule that is always carried out leaves exp(-H) invariant.

    PROVED means that each assignment does. One wrong assignment among several leaves the rule
    undecided.
    """
    assignments = assignments_of(update)
    if isinstance(assignments, str):
        return undecided(assignments)
    if not assignments:
        return proved("no block moves")
    if len(assignments) == 1:
        return decide_assignment(update.target, *assignments[0])
    parts = [(f"{b} := {e}", decide_assignment(update.target, b, e)) for b, e in assignments]
    outcome = conjunction(parts, by="; ".join(dict.fromkeys(o.by for _, o in parts)))
    if outcome.witness is not None:  # a later assignment may repair the law
        return undecided(
            f"one assignment of several does not leave exp(-H) invariant ({outcome.by})"
        )
    return outcome
