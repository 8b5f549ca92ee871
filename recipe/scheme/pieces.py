"""The pieces of a recipe's own generator, found from H, D and Q: each moves some blocks while all
others rest.

With everything else at rest a block moves by ``db = (rate b + push) dt + sqrt(2 noise) dW``, which
is solved exactly where rate, push and noise are free of b. ``O`` is the part with rate and noise
(an Ornstein-Uhlenbeck process); the push is ``A`` where b is a position, ``B`` (a kick) where it
depends on positions, and ``D`` (a thermostat) elsewhere. So Langevin dynamics have the letters of
Leimkuhler & Matthews (2013), "Rational construction of stochastic numerical methods for molecular
sampling", AMRX 2013(1), and Nose-Hoover thermostats those of Leimkuhler & Shang (2016), "Adaptive
thermostats for noisy gradient systems", SIAM J. Sci. Comput. 38(2).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from sympy import Add, Expr, S

from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.language.abstract import Potential
from recipe.language.calculus import summands
from recipe.language.entry import is_zero_entry
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import Block
from recipe.scheme.increment import diagonal_noise

LETTERS = {"A": "positions move", "B": "kick", "O": "Ornstein-Uhlenbeck", "D": "thermostat"}


@dataclass(frozen=True)
class Motion:
    """``d block = (rate block + push) dt + sqrt(2 noise) dW`` with everything else at rest;
    ``noise`` is the block's entry of D.
    """

    block: Block
    rate: Expr
    push: Expr
    noise: Expr


@dataclass(frozen=True)
class GeneratorPart:
    """A part of the generator, under its letter."""

    letter: str
    motions: tuple[Motion, ...]


@lru_cache(maxsize=256)
def pieces_of(recipe: Recipe) -> tuple[GeneratorPart, ...]:
    """The pieces, in the order A, B, O, D; those that the recipe has.

    Raises:
        RecipeError: where a block at a time has no flow in closed form, naming the guilty term.
    """
    found: dict[str, list[Motion]] = {letter: [] for letter in LETTERS}
    positions = _positions(recipe)
    for block in recipe.state:
        whole = _motion(recipe, block)
        if whole.rate != 0 or whole.noise != 0:
            found["O"].append(Motion(block, whole.rate, S.Zero, whole.noise))
        if whole.push != 0:
            found[_letter(whole, positions)].append(Motion(block, S.Zero, whole.push, S.Zero))
    pieces = tuple(
        GeneratorPart(letter, tuple(motions)) for letter, motions in found.items() if motions
    )
    for piece in pieces:
        _check_apart(piece, recipe)
    return pieces


def _positions(recipe: Recipe) -> set[Block]:
    """The blocks that the potentials in H depend on; where H has none, those that Q couples to
    later blocks of the state only.
    """
    potentials = recipe.H.atoms(Potential)
    if potentials:
        return {b for U in potentials for b in blocks_in(U, recipe.state)}
    earlier: dict[Block, list[Block]] = {
        b: list(recipe.state[:k]) for k, b in enumerate(recipe.state)
    }
    return {b for b in recipe.state if all(is_zero_entry(recipe.Q.entry(b, c)) for c in earlier[b])}


def _letter(motion: Motion, positions: set[Block]) -> str:
    if motion.block in positions:
        return "A"
    return "B" if blocks_in(motion.push, tuple(positions)) else "D"


def _motion(recipe: Recipe, block: Block) -> Motion:
    """All that moves one block, as an affine function of it."""
    rates, pushes = [], []
    for term in summands(derive(recipe).dynamics.drift[block]):
        if block not in blocks_in(term, recipe.state):
            pushes.append(term)
            continue
        rates.append(term / block)
        if block in blocks_in(rates[-1], recipe.state):
            raise RecipeError(
                f"the drift of {block} has the term {term}, which is not linear in {block}: its"
                " flow with the other blocks at rest is not known in closed form, so that this"
                " recipe has no splitting; euler and semi-implicit are schemes for it"
            )
    return Motion(block, Add(*rates), Add(*pushes), _noise(recipe, block))


def _noise(recipe: Recipe, block: Block) -> Expr:
    noise = diagonal_noise(recipe, block, "a splitting")
    if block in blocks_in(noise, recipe.state):
        raise RecipeError(
            f"{recipe.D.place(block, block)} = {noise} depends on {block}, so that {block} with the"
            " other blocks at rest is no Ornstein-Uhlenbeck process and this recipe has no"
            " splitting; euler and milstein are schemes for it"
        )
    return noise


def reads(motion: Motion, recipe: Recipe) -> frozenset[Block]:
    """The blocks that the motion depends on. Each part is asked by itself: in a sum they might
    cancel.
    """
    parts = (motion.rate, motion.push, motion.noise)
    return frozenset().union(*(blocks_in(e, recipe.state) for e in parts))


def _check_apart(piece: GeneratorPart, recipe: Recipe) -> None:
    """Require that no block of the piece moves by another one of it, as the flow of the whole is
    then that of each block.
    """
    for motion in piece.motions:
        read = reads(motion, recipe)
        for other in piece.motions:
            if other.block in read:
                raise RecipeError(
                    f"{LETTERS[piece.letter]} ({piece.letter}): {motion.block} and {other.block}"
                    " would move by one another, and that flow is not known in closed form; euler"
                    " and semi-implicit are schemes for this recipe"
                )
