"""What is said where a sampler of counts has another law, given the labels, than the one that the
model declares.
"""

from __future__ import annotations

from collections.abc import Callable

from sympy import Dummy, Expr

from recipe import Recipe, RecipeError
from recipe.language.blocks import Vector
from recipe.language.calculus import gradient
from recipe.language.errors import OutsideLanguageError
from recipe.language.symbols import Indexed
from recipe.language.total import Total


def said_of_law(recipe: Recipe, vector: Vector, what: str, declared: Callable[[], Expr]) -> str:
    """Return a sentence about the law of a sampler given the counts; empty where it is the declared
    one, or where no potential of the declared one is known.

    Args:
        recipe: the sampler, with its parameters made of counts.
        vector: what it samples.
        what: the words for that.
        declared: returns minus the log posterior given the counts.
    """
    try:
        wanted = declared()
    except (RecipeError, OutsideLanguageError):
        return ""
    apart = (gradient(recipe.H, vector) - gradient(wanted, vector)).expand()
    if apart == 0:
        return ""
    hidden = apart.xreplace({t: Dummy() for t in apart.atoms(Total)})
    if any(isinstance(s, Indexed) for s in hidden.free_symbols):  # it is another in each column
        return (
            f"given the labels, the sampler of {what} was not seen to have the declared law: the"
            f" slopes of the two differ by {apart}; write its parameters from log_prior and the"
            " counts, or take a sampler with an abstract potential, such as sgrld_reciprocal"
        )
    return (
        f"the sampler of {what} has the declared law of the shares given the labels, but the total"
        f" follows the counts: the slopes differ by {apart}. Where these counts vary much, the law"
        " of the draws is another one, unless the step is so large that all is drawn anew; a"
        " sampler with an abstract potential, such as sgrld_reciprocal, has the declared law"
    )
