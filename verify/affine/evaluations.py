"""How often a step evaluates a gradient: two gradients that are taken at the same state are one evaluation, with one error.

The last gradient of a step and the first of the next are one evaluation as well where no block that the potential depends on moves
between them, as in BAOAB: an implementation may keep it, and then its error comes twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sympy import Expr, Symbol

from recipe.abstract import Partial, Potential
from recipe.errors import RecipeError
from recipe.free import unused_name
from recipe.symbols import GENERIC, Block, Indexed, Parameter, Vector, generic
from recipe.update import Update

Key = tuple[Potential, Block, tuple[int, ...]]


@dataclass(frozen=True)
class Evaluation:
    """One gradient of a potential by a block. ``error`` is its error in the formulas of a step.

    ``again`` is the error of the same evaluation one step later: that of the gradient at the end of a step, which the next step
    uses first; None where no gradient is used in two steps.
    """

    potential: Potential
    block: Block
    error: Symbol
    again: Symbol | None = None


@dataclass(frozen=True)
class Estimated:
    """The rule of an update with an error added to every gradient, and the evaluations of one step."""

    rule: tuple[tuple[Block, Expr], ...]
    evaluations: tuple[Evaluation, ...]


def estimated(update: Update) -> Estimated:
    """The update with gradients that have errors.

    Raises:
        RecipeError: where there is no gradient of a potential, or one that does not stand by itself.
    """
    errors = _Errors(update)
    rule = tuple(errors.marked(update))
    if not errors.of:
        raise RecipeError("the update has no gradient of a Potential, so that nothing in it is estimated")
    return Estimated(rule, tuple(errors.evaluations()))


@dataclass
class _Errors:
    """Goes through a rule, counting how often each block has moved."""

    update: Update
    moves: dict[Block, int] = field(default_factory=dict)
    of: dict[Key, Symbol] = field(default_factory=dict)

    def marked(self, update: Update) -> Iterator[tuple[Block, Expr]]:
        for block, e in update.rule:
            yield block, e.xreplace({p: p + self._error(p, block) for p in e.atoms(Partial) if isinstance(p.head, Potential)})
            if update.sequential and e != block:
                self.moves[block] = self.moves.get(block, 0) + 1
        if not update.sequential:
            self.moves = {block: 1 for block, e in update.rule if e != block}

    def _error(self, p: Partial, block: Block) -> Symbol:
        (by, *others) = p.wrt
        if others or (isinstance(by, Indexed) and by.label != GENERIC):
            raise RecipeError(
                f"the rule of {block} contains {p}; how errors of gradients enter is known only of the first derivative, at the "
                "coordinate that moves"
            )
        by = generic(by)
        key = (p.head, by, self._version(p.head))
        if key not in self.of:
            taken = [self.update.target, *(e for _, e in self.update.rule), *self.of.values(), *self.update.state]
            self.of[key] = Parameter(unused_name(f"error_{by.name}", taken), like=by if isinstance(by, Vector) else None)
        return self.of[key]

    def _version(self, U: Potential) -> tuple[int, ...]:
        return tuple(self.moves.get(b, 0) for b in U.blocks)

    def evaluations(self) -> Iterator[Evaluation]:
        """The first and the last of a step are one where the state of the potential is the same, a step apart."""
        for (U, by, version), error in self.of.items():
            first, last = (0,) * len(U.blocks), self._version(U)
            if version == last != first and (U, by, first) in self.of:
                continue  # it is the first one of the next step
            yield Evaluation(U, by, error, self.of.get((U, by, last)) if version == first != last else None)
