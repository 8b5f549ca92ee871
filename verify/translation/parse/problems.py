"""Why a text is not proved: it cannot be read, or it says something else."""

from __future__ import annotations

import ast

from verify.verdict import Outcome, Witness, refuted, undecided


class TranslationError(Exception):
    """What ends the reading of a module, with the line of the wrong statement; ``outcome`` is the
    verdict.
    """

    def __init__(self, at: int | ast.AST | None, outcome: Outcome) -> None:
        self.line = getattr(at, "lineno", 0) if isinstance(at, ast.AST) else at or 0
        self.outcome = outcome
        super().__init__(f"line {self.line}: {outcome.by}" if self.line else outcome.by)


def unread(at: int | ast.AST | None, why: str) -> TranslationError:
    """The text is outside of the subset that is read."""
    return TranslationError(at, undecided(why))


def wrong(at: int | ast.AST | None, why: str, witness: Witness | None = None) -> TranslationError:
    """The text was read, and is not what it should be."""
    return TranslationError(at, refuted(why, witness or Witness({}, why)))
