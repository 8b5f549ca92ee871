"""The increment of every one-stage scheme: ``z_b + eps f_b + sqrt(2 eps) (B w)_b``."""

from __future__ import annotations

from collections.abc import Mapping

from sympy import Add, Expr, Mul, S, Symbol, factor_terms, sqrt

from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.language.abstract import Dense, DenseEntry
from recipe.language.blocks import Block
from recipe.language.entry import Coupling, is_zero_entry, parts
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import UnusedNames
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.total import labels


def step_symbol(recipe: Recipe) -> Symbol:
    """A symbol for the step size, with a name that the recipe does not use."""
    return Symbol(recipe.unused_name("step_size"), positive=True)


def increments(
    recipe: Recipe, step: Symbol, compensated: Mapping[Block, Expr] | None = None
) -> dict[Block, Expr]:
    """The new value of each block, computed from one old state.

    Args:
        recipe: the sampler.
        step: the symbol of the step size.
        compensated: the diagonal of ``B_hat``, the noise that estimated gradients bring, by block.
            Such a block draws noise of the variance ``eps (2 D - eps B_hat)``.
    """
    drift = derive(recipe).dynamics.drift
    noise = noise_terms(recipe, recipe.unused_names())
    moved = {b: b + step * drift[b] + sqrt(2 * step) * noise[b] for b in recipe.state}
    for b, B_hat in (compensated or {}).items():
        variance = step * (2 * parts(recipe.D.entry(b, b))[0] - step * B_hat)
        (w,) = noise[b].atoms(Noise, ScalarNoise)
        moved[b] = b + step * drift[b] + sqrt(variance) * w
    return moved


def diagonal_noise(recipe: Recipe, block: Block, scheme: str) -> Expr:
    """The entry of D of a block whose noise is elementwise and not shared with another block.

    Raises:
        RecipeError: where the noise is otherwise; ``scheme`` names the scheme that needs it.
    """
    for other in recipe.state:
        if other != block and not is_zero_entry(recipe.D.entry(block, other)):
            raise RecipeError(
                f"{recipe.D.place(block, other)} couples the noise of {block} and {other}; {scheme}"
                " needs D diagonal"
            )
    entry = recipe.D.entry(block, block)
    if isinstance(entry, Coupling) and entry.kernel != 0:
        raise RecipeError(
            f"{recipe.D.place(block, block)} is not diagonal; {scheme} needs D diagonal"
        )
    return parts(entry)[0]


def noise_terms(recipe: Recipe, names: UnusedNames) -> dict[Block, Expr]:
    """The noise ``B w`` of each block, with ``B B^T = D`` and standard normal w named from
    ``names``.

    Raises:
        RecipeError: where no root B of D is known.
    """
    if recipe.noise_factor is not None:
        white = {b: white_noise(b, names) for b in recipe.state}
        return recipe.noise_factor.times(white)
    at = {block: a for a, block in enumerate(recipe.state)}
    for row, column in recipe.D.nonzero:
        if at[row] < at[column]:
            raise RecipeError(
                f"{recipe.D.place(row, column)} couples the noise of {row} and {column}: "
                "no root of D is known for it; give noise_factor=B with B B^T = D"
            )
    return {b: _own_noise(recipe, b, names) for b in recipe.state}


def white_noise(block: Block, names: UnusedNames, covariance: Dense | None = None) -> Expr:
    """A normal draw for a block, under a fresh name: two draws of one name would be one draw."""
    return Noise(names.fresh(f"w_{block.name}"), like=block, covariance=covariance)


def _own_noise(recipe: Recipe, block: Block, names: UnusedNames) -> Expr:
    entry = recipe.D.entry(block, block)
    if is_zero_entry(entry):
        return S.Zero
    if not isinstance(entry, Coupling) or entry.kernel == 0:
        return sqrt(factor_terms(parts(entry)[0])) * white_noise(block, names)
    scale, matrix = _scaled_dense(entry, recipe, block)
    return sqrt(scale) * white_noise(block, names, matrix)


def _scaled_dense(entry: Coupling, recipe: Recipe, block: Block) -> tuple[Expr, Dense]:
    """Read ``c * M`` with a positive definite constant matrix M, the one kernel whose root is
    known.
    """
    terms = Add.make_args(entry.kernel)
    factors = Mul.make_args(terms[0])
    matrices = [f for f in factors if isinstance(f, DenseEntry)]
    scale = Mul(*(f for f in factors if not isinstance(f, DenseEntry)))
    if (
        entry.diagonal == 0
        and len(terms) == 1
        and len(matrices) == 1
        and matrices[0].matrix.positive_definite
        and not labels(scale)
    ):
        return scale, matrices[0].matrix
    raise RecipeError(
        f"{recipe.D.place(block, block)} is neither diagonal nor one positive definite Dense"
        " matrix: no root of D is known for it; give noise_factor=B with B B^T = D"
    )
