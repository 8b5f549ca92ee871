"""What a posterior says of its data at every draw: new data, and the log likelihood of each row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from sympy import Expr

from codegen.check_arguments import checked_integer, checked_mapping, short_text
from codegen.results.aligned import coordinate_names_in
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.draws import Draws
from codegen.results.law_of_draws import last_categories_in
from codegen.results.new_data import new_data
from codegen.results.quantities import AtDraws, at_draws, pieces, require_room_for
from codegen.results.require_law import require_draws_of_posterior
from codegen.results.saved_draws import SavedDraws
from recipe.declare.coordinate_names import Names
from recipe.declare.derived_quantities import require_name_of_draws
from recipe.declare.other_data import require_all_data, terms_without_law
from recipe.declare.posterior import Posterior
from recipe.language.errors import RecipeError
from recipe.language.symbols import generic, name_of

Sampled = TypeVar("Sampled", Draws, SavedDraws)


def compute_log_likelihood(
    draws: Sampled,
    posterior: Posterior,
    params: Mapping[Any, Any] | None = None,
    *,
    thin: int = 1,
) -> Sampled:
    """Return the draws with the group log_likelihood, the log likelihood of each row of the data at
    each draw, as ``arviz.loo`` takes it.

    Args:
        draws: the draws of all blocks of the posterior.
        posterior: the posterior that they are of, or its ``with_data``, with all data.
        params: the values of its parameters, by symbol or name.
        thin: every thin-th draw is taken.

    Raises:
        RecipeError: where the posterior has no ``log_likelihood``, there are no draws of one of its
            blocks, they are of another posterior or of a prior, a parameter has no value, or the
            numbers do not fit into memory.

    Example:
        >>> from catalog.posteriors.eight_schools import posterior
        >>> from catalog.sghmc import sghmc
        >>> from codegen import compute_log_likelihood, sample
        >>> how = {"step_size": 0.1, "params": {"C": 1}, "steps": 20, "progress": False}
        >>> draws = compute_log_likelihood(sample(sghmc, posterior, **how), posterior)
        >>> draws.predictions["log_likelihood"].sizes
        {'chain': 4, 'draw': 20, 'likelihood_dim': 8}
    """
    require_both("compute_log_likelihood", draws, posterior)
    if posterior.log_likelihood is None:
        raise RecipeError("this posterior has no log_likelihood to compute; give it one")
    _refuse_prior(posterior)
    require_all_data(posterior, "the log likelihood")
    at = thinned(draws, posterior, params, thin)
    require_draws_of_posterior(draws.attributes, at)
    found = _of_each_row(posterior.log_likelihood, at)
    return with_group(draws, "log_likelihood", {_name_of_data(posterior): found}, thin)


def require_both(called: str, draws: Any, posterior: Any) -> None:
    """Require draws and their posterior, in this order."""
    if isinstance(draws, Posterior):
        raise RecipeError(
            f"{called}(draws, posterior): the draws come first and their posterior second; swap"
            " them"
        )
    if not isinstance(draws, Draws | SavedDraws):
        raise RecipeError(
            f"{called}(draws, posterior): the draws are {short_text(draws)}; give those of"
            " sample(), or of a file by read_draws(path)"
        )
    if not isinstance(posterior, Posterior):
        raise RecipeError(
            f"{called}(draws, posterior): {short_text(posterior)} is no Posterior; give the one"
            " that the draws are of"
        )


def _of_each_row(log_likelihood: Expr, at: AtDraws) -> np.ndarray:
    """Return the log likelihood of each row, of the shape (chains, draws, rows)."""
    rows = at.rows
    require_room_for("log_likelihood", at.shape, rows)
    found = np.empty((*at.shape, rows))
    flat = found.reshape(-1, rows)
    for piece in pieces(len(flat), rows):
        flat[piece] = at.values(piece).at(log_likelihood)
    return found


def sample_posterior_predictive(
    draws: Sampled,
    posterior: Posterior,
    params: Mapping[Any, Any] | None = None,
    *,
    seed: int = 0,
    thin: int = 1,
) -> Sampled:
    """Return the draws with the group posterior_predictive: data drawn from the laws of the log
    likelihood, one for each row at each draw; and the group observed_data beside it.

    A law whose arguments are data, such as the value before in a series, is drawn given these.

    Args:
        draws: the draws of all blocks of the posterior.
        posterior: the posterior that they are of, or its ``with_data``; its log likelihood is a
            sum of laws by name.
        params: the values of its parameters, by symbol or name.
        seed: of the random numbers.
        thin: every thin-th draw is taken.

    Raises:
        RecipeError: where the log likelihood is no sum of laws by name, and as
            ``compute_log_likelihood``.
    """
    require_both("sample_posterior_predictive", draws, posterior)
    require_known_laws(posterior)
    at = thinned(draws, posterior, params, thin)
    require_draws_of_posterior(draws.attributes, at)
    return drawn_data(draws, at, "posterior_predictive", seed, thin)


def drawn_data(draws: Sampled, at: AtDraws, group: str, seed: int, thin: int) -> Sampled:
    """Return the draws with a group of data that are drawn from the laws of the log likelihood, and
    the group observed_data where there are data.
    """
    checked_integer("seed", seed, 0, 2**63 - 1)
    laws = at.posterior.laws
    found = {name_of(law.variable): new_data(law, at, seed, thin) for law in laws}
    new = with_group(draws, group, found, thin)
    observed = {
        name_of(law.variable): Variable(
            _dims(name_of(law.variable), at.arrays[law.variable].ndim),
            np.asarray(at.arrays[law.variable]),
        )
        for law in laws
        if law.variable in at.arrays
    }
    groups = {**new.predictions, "observed_data": Group(observed)} if observed else new.predictions
    return replace(new, predictions=groups)


def require_predictable(posterior: Posterior, chains: int, draws: int, *, drawn: bool) -> None:
    """Check before a run that its draws can be predicted from.

    Args:
        posterior: the posterior.
        chains, draws: the numbers of chains, and of draws of each.
        drawn: whether new data are to be drawn.

    Raises:
        RecipeError: as ``sample_posterior_predictive`` and ``compute_log_likelihood``.
    """
    if posterior.log_likelihood is None:
        raise RecipeError("this posterior has no log_likelihood to compute; give it one")
    _refuse_prior(posterior)
    require_all_data(posterior, "a run")
    if drawn:
        require_known_laws(posterior)
    rows = max((np.shape(a)[0] for a in posterior.given.values()), default=1)
    require_room_for("predictions", (chains, draws), rows)


def _refuse_prior(posterior: Posterior) -> None:
    """Refuse the ``prior()`` of a posterior, where its likelihood is needed."""
    if posterior.prior_of is not None:
        raise RecipeError(
            "prior() has no likelihood, so there is nothing to draw or compute of data; give the"
            " posterior that it is the prior of"
        )


def require_known_laws(posterior: Posterior) -> None:
    """Require that the log likelihood is a sum of laws by name.

    Raises:
        RecipeError: where there are none, or it has other terms in the data that they are of.
    """
    _refuse_prior(posterior)
    if not posterior.laws or posterior.log_likelihood is None:
        raise RecipeError(
            "the log likelihood is no law by name, so no data can be drawn from it; write it as"
            " normal(y, ...) or another law of recipe.laws, without a factor"
        )
    rest = terms_without_law(posterior)
    for law in posterior.laws:
        if any(generic(s) == law.variable for s in rest.free_symbols):
            raise RecipeError(
                f"the log likelihood has terms in {law.variable} beside {law.name}, so the law of"
                f" {law.variable} is not known; write all of it as one law"
            )


def thinned(
    draws: Any, posterior: Posterior, params: Mapping[Any, Any] | None, thin: int
) -> AtDraws:
    """Return every thin-th draw with the data of the posterior."""
    checked_integer("thin", thin, 1)
    group = draws.posterior_group()
    values = {n: v.values for n, v in group.variables.items()}
    names = coordinate_names_in(group)
    named = {name_of(k): v for k, v in checked_mapping("params", params).items()}
    last = last_categories_in(draws.attributes)
    return at_draws(posterior, {n: a[:, ::thin] for n, a in values.items()}, named, names, last)


def _name_of_data(posterior: Posterior) -> str:
    """The name of what the log likelihood is one of: the data of its only law."""
    variables = {name_of(law.variable) for law in posterior.laws}
    return variables.pop() if len(variables) == 1 else "likelihood"


def _dims(name: str, axes: int) -> tuple[str, ...]:
    return (f"{name}_dim", f"{name}_dim_2")[:axes]


def with_group(
    draws: Sampled,
    group: str,
    arrays: Mapping[str, np.ndarray],
    step: int,
    names: Mapping[str, Names] = MappingProxyType({}),
) -> Sampled:
    """Return the draws with a further group; ``names`` are those of the coordinates of arrays."""
    return replace(draws, predictions={**draws.predictions, group: _group(arrays, step, names)})


def _group(arrays: Mapping[str, np.ndarray], step: int, names: Mapping[str, Names]) -> Group:
    """Return arrays by chain, draw and row as a group, whose draws have the numbers that they have
    among all draws.
    """
    for name in arrays:
        require_name_of_draws(name, "the data symbol")
    variables = {
        name: Variable(("chain", "draw", *_dims(name, a.ndim - 2)), a) for name, a in arrays.items()
    }
    sizes = Group(variables).sizes
    points = {dim: Variable((dim,), np.arange(size)) for dim, size in sizes.items()}
    points["draw"] = Variable(("draw",), step * np.arange(sizes["draw"]))
    for name, named in names.items():
        dim = variables[name].dims[2]
        points[dim] = Variable((dim,), np.array(named, dtype=object))
    return Group(variables, points)
