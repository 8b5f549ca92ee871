"""Splitting schemes: the exact flows of the pieces, one after another, in the order of a word such
as ``BAOAB``.

A letter that occurs m times runs for 1/m of the step each time. The first letter acts first.
Leimkuhler & Matthews (2013), AMRX 2013(1); the words of thermostats are those of Leimkuhler & Shang
(2016), SIAM J. Sci. Comput. 38(2).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.scheme.flow import Flow, flow
from recipe.scheme.increment import step_symbol, white_noise
from recipe.scheme.pieces import LETTERS, GeneratorPart, Motion, pieces_of


@dataclass(frozen=True)
class SubFlow:
    """A motion that runs alone for a part of the step.

    Attributes:
        letter: the letter of its piece.
        motion: the motion.
        time: the part of the step.
        law: the law of the block after this time.
    """

    letter: str
    motion: Motion
    time: Expr
    law: Flow


@dataclass(frozen=True)
class Splitting:
    """A word over the pieces of a recipe, which stands for sub-flows that run one after another.

    Attributes:
        recipe: the sampler.
        word: the word, in capitals.
        step: the symbol of the step size.
        flows: the sub-flows in the order in which they run.
    """

    recipe: Recipe
    word: str
    step: Symbol
    flows: tuple[SubFlow, ...]

    @property
    def update(self) -> Update:
        """One step: an assignment for each sub-flow, and the fold of a reflected block right after
        it has moved.
        """
        names = self.recipe.unused_names()  # every letter draws noise of its own
        rule = [self._assignment(sub, names) for sub in self.flows]
        update = Update(
            self.step,
            rule,
            self.recipe.H,
            name=self.recipe.name,
            source=f"splitting {self.word}",
            where=self.recipe.where,
        )
        return folded(update, self.recipe.reflections)

    def _assignment(self, sub: SubFlow, names: UnusedNames) -> tuple[Block, Expr]:
        block = sub.motion.block
        if sub.law.variance == 0:
            return block, sub.law.mean
        return block, sub.law.mean + sub.law.deviation * white_noise(block, names)


def split(recipe: Recipe, word: str) -> Splitting:
    """Return the splitting of a recipe that a word spells, such as ``BAOAB``.

    Args:
        recipe: the sampler.
        word: letters of the pieces of the recipe; each piece occurs at least once.

    Raises:
        RecipeError: where the recipe lacks a piece of the word, or the word leaves out a piece of
            the recipe.
    """
    word = word.upper()
    pieces = {piece.letter: piece for piece in pieces_of(recipe)}
    listed = "; ".join(f"{p.letter} {LETTERS[p.letter]} ({_blocks(p)})" for p in pieces.values())
    strange = next((letter for letter in word if letter not in pieces), None)
    if strange is not None:
        raise RecipeError(
            f"the word {word} has the letter {strange}, and the pieces of this recipe are: {listed}"
        )
    missing = next((p for p in pieces.values() if p.letter not in word), None)
    if missing is not None:
        raise RecipeError(
            f"the word {word} leaves out {missing.letter} ({LETTERS[missing.letter]} of"
            f" {_blocks(missing)}), so it is not this recipe; its pieces are: {listed}"
        )
    step = step_symbol(recipe)
    flows = [
        _sub_flow(letter, motion, step / word.count(letter))
        for letter in word
        for motion in pieces[letter].motions
    ]
    return Splitting(recipe, word, step, tuple(flows))


def _sub_flow(letter: str, motion: Motion, time: Expr) -> SubFlow:
    return SubFlow(letter, motion, time, flow(motion, time))


def _blocks(piece: GeneratorPart) -> str:
    return ", ".join(m.block.name for m in piece.motions)
