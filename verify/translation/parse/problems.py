"""The two reasons why a text is not proved: it cannot be read, or is not that of the rule."""

from __future__ import annotations

import ast

from verify.verdict import Outcome, Witness, refuted, undecided


class TranslationError(Exception):
    """The error that ends the reading of a module.

    Args:
        at: the line of the wrong statement, or its node; None if there is none.
        outcome: the verdict on the module.
    """

    def __init__(self, at: int | ast.AST | None, outcome: Outcome) -> None:
        self.line = getattr(at, "lineno", 0) if isinstance(at, ast.AST) else at or 0
        self.outcome = outcome
        super().__init__(f"line {self.line}: {outcome.by}" if self.line else outcome.by)


def unread(at: int | ast.AST | None, why: str) -> TranslationError:
    """Return an error that says that the text is outside of the language that is read."""
    return TranslationError(at, undecided(why))


def wrong(at: int | ast.AST | None, why: str, witness: Witness | None = None) -> TranslationError:
    """Return an error that says that the text was read and is not the rule's.

    It is refuted with a witness, a point where the two differ. A text that only stands elsewhere
    than it should, or says something else without a number to show for it, is undecided.
    """
    return TranslationError(at, undecided(why) if witness is None else refuted(why, witness))
