"""One step as equations between versions of blocks: every assignment makes a new version of its
block.

The first versions are the state before the step, and the last ones the state after it. These are
known; the versions between them are not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from sympy import Expr, Lambda

from recipe import Discretisation, Kernel, RecipeError, Update
from recipe.kernel.part import Move
from recipe.language.blocks import Block
from recipe.language.free_symbols import blocks_in
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed, generic, name_of

Version = tuple[Block, int]


@dataclass(frozen=True)
class Equation:
    """An assignment: ``block`` at version ``new`` equals ``e``, which reads the versions
    ``before``.

    Attributes:
        block: the block that is assigned.
        e: the right side.
        before: the version of each block that the right side reads.
        new: the version that the assignment makes.
        stage: the place among the assignments; equations of one stage hold at the same time.
        seen_through: the function T if the equation says that T of the new value equals ``e``; None
            if it is about the new value itself.
        image: the inverse of T.
    """

    block: Block
    e: Expr
    before: Mapping[Block, int]
    new: int
    stage: int
    seen_through: Lambda | None = None
    image: Lambda | None = None

    @property
    def made(self) -> Version:
        """The version that the equation makes."""
        return self.block, self.new

    @property
    def reads(self) -> frozenset[Version]:
        """The versions that the equation reads."""
        return frozenset((b, self.before[b]) for b in blocks_in(self.e, tuple(self.before)))

    @property
    def noises(self) -> frozenset[Any]:
        """The noise in the equation, at the generic index."""
        return frozenset(generic(w) for w in self.e.atoms(Noise, ScalarNoise))


@dataclass(frozen=True)
class Equations:
    """All equations of one step, in the order in which they are carried out.

    Attributes:
        state: the blocks.
        listed: the equations.
    """

    state: tuple[Block, ...]
    listed: tuple[Equation, ...]

    def last(self, block: Block) -> Version:
        """Return the version of a block after the step."""
        return block, max((q.new for q in self.listed if q.block == block), default=0)

    @property
    def noises(self) -> tuple[Any, ...]:
        """All noise of the step, in the order of its first appearance."""
        return tuple(dict.fromkeys(w for q in self.listed for w in sorted(q.noises, key=str)))


@singledispatch
def equations_of(step: Any) -> Equations:
    """Return the equations of an update rule, a discretisation, or a kernel of moves that always
    happen.

    Raises:
        RecipeError: for a kernel that accepts and rejects, or repeats: it is tested by a sweep, or
            by the law that it leaves invariant.
    """
    raise RecipeError(f"{step!r} is no discrete step: give an Update, a Discretisation or a Kernel")


@equations_of.register
def _(step: Update) -> Equations:
    return _chained((step,))


@equations_of.register
def _(step: Discretisation) -> Equations:
    if step.exact is None:
        return _chained((step.update,))
    start = dict.fromkeys(step.state, 0)
    listed = []
    for t in step.exact.transitions:
        if t.map is None or t.map.inverse is None:
            listed.append(Equation(t.block, t.value, start, 1, 0))
        else:
            base = t.base.xreplace({t.variable: t.map.inverse(t.block)})
            listed.append(Equation(t.block, base, start, 1, 0, t.map.inverse, t.map.forward))
    return Equations(step.state, tuple(listed))


@equations_of.register
def _(step: Kernel) -> Equations:
    strange = next((part for part in step.parts if not isinstance(part, Move)), None)
    if strange is not None:
        raise RecipeError(
            f"a kernel with the part {type(strange).__name__} has no law of one step in closed"
            " form; compare a sweep of it, check_sweep, or the law that it leaves invariant,"
            " check_invariance"
        )
    return _chained(tuple(part.update for part in step.parts if isinstance(part, Move)))


def _chained(rules: tuple[Update, ...]) -> Equations:
    """Return the equations of rules that are carried out one after another."""
    state = rules[0].state
    at: dict[Block, int] = dict.fromkeys(state, 0)
    listed: list[Equation] = []
    stage = 0
    for number, update in enumerate(rules):
        named = _noise_of_its_own(update, number) if len(rules) > 1 else update.rule
        if update.sequential:
            for block, e in named:
                listed.append(Equation(block, e, dict(at), at[block] + 1, stage))
                at[block] += 1
                stage += 1
        else:
            listed += [Equation(block, e, dict(at), at[block] + 1, stage) for block, e in named]
            at = {b: at[b] + (b in dict(named)) for b in at}
            stage += 1
    return Equations(state, tuple(listed))


def _noise_of_its_own(update: Update, number: int) -> list[tuple[Block, Expr]]:
    """Return a rule with other names for its noise, as two moves draw independently even if the
    names are the same.
    """

    def renamed(w: Any) -> Any:
        name = f"{name_of(w)}_{number}"
        if not isinstance(w, Indexed):
            return ScalarNoise(name)
        return Indexed.__new__(Noise, name, w.length, w.label, w.extra, real=True)

    return [
        (block, e.xreplace({w: renamed(w) for w in e.atoms(Noise, ScalarNoise)}))
        for block, e in update.rule
    ]
