"""The noise that an estimated gradient adds to a step, and the part of the drawn noise that it may
replace.

A gradient with noise of covariance V moves the state by noise of covariance ``eps^2 B_hat``,
``B_hat = (D + Q) diag(V, 0) (D + Q)^T``, on top of the ``2 eps D`` that the recipe adds. A step
compensates for it by drawing noise of covariance ``eps (2 D - eps B_hat)``, as long as that is
positive semidefinite. (Ma, Chen & Fox 2015, section 3; ``eps B_hat / 2`` is the ``B`` of Chen, Fox
& Guestrin 2014.)
"""

from __future__ import annotations

from sympy import Dummy, Expr, S

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.language.abstract import Partial, Potential, written_image
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.entry import Column, Coupling, Entry, Row, is_zero_entry, parts
from recipe.language.errors import RecipeError
from recipe.language.variance import gradient_variance
from recipe.scheme.increment import step_symbol


def gradient_noise(recipe: Recipe) -> dict[Block, Expr]:
    """The diagonal of ``B_hat`` by block, for a recipe whose own noise can be reduced by it.

    Raises:
        RecipeError: as ``added_noise``; also where D is not diagonal, or the gradient brings noise
            to a block that the recipe adds none to.
    """
    if recipe.noise_factor is not None:
        raise RecipeError(
            "compensate= takes the root of a diagonal D; this recipe gives a noise_factor of"
            " its own"
        )
    noise = added_noise(recipe)
    for block in noise:
        entry = recipe.D.entry(block, block)
        if isinstance(entry, Coupling) and entry.kernel != 0:
            raise RecipeError(
                f"{recipe.D.place(block, block)} is not diagonal; this version compensates a"
                " diagonal D only"
            )
        if is_zero_entry(entry):
            raise RecipeError(
                f"the noise of the gradient reaches {block}, where {recipe.D.place(block, block)} ="
                " 0: the recipe adds no noise there that it could replace, and cannot be"
                f" compensated; use all of the data, or a recipe with friction on {block}"
            )
    return noise


def added_noise(recipe: Recipe) -> dict[Block, Expr]:
    """The diagonal of ``B_hat`` by block, with the variance of each gradient as a symbol.

    Raises:
        RecipeError: where ``B_hat`` is not diagonal.
    """
    noise: dict[Block, Expr] = {}
    potentials = noisy_potentials(recipe)
    for U in potentials:
        slope = _slope(recipe, U)
        changed = next((b for b in recipe.state if b.image in U.blocks), None)
        if changed is not None:
            raise RecipeError(
                f"{U} is taken at {changed.image} = {written_image(changed)}; compensate= is not"
                " for transforms"
            )
        for moved in U.blocks:
            for block, value in _moved_by(recipe, moved).items():
                noise[block] = noise.get(block, S.Zero) + (slope * value) ** 2 * gradient_variance(
                    U, moved
                )
    if any(p.head in potentials for m in (recipe.D, recipe.Q) for p in m.written.atoms(Partial)):
        raise RecipeError(
            "D or Q contains the gradient of a potential, so that its noise is not simply added;"
            " compensate= is not for it"
        )
    return noise


def largest_step(recipe: Recipe) -> Update:
    """An update whose new value of each block is ``2 D / B_hat``, the largest step that can be
    compensated there.
    """
    noise = gradient_noise(recipe)
    bounds = {
        b: 2 * parts(recipe.D.entry(b, b))[0] / noise[b] if b in noise else b for b in recipe.state
    }
    return Update(
        step_symbol(recipe),
        bounds,
        recipe.H,
        name=f"{recipe.name or 'recipe'}_largest_step",
        where=recipe.where,
    )


def noisy_potentials(recipe: Recipe) -> list[Potential]:
    """The potentials whose gradients are estimated from data: those with a posterior, or all of H
    where none has one.

    Raises:
        RecipeError: where H contains no potential.
    """
    bound = [U for U, _ in recipe.posteriors]
    found = bound or sorted(recipe.H.atoms(Potential), key=str)
    if not found:
        raise RecipeError(
            "compensate= needs a Potential in H, whose gradient is estimated from data"
        )
    return found


def _slope(recipe: Recipe, U: Potential) -> Expr:
    """The constant ``dH/dU``, such as 1 or 1/T."""
    at = Dummy("U", real=True)
    slope = recipe.H.xreplace({U: at}).diff(at)
    if slope.has(at, Vector, Scalar, Partial):
        raise RecipeError(
            f"H depends on {U} other than by a constant factor, so the noise of its gradient is not"
            " simply scaled"
        )
    return slope


def _moved_by(recipe: Recipe, column: Block) -> dict[Block, Expr]:
    """The one block that the gradient by ``column`` moves, with its entry of D + Q."""
    moved = {}
    for row in recipe.state:
        entries = {m.place(row, column): m.entry(row, column) for m in (recipe.D, recipe.Q)}
        if all(is_zero_entry(e) for e in entries.values()):
            continue
        value = sum((_elementwise(e, place) for place, e in entries.items()), S.Zero)
        if value != 0:
            moved[row] = value
    if len(moved) > 1:
        raise RecipeError(
            f"the gradient by {column} moves {' and '.join(map(str, moved))} with the same noise,"
            " so that B_hat is not diagonal; this version compensates a diagonal one only"
        )
    return moved


def _elementwise(entry: Entry, place: str) -> Expr:
    """Return the expression of an entry that couples no coordinate to another one."""
    if (isinstance(entry, Column | Row) and not is_zero_entry(entry)) or (
        isinstance(entry, Coupling) and entry.kernel != 0
    ):
        raise RecipeError(
            f"{place} spreads the noise of one coordinate over others, so that B_hat is not"
            " diagonal; this version compensates a diagonal one only"
        )
    return parts(entry)[0]
