"""Names that a sampler has for its own symbols. Where a block of a model has one of them, a symbol
that nobody gives a value by its name steps aside; of all others the name is refused.
"""

from __future__ import annotations

from collections.abc import Iterable

from sympy import Expr, Symbol
from sympy.core.function import AppliedUndef

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.language.abstract import Dense, Field, Potential
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Index, Indexed, Length, assumptions_of, name_of
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
    stays = [b for b in sampler.state if not (isinstance(b, Vector) and b.length == theta.length)]
    meanings |= {b.name: "another block" for b in stays if b.image is None}
    functions = {f for e in written for f in e.atoms(AppliedUndef)}
    meanings |= {f.func.__name__: "a function" for f in functions}
    for block in blocks:
        if block.name in meanings:
            raise RecipeError(
                f"{block.name} is the name of {meanings[block.name]} in this {kind_of(sampler)},"
                f" and of a block; rename the block, for instance {block.name}_1"
            )


def stepped_aside(
    sampler: Recipe | Update | Kernel, blocks: Iterable[Block], avoid: Iterable[Expr]
) -> dict[Symbol, Symbol]:
    """Return another symbol for each one of a sampler that has the name of a block, where nothing
    but the sampler itself knows it by this name: the step size, potentials, and noise of one
    number. Parameters, matrices and functions are given by name, in ``params=`` and ``bind``.

    Args:
        sampler: the sampler.
        blocks: the blocks of a model, which keep their names.
        avoid: expressions whose names no symbol may get.
    """
    named = {b.name for b in blocks}
    written = [e for e, _ in sampler.written()]
    printed = sampler.update if isinstance(sampler, Recipe) else sampler
    if isinstance(printed, Update):
        written += [e for e, _ in printed.written()]
    step = None if printed is None else printed.step
    own = {s for e in written for s in e.atoms(Symbol)} | ({step} if step is not None else set())
    names, found = UnusedNames([*sampler.state, *own, *blocks, *avoid]), {}
    for s in sorted(own, key=str):
        if name_of(s) not in named or not (s == step or isinstance(s, Potential | ScalarNoise)):
            continue
        name = names.fresh(s.name)
        if isinstance(s, Potential):
            found[s] = Potential(name, *s.blocks)
        elif isinstance(s, ScalarNoise):
            found[s] = ScalarNoise(name)
        else:
            found[s] = Symbol(name, **assumptions_of(s))
    return found


def _in_words(s: Symbol, step: Symbol | None) -> str:
    """What a symbol is in a sampler."""
    if s == step:
        return "the step size"
    kinds = ((Potential, "the potential"), (Field, "a field"), (Dense, "a matrix"))
    for kind, words in (*kinds, (Noise | ScalarNoise, "the noise")):
        if isinstance(s, kind):
            return words
    return "a parameter"
