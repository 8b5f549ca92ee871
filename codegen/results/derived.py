"""Derived quantities of draws that are there already, at other data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from codegen.results.aligned import coordinate_names_in
from codegen.results.predictions import Sampled, require_both, thinned, with_group
from codegen.results.quantities import derived_draws
from codegen.results.require_law import require_draws_of_posterior, require_draws_of_prior
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_quantities import data_in, vector_of
from recipe.declare.posterior import Posterior
from recipe.language.blocks import Vector
from recipe.language.errors import RecipeError


def compute_derived(
    draws: Sampled,
    posterior: Posterior,
    params: Mapping[Any, Any] | None = None,
    *,
    thin: int = 1,
) -> Sampled:
    """Return the draws with the group predictions, the derived quantities of a posterior at each
    draw: at the data of its ``with_data``, or those of a posterior that was sampled without them.

    Args:
        draws: the draws of all blocks of the posterior.
        posterior: the posterior that they are of, or its ``with_data``, or its ``prior()``, with
            ``derived=``.
        params: the values of its parameters, by symbol or name.
        thin: every thin-th draw is taken.

    Raises:
        RecipeError: where the posterior has no derived quantities, there are no draws of a block,
            they are of another posterior, a parameter has no value, or the numbers do not fit into
            memory.

    Example:
        >>> from catalog.sghmc import sghmc
        >>> from codegen import compute_derived, sample
        >>> from recipe import Data, Posterior, Scalar
        >>> from recipe.laws import normal
        >>> b, x, y = Scalar("b", prior=normal(0, 1)), Data("x", [1, 2]), Data("y", [0.9, 2.1])
        >>> law = Posterior(log_likelihood=normal(y, b * x, 1), derived={"mean": b * x})
        >>> draws = sample(sghmc, law, step_size=0.1, params={"C": 1}, steps=20, progress=False)
        >>> compute_derived(draws, law.with_data({x: [3, 4, 5]})).predictions["predictions"].sizes
        {'chain': 4, 'draw': 20, 'mean_dim': 3}
    """
    require_both("compute_derived", draws, posterior)
    if not posterior.derived:
        raise RecipeError("this posterior has no derived quantities; give it derived={...}")
    whole = posterior if posterior.prior_of is None else posterior.prior_of
    at = thinned(draws, whole, params, thin)
    if whole is not posterior:
        require_draws_of_prior(draws.attributes, at)
    else:
        require_draws_of_posterior(draws.attributes, at)
    names = coordinate_names_in(draws.posterior_group())
    found = derived_draws(at)
    return with_group(draws, "predictions", found, thin, _names_of_quantities(posterior, names))


def _names_of_quantities(posterior: Posterior, names: Mapping[str, Names]) -> dict[str, Names]:
    """Return the names of the coordinates of quantities that have one for each of a block."""
    found: dict[str, Names] = {}
    for name, quantity in posterior.derived.items():
        if isinstance(quantity, tuple) or data_in([quantity]):
            continue  # numbers, or one a row
        vector = vector_of(quantity)
        for block in posterior.blocks:
            own = isinstance(block, Vector) and vector is not None and block.length == vector.length
            if own and block.name in names:
                found[name] = names[block.name]
    return found
