"""The scheme of Leimkuhler & Matthews for overdamped Langevin dynamics, of second order with one
gradient a step.

They print ``x' = x + eps f(x) + sqrt(2 eps) (w_n + w_(n+1)) / 2``, which uses each noise in two
steps (2013, AMRX 2013(1), equation 16 as the high-friction limit of BAOAB). ``y = x - sqrt(eps / 2)
w`` is a Markov chain, and x is the value that is recorded (Vilmart 2015, "Postprocessed integrators
for the high order integration of ergodic SDEs", SIAM J. Sci. Comput. 37(1)).
"""

from __future__ import annotations

from sympy import Expr, sqrt

from recipe.declare.dynamics import derive
from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import blocks_in
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Indexed
from recipe.scheme.increment import noise_terms, step_symbol


def leimkuhler_matthews(recipe: Recipe) -> Update:
    """One step ``y += n``, ``y += eps f(y)``, ``y += n``, with ``n = sqrt(eps / 2) B w`` drawn
    once; ``y + n`` with a new n is recorded.

    Raises:
        RecipeError: where the state has several blocks, a block has no noise, or D is not constant.
    """
    if len(recipe.state) > 1:
        names = ", ".join(b.name for b in recipe.state)
        raise RecipeError(
            "leimkuhler-matthews is for overdamped dynamics of one block, and the state is"
            f" ({names}); try a splitting"
        )
    (block,) = recipe.state
    place, written = recipe.D.place(block, block), recipe.D.written[0, 0]
    if blocks_in(written, recipe.state):
        raise RecipeError(
            f"{place} = {written} is not constant, and leimkuhler-matthews is for a constant D; try"
            " milstein"
        )
    step = step_symbol(recipe)
    unused = recipe.unused_names()
    half = sqrt(step / 2) * noise_terms(recipe, unused)[block]
    if half == 0:
        raise RecipeError(f"{place} = 0, and leimkuhler-matthews is for noise on every block")
    recorded = unused.fresh("w_recorded")
    fresh = half.xreplace({w: _another(w, recorded) for w in half.atoms(Noise, ScalarNoise)})
    drift = derive(recipe).dynamics.drift[block]
    rule = [(block, block + half), (block, block + step * drift + half)]
    return Update(
        step,
        rule,
        recipe.H,
        observe={block: block + fresh},
        name=recipe.name,
        source="Leimkuhler-Matthews",
        where=recipe.where,
    )


def _another(w: Noise | ScalarNoise, name: str) -> Expr:
    """An independent draw of the same law, under another name."""
    return (
        Indexed.__new__(Noise, name, w.length, w.label, w.extra, real=True)
        if isinstance(w, Noise)
        else ScalarNoise(name)
    )
