"""Names that a sampler has for its own symbols, and that no block of a model may have."""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Symbol
from sympy.core.function import AppliedUndef

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Dense, Field, Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import (
    Block,
    Index,
    Indexed,
    Length,
    Noise,
    Scalar,
    ScalarNoise,
    Vector,
    name_of,
)
from recipe.rebuild.potentials import kind_of


def require_free_names(
    sampler: Recipe | Update | Kernel, theta: Vector, blocks: Iterable[Block]
) -> None:
    """Require that no block has the name of a symbol that a sampler keeps.

    Args:
        sampler: the sampler; its symbols of the length of ``theta`` are copied under other names,
            and do not count.
        theta: the vector that the blocks stand for.
        blocks: the blocks of a model.

    Raises:
        RecipeError: saying what the name means in the sampler.
    """
    printed = sampler.update if isinstance(sampler, Recipe) else sampler
    step = None if printed is None else printed.step
    written = [e for e, _ in sampler.written()]
    if isinstance(printed, Update):
        written += [e for e, _ in printed.written()]
    own = {s for e in written for s in e.atoms(Symbol)}
    own |= {step} if step is not None else set()
    meanings = {
        name_of(s): _in_words(s, step)
        for s in own
        if not isinstance(s, Vector | Scalar | Length | Index)
        and not (isinstance(s, Indexed) and s.length == theta.length)
    }
    functions = {f for e in written for f in e.atoms(AppliedUndef)}
    meanings |= {f.func.__name__: "a function" for f in functions}
    for block in blocks:
        if block.name in meanings:
            raise RecipeError(
                f"{block.name} is the name of {meanings[block.name]} in this {kind_of(sampler)},"
                f" and of a block; rename the block, for instance {block.name}_1"
            )


def _in_words(s: Symbol, step: Symbol | None) -> str:
    """What a symbol is in a sampler."""
    if s == step:
        return "the step size"
    kinds = ((Potential, "the potential"), (Field, "a field"), (Dense, "a matrix"))
    for kind, words in (*kinds, (Noise | ScalarNoise, "the noise")):
        if isinstance(s, kind):
            return words
    return "a parameter"
