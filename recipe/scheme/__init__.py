"""Discretisations: each turns a recipe into an ``Update``, the same object that a printed
rule is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recipe.declare.recipe import Recipe
from recipe.declare.update import Update
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block
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
    fits = "every block affine in itself while the others rest, D diagonal"
    return Scheme(name or word.lower(), summary, fits, source, partial(split, word=word))


LM2013 = "Leimkuhler & Matthews (2013), AMRX 2013(1)"
CLOSED = "Ornstein-Uhlenbeck and square-root processes, and what a map makes one"
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
        LM2013,
        leimkuhler_matthews,
    ),
    Scheme(
        "exact",
        "the law after a step in closed form, no error",
        CLOSED,
        "Cox, Ingersoll & Ross (1985), equation 18",
        exact,
    ),
    _word("BAOAB", "splitting, exact in position for normal targets", LM2013),
    _word(
        "OBABO",
        "splitting, leapfrog between two halves of noise",
        "Bussi & Parrinello (2007), Phys. Rev. E 75, 056707",
    ),
    _word("ABOBA", "splitting, one gradient in the middle", LM2013),
    _word("OABAO", "splitting, leapfrog by positions between two halves of noise", LM2013),
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
NAMES = tuple(scheme.name for scheme in SCHEMES)
COMPENSATED = {
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
    """One step of the named scheme; any word over the letters A, B, O, D is one
    (``recipe.scheme.splitting``).

    ``order`` names the blocks in the order in which ``semi-implicit`` updates them. ``compensate``
    takes the noise of estimated gradients off the noise that is drawn
    (``recipe.scheme.compensation``); only euler and semi-implicit know how.

    Raises:
        RecipeError: for an unknown scheme, one that does not fit the recipe, an order that is not
            one of the state, or a noise that the scheme cannot draw or that cannot be compensated.
    """
    named = scheme_called(scheme)
    if order is not None and named.name != "semi-implicit":
        raise RecipeError(f"order= belongs to the scheme semi-implicit, not to {scheme}")
    if order is not None:
        return semi_implicit(recipe, order=order, compensate=compensate)
    if not compensate:
        return discretisation(recipe, named).update
    if named.name not in COMPENSATED:
        raise RecipeError(f"compensate= is known for {' and '.join(COMPENSATED)}, not for {scheme}")
    return COMPENSATED[named.name](recipe)


def discretised(of: Recipe | Update, scheme: str) -> Discretisation:
    """One step of the named scheme with what it was made from; ``printed`` is the published rule as
    it stands.

    Raises:
        RecipeError: as ``discretise``, and where there is no published rule.
    """
    return (
        as_printed(of) if scheme.lower() == PRINTED else discretisation(of, scheme_called(scheme))
    )


def scheme_called(name: str) -> Scheme:
    """The scheme of that name, or the splitting that the name spells.

    Raises:
        RecipeError: where it is neither.
    """
    listed = next((s for s in SCHEMES if s.name == name.lower()), None)
    if listed is not None:
        return listed
    if name and set(name.upper()) <= set(LETTERS):
        return _word(name, "splitting", LM2013)
    raise RecipeError(
        f"there is no scheme {name!r}; the schemes are {', '.join(NAMES)}, and any word over the"
        f" letters {', '.join(LETTERS)}"
    )


__all__ = [
    "NAMES",
    "PRINTED",
    "SCHEMES",
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
