"""Splitting schemes: the exact flows of the pieces, one after another, in the order of a word such as ``BAOAB``.

A letter that occurs m times runs for the m-th part of the step each time. Leimkuhler & Matthews (2013), AMRX 2013(1); the words of
thermostats are those of Leimkuhler & Shang (2016), SIAM J. Sci. Comput. 38(2). The first letter acts first.
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.errors import RecipeError
from recipe.recipe import Recipe
from recipe.scheme.flow import flow
from recipe.scheme.increment import step_symbol
from recipe.scheme.pieces import LETTERS, Motion, Piece, pieces_of
from recipe.symbols import Block, Noise
from recipe.update import Update

PRINTED = ("BAOAB", "OBABO", "ABOBA", "OABAO", "BADODAB", "BAB")  # words with a name in the literature; any other word will do


@dataclass(frozen=True)
class Splitting:
    """A word over the pieces of a recipe."""

    recipe: Recipe
    word: str
    pieces: tuple[Piece, ...]
    step: Symbol

    def time(self, letter: str) -> Expr:
        """For how long each occurrence of a letter runs."""
        return self.step / self.word.count(letter)

    @property
    def update(self) -> Update:
        """One step: an assignment a sub-flow."""
        by_letter = {piece.letter: piece.motions for piece in self.pieces}
        names: set[str] = set()
        rule = [self._assignment(motion, letter, names) for letter in self.word for motion in by_letter[letter]]
        return Update(self.step, rule, self.recipe.H, name=self.recipe.name, source=f"splitting {self.word}")

    def _assignment(self, motion: Motion, letter: str, names: set[str]) -> tuple[Block, Expr]:
        solved = flow(motion, self.time(letter))
        if solved.variance == 0:
            return motion.block, solved.mean
        name = self.recipe.unused_name(f"w_{motion.block.name}")
        while name in names:  # every occurrence draws anew
            name += "_"
        names.add(name)
        return motion.block, solved.mean + solved.deviation * Noise(name, like=motion.block)


def split(recipe: Recipe, word: str) -> Splitting:
    """The splitting of a recipe that a word says.

    Raises:
        RecipeError: where the recipe has no such pieces, or the word leaves one out.
    """
    pieces = pieces_of(recipe)
    word = word.upper()
    has = {piece.letter: ", ".join(m.block.name for m in piece.motions) for piece in pieces}
    listed = "; ".join(f"{letter} {LETTERS[letter]} ({blocks})" for letter, blocks in has.items())
    strange = next((letter for letter in word if letter not in has), None)
    if strange is not None:
        raise RecipeError(f"the word {word} has the letter {strange}, and the pieces of this recipe are: {listed}")
    missing = next((letter for letter in has if letter not in word), None)
    if missing is not None:
        raise RecipeError(
            f"the word {word} leaves out {missing} ({LETTERS[missing]} of {has[missing]}), so it is not this recipe; "
            f"its pieces are: {listed}"
        )
    return Splitting(recipe, word, pieces, step_symbol(recipe))
