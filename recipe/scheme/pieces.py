"""The pieces of a recipe's generator, found from H, D and Q: each moves some blocks while all
others rest.

With everything else at rest a block moves by ``db = (rate b + push) dt + sqrt(2 noise) dW``, which
is solved exactly where rate, push and noise are free of b. ``O`` is the part with rate and noise
(an Ornstein-Uhlenbeck process). The push is ``A`` where b is a position, ``B`` (a kick) where it
depends on positions, and ``D`` (a thermostat) elsewhere. So Langevin dynamics have the letters of
Leimkuhler & Matthews (2013), "Rational construction of stochastic numerical methods for molecular
sampling", AMRX 2013(1), and Nose-Hoover thermostats those of Leimkuhler & Shang (2016), "Adaptive
thermostats for noisy gradient systems", SIAM J. Sci. Comput. 38(2).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Add, Expr, S

from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.language.abstract import Potential
from recipe.language.assumed import cached
from recipe.language.blocks import Block
from recipe.language.calculus import summands
from recipe.language.entry import is_zero_entry
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in
from recipe.scheme.increment import diagonal_noise

LETTERS = {"A": "positions move", "B": "kick", "O": "Ornstein-Uhlenbeck", "D": "thermostat"}


@dataclass(frozen=True)
class Motion:
    """The motion of one block with everything else at rest: ``d block = (rate block + push) dt +
    sqrt(2 noise) dW``.

    Attributes:
        block: the block that moves.
        rate, push: the drift, affine in the block.
        noise: the entry of D of the block.
    """

    block: Block
    rate: Expr
    push: Expr
    noise: Expr


@dataclass(frozen=True)
class GeneratorPart:
    """A part of the generator: the motions of one letter."""

    letter: str
    motions: tuple[Motion, ...]


@cached(maxsize=256)
def pieces_of(recipe: Recipe) -> tuple[GeneratorPart, ...]:
    """The pieces that the recipe has, in the order A, B, O, D.

    Raises:
        RecipeError: where a piece has no flow in closed form, naming the term at fault.
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
    """The blocks that count as positions: those that the potentials in H depend on.

    Where H has no potential, they are the blocks that Q couples to no earlier block of the state.
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
    """The whole motion of one block; its drift must be affine in the block."""
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
    """The entry of D of a block, which must be free of the block."""
    noise = diagonal_noise(recipe, block, "a splitting")
    if block in blocks_in(noise, recipe.state):
        raise RecipeError(
            f"{recipe.D.place(block, block)} = {noise} depends on {block}, so that {block} with the"
            " other blocks at rest is no Ornstein-Uhlenbeck process and this recipe has no"
            " splitting; euler and milstein are schemes for it"
        )
    return noise


def reads(motion: Motion, recipe: Recipe) -> frozenset[Block]:
    """The blocks that the motion depends on; each term counts, even where terms would cancel in the
    sum.
    """
    parts = (motion.rate, motion.push, motion.noise)
    return frozenset().union(*(blocks_in(e, recipe.state) for e in parts))


def _check_apart(piece: GeneratorPart, recipe: Recipe) -> None:
    """Require that no block of the piece moves another one of it, so that the flow of the piece is
    that of each block.
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
