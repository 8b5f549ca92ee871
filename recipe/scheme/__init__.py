"""Discretisations: each turns a recipe into an ``Update``, the class that printed rules have as
well.

One scheme a file; ``SCHEMES`` lists them. Imports ``recipe.change`` and below.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.language.blocks import Block
from recipe.language.did_you_mean import did_you_mean
from recipe.language.errors import RecipeError
from recipe.scheme.discretisation import PRINTED, Discretisation, as_printed, discretisation
from recipe.scheme.euler import euler
from recipe.scheme.exact import exact
from recipe.scheme.leimkuhler_matthews import leimkuhler_matthews
from recipe.scheme.milstein import milstein
from recipe.scheme.pieces import LETTERS
from recipe.scheme.scheme import Scheme
from recipe.scheme.semi_implicit import semi_implicit
from recipe.scheme.splitting import Splitting, split


def _word(word: str, summary: str, source: str, name: str | None = None) -> Scheme:
    """The splitting scheme that a word spells."""
    fits = "every block affine in itself while the others rest, D diagonal"
    return Scheme(name or word.lower(), summary, fits, source, partial(split, word=word))


DEFAULT_SCHEME = "semi-implicit"  # where none is named
LEIMKUHLER_MATTHEWS_2013 = "Leimkuhler & Matthews (2013), AMRX 2013(1)"
SOLVED_PROCESSES = "Ornstein-Uhlenbeck and square-root processes, and their images under a map"
SCHEMES = (
    Scheme("euler", "every block from the same old state", "any recipe", "Maruyama (1955)", euler),
    Scheme(
        "semi-implicit",
        "blocks one after another, later ones see new values",
        "any recipe",
        "symplectic Euler",
        semi_implicit,
    ),
    Scheme(
        "milstein",
        "euler and the slope of the noise",
        "D diagonal, by its own coordinate",
        "Milstein (1975)",
        milstein,
    ),
    Scheme(
        "leimkuhler-matthews",
        "overdamped, second order, one gradient",
        "one block, constant D",
        LEIMKUHLER_MATTHEWS_2013,
        leimkuhler_matthews,
    ),
    Scheme(
        "exact",
        "the law after a step in closed form, no error",
        SOLVED_PROCESSES,
        "Cox, Ingersoll & Ross (1985), equation 18",
        exact,
    ),
    _word("BAOAB", "splitting, exact in position for normal targets", LEIMKUHLER_MATTHEWS_2013),
    _word(
        "OBABO",
        "splitting, leapfrog between two halves of noise",
        "Bussi & Parrinello (2007), Phys. Rev. E 75, 056707",
    ),
    _word("ABOBA", "splitting, one gradient in the middle", LEIMKUHLER_MATTHEWS_2013),
    _word(
        "OABAO",
        "splitting, leapfrog by positions between two halves of noise",
        LEIMKUHLER_MATTHEWS_2013,
    ),
    _word(
        "BADODAB",
        "splitting with a thermostat",
        "Leimkuhler & Shang (2016), SIAM J. Sci. Comput. 38(2)",
    ),
    _word(
        "BAB",
        "velocity Verlet, without noise",
        "Duane et al. (1987), Phys. Lett. B 195(2)",
        name="leapfrog",
    ),
)
SCHEME_NAMES = tuple(scheme.name for scheme in SCHEMES)
COMPENSATED_SCHEMES = {
    "euler": partial(euler, compensate=True),
    "semi-implicit": partial(semi_implicit, compensate=True),
}


def discretise(
    recipe: Recipe,
    scheme: str,
    *,
    order: Sequence[Block | str] | None = None,
    compensate: bool = False,
) -> Update:
    """One step of a recipe under a named scheme.

    Args:
        recipe: the sampler.
        scheme: a name of ``SCHEME_NAMES``, or any word over the letters A, B, O, D, which is a
            splitting (``recipe.scheme.splitting``); capitals do not matter.
        order: for ``semi-implicit`` only: the blocks, or their names, in the order in which they
            move; by default the reverse of the state.
        compensate: subtract the noise of estimated gradients from the noise that is drawn
            (``recipe.scheme.compensation``); for ``euler`` and ``semi-implicit`` only.

    Returns:
        The update of the whole state, with the target H of the recipe.

    Raises:
        RecipeError: for an unknown scheme, one that does not fit the recipe, an order that does not
            name each block once, or noise that the scheme cannot draw or compensate.

    Example:
        >>> from recipe import Potential, Recipe, Vector, discretise
        >>> theta = Vector("theta")
        >>> langevin = Recipe(theta, H=Potential("U", theta), D=1, Q=0)
        >>> discretise(langevin, "euler").rule
        ((theta, sqrt(2)*w_theta*sqrt(step_size) - step_size*grad(U, theta) + theta),)
    """
    named = scheme_called(scheme)
    if order is not None and named.name != "semi-implicit":
        raise RecipeError(f"order= belongs to the scheme semi-implicit, not to {scheme}")
    if order is not None:
        return semi_implicit(recipe, order=order, compensate=compensate)
    if not compensate:
        return discretisation(recipe, named).update
    if named.name not in COMPENSATED_SCHEMES:
        raise RecipeError(
            f"compensate= is known for {' and '.join(COMPENSATED_SCHEMES)}, not for {scheme}"
        )
    return COMPENSATED_SCHEMES[named.name](recipe)


def discretised(of: Recipe | Update, scheme: str) -> Discretisation:
    """One step under a named scheme, together with the declaration that it was made from.

    Args:
        of: the recipe, or a printed rule.
        scheme: as for ``discretise``, or ``"printed"`` for the published rule as it stands.

    Returns:
        The step; its ``update`` is the rule.

    Raises:
        RecipeError: as ``discretise``; also where there is no published rule, or a scheme is named
            for a rule that is a discrete step already.
    """
    return (
        as_printed(of) if scheme.lower() == PRINTED else discretisation(of, scheme_called(scheme))
    )


def scheme_called(name: str) -> Scheme:
    """Return the scheme of that name, or the splitting that the name spells.

    Args:
        name: a name of ``SCHEME_NAMES``, or a word over the letters A, B, O, D; capitals do not
            matter.

    Raises:
        RecipeError: where it is neither.
    """
    listed = next((s for s in SCHEMES if s.name == name.lower()), None)
    if listed is not None:
        return listed
    if name and set(name.upper()) <= set(LETTERS):
        return _word(name, "splitting", LEIMKUHLER_MATTHEWS_2013)
    if name.lower() == PRINTED:
        raise RecipeError(
            f"{PRINTED} is the published rule, which only recipe verify and recipe test take as a"
            " scheme; put its Update into a file and give FILE:NAME"
        )
    raise RecipeError(
        f"there is no scheme {name!r}; {did_you_mean(name, SCHEME_NAMES)}the schemes are"
        f" {', '.join(SCHEME_NAMES)}, and any word over the letters {', '.join(LETTERS)}"
    )


__all__ = [
    "PRINTED",
    "SCHEMES",
    "SCHEME_NAMES",
    "Discretisation",
    "Scheme",
    "Splitting",
    "discretise",
    "discretised",
    "euler",
    "scheme_called",
    "semi_implicit",
    "split",
]
