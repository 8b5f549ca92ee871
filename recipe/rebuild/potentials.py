"""Which potentials a declaration has, and which blocks its law of interest is about."""

from __future__ import annotations

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError


def potentials_of(declared: Recipe | Update | Kernel) -> tuple[Potential, ...]:
    """The potentials of a recipe, an update or a kernel that no expression has replaced."""
    return tuple(a for a in declared.abstract if isinstance(a, Potential))


def one_potential(declared: Recipe | Update | Kernel) -> Potential:
    """Return the only potential of a recipe, an update or a kernel.

    Raises:
        RecipeError: where it has none, or several; the message lists their names.
    """
    potentials = potentials_of(declared)
    if len(potentials) == 1:
        return potentials[0]
    kind = kind_of(declared)
    if not potentials:
        raise RecipeError(
            f"this {kind} has no potential that a posterior or an expression could replace, as its"
            " law is written out; leave the second argument out"
        )
    listed = ", ".join(U.name for U in potentials)
    example = ", ".join(f'"{U.name}": ...' for U in potentials)
    raise RecipeError(f"this {kind} has the potentials {listed}; give each of them, {{{example}}}")


def kind_of(declared: Recipe | Update | Kernel) -> str:
    """Return "recipe", "update" or "kernel"."""
    return type(declared).__name__.lower()


def blocks_of_interest(declared: Recipe | Update | Kernel) -> tuple[Block, ...]:
    """The blocks of the state that a user wants draws of, in the order of the state.

    These are the blocks that potentials depend on, or whose images they depend on. Where
    expressions have replaced all potentials, these are the blocks of the marginal laws that a
    recipe declares. Where there are neither, nothing tells a momentum from a parameter of the
    model, and these are all blocks.
    """
    wanted = {b for U in potentials_of(declared) for b in U.blocks}
    if not wanted and isinstance(declared, Recipe):
        wanted = {b for kept, _ in declared.marginal for b in kept}
    state = declared.state
    return tuple(b for b in state if b in wanted or b.image in wanted) or state
