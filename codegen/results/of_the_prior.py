"""What a prior says: the log prior at draws, and data drawn from draws of the prior."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sympy import Expr

from codegen.results.predictions import (
    Sampled,
    drawn_data,
    require_both,
    require_known_laws,
    thinned,
    with_group,
)
from codegen.results.quantities import AtDraws, pieces, require_room_for
from codegen.results.require_law import require_draws_of_prior, require_draws_with_prior
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError


def compute_log_prior(
    draws: Sampled,
    posterior: Posterior,
    params: Mapping[Any, Any] | None = None,
    *,
    thin: int = 1,
) -> Sampled:
    """Return the draws with the group log_prior, the log prior density at each draw, as
    ``arviz.psens`` takes it.

    There is a variable for each block that is declared with a prior, summed over its coordinates;
    what is written into ``log_prior=`` is the variable log_prior. It is the density of the block
    itself, on its own domain. Parts that are equal at all draws are left out.

    Args:
        draws: the draws of all blocks of the posterior.
        posterior: the posterior that they are of.
        params: the values of its parameters, by symbol or name.
        thin: every thin-th draw is taken.

    Raises:
        RecipeError: where the prior is flat, there are no draws of a block, they are of another
            prior, a parameter has no value, or the numbers do not fit into memory.

    Example:
        >>> from catalog.posteriors.eight_schools import posterior
        >>> from catalog.sghmc import sghmc
        >>> from codegen import compute_log_prior, sample
        >>> how = {"step_size": 0.1, "params": {"C": 1}, "steps": 20, "progress": False}
        >>> draws = compute_log_prior(sample(sghmc, posterior, **how), posterior)
        >>> draws.predictions["log_prior"].sizes
        {'chain': 4, 'draw': 20}
    """
    require_both("compute_log_prior", draws, posterior)
    parts = {n: e for n, e in posterior.log_priors.items() if not e.is_number}
    if not parts:
        raise RecipeError("the prior of this posterior is flat, so its logarithm is constant")
    at = thinned(draws, posterior, params, thin)
    require_draws_with_prior(draws.attributes, at)
    require_room_for("log_prior", at.shape, len(parts))
    return with_group(draws, "log_prior", {n: _numbers(e, at) for n, e in parts.items()}, thin)


def _numbers(e: Expr, at: AtDraws) -> np.ndarray:
    """Return a number at each draw, of the shape (chains, draws)."""
    flat = np.empty(at.shape[0] * at.shape[1])
    for piece in pieces(len(flat), max((1, *at.sizes.values()))):
        flat[piece] = at.values(piece).at(e)[:, 0]
    return flat.reshape(at.shape)


def sample_prior_predictive(
    draws: Sampled,
    posterior: Posterior,
    params: Mapping[Any, Any] | None = None,
    *,
    seed: int = 0,
    thin: int = 1,
) -> Sampled:
    """Return draws of the prior with the group prior_predictive: data drawn from the laws of the
    log likelihood, one for each row at each draw; and the group observed_data beside it.

    Args:
        draws: draws of the prior, ``sample(sampler, posterior.prior(), ...)``.
        posterior: the posterior, or its ``prior()``.
        params: the values of its parameters, by symbol or name.
        seed: of the random numbers.
        thin: every thin-th draw is taken.

    Raises:
        RecipeError: for draws of a posterior, and as ``sample_posterior_predictive``.
    """
    require_both("sample_prior_predictive", draws, posterior)
    whole = posterior if posterior.prior_of is None else posterior.prior_of
    require_known_laws(whole)
    at = thinned(draws, whole, params, thin)
    require_draws_of_prior(draws.attributes, at)
    return drawn_data(draws, at, "prior_predictive", seed, thin)
