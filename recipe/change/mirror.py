"""``mirror``: a sampler that turns back at the edge of its domain.

A block with noise of its own is reflected along ``D n``, where n is the normal of the edge. This is
the co-normal reflection, under which a diffusion with no current through the edge keeps its law
(Lions & Sznitman 1984, Comm. Pure Appl. Math. 37(4); Kang & Ramanan 2014, Ann. Appl. Probab.
24(4)). A position that a momentum moves has ``D n = 0`` and is reflected specularly, like light: it
turns back, and the momentum across the edge changes its sign (Bossy & Jabir 2011, Stochastic
Process. Appl. 121(12)). To put the position back and keep the momentum would leave another law.
"""

from __future__ import annotations

from sympy import Interval

from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.declare.reflect_update import folded, has_folds
from recipe.declare.reflection import Reflection, checked_reflections
from recipe.declare.replace_fields import with_fields
from recipe.language.abstract import checked_block
from recipe.language.blocks import Block
from recipe.language.domain import on_simplex
from recipe.language.entry import Coupling, is_zero_entry
from recipe.language.errors import RecipeError
from recipe.language.fold import ends_of
from recipe.language.free_symbols import blocks_in


def mirror(recipe: Recipe, *blocks: Block) -> Recipe:
    """The recipe, reflected at every finite end of the domains of some blocks.

    Schemes fold a step that leaves the domain back into it, and turn the sign of the momentum that
    carried it out. A published ``update`` without folds is folded in the same way.

    Args:
        recipe: the sampler.
        *blocks: blocks of its state whose domain is an interval with a finite end. A block without
            noise needs a single momentum that Q couples it to.

    Returns:
        A new recipe with the same H, D and Q and with ``reflections``.

    Raises:
        RecipeError: where a block has no edge, shares its noise with others (then ``D n`` is
            oblique), or has neither noise nor a single momentum that moves it.

    Example:
        >>> from sympy import Interval, oo
        >>> from recipe import Potential, Recipe, Vector, mirror
        >>> theta = Vector("theta", domain=Interval(0, oo))
        >>> reflected = mirror(Recipe(theta, H=Potential("U", theta), D=1, Q=0), theta)
    """
    if not isinstance(recipe, Recipe):
        raise RecipeError(f"mirror({recipe!r}, ...): the first argument must be a Recipe")
    for block in blocks:
        checked_block(block, "mirror(recipe, block)")
    if not blocks:
        raise RecipeError("mirror(recipe) names no block to reflect; write mirror(recipe, theta)")
    reflections = (*recipe.reflections, *(_reflection(recipe, block) for block in blocks))
    update = recipe.update
    if update is not None and not has_folds(update):
        update = folded(update, reflections)
    return with_fields(
        recipe, reflections=checked_reflections(reflections, recipe.state), update=update
    )


def _reflection(recipe: Recipe, block: Block) -> Reflection:
    """The reflection of one block: along the normal where it has noise of its own, else with its
    momentum.
    """
    if block not in recipe.state:
        names = ", ".join(b.name for b in recipe.state)
        raise RecipeError(f"mirror(recipe, {block}): {block} is not part of the state ({names})")
    if on_simplex(block):
        raise RecipeError(
            f"{block} lives on a simplex, whose faces several coordinates make together: no fold of"
            " one coordinate reflects there; use coordinates on theta > 0 that are normalised"
            " afterwards (expanded mean), or a scheme that stays inside"
        )
    if ends_of(block) is None or not isinstance(block.domain, Interval):
        raise RecipeError(
            f"{block} lives on {block.domain}, which has no edge to reflect at; leave it out of"
            " mirror(...)"
        )
    noisy = [other for other in recipe.state if not is_zero_entry(recipe.D.entry(block, other))]
    return Reflection(
        block,
        () if _is_reflected_along_its_normal(recipe, block, noisy) else (_momentum(recipe, block),),
    )


def _is_reflected_along_its_normal(recipe: Recipe, block: Block, noisy: list[Block]) -> bool:
    """Return True if the block has noise that no other block or coordinate shares, False if it has
    none.

    Raises:
        RecipeError: where its noise is shared.
    """
    for other in noisy:
        entry = recipe.D.entry(block, other)
        if other != block or (isinstance(entry, Coupling) and entry.kernel != 0):
            written = recipe.D.written[recipe.state.index(block), recipe.state.index(other)]
            raise RecipeError(
                f"{recipe.D.place(block, other)} = {written} couples the noise of {block} to that"
                " of other coordinates, so that D n is oblique at the edge, and only reflections"
                f" along the normal are known here; choose a D that is diagonal for {block}"
            )
    return bool(noisy)


def _momentum(recipe: Recipe, block: Block) -> Block:
    """The block that carries a position without noise across its edge.

    The speed of the position must be the momentum times a factor free of it, so that turning its
    sign turns the speed.
    """
    speed = derive(recipe).dynamics.drift[block]
    coupled = [
        b for b in recipe.state if b != block and not is_zero_entry(recipe.Q.entry(block, b))
    ]
    if len(coupled) != 1:
        names = " and ".join(map(str, coupled)) or "no block"
        raise RecipeError(
            f"{block} has no noise and Q couples it to {names}; it takes one momentum whose sign"
            " can turn at the edge"
        )
    (momentum,) = coupled
    if momentum.length != block.length or blocks_in(speed / momentum, (momentum,)) or speed == 0:
        raise RecipeError(
            f"the speed {speed} of {block} is not {momentum} times a factor free of {momentum},"
            f" coordinate by coordinate, so that turning the sign of {momentum} is no reflection;"
            " write H in the momentum that carries the block across its edge"
        )
    return momentum
