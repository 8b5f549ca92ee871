"""Predictions beside draws: what is asked for is checked before a run, and added after it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from codegen import (
    Draws,
    SavedDraws,
    compute_derived,
    compute_log_likelihood,
    compute_log_prior,
    read_draws,
    sample_posterior_predictive,
)
from codegen.inputs.options import SamplingOptions
from codegen.results.predictions import require_predictable
from recipe import Posterior, RecipeError
from recipe.language.symbols import name_of
from recipe_cli.sampling.read_posterior import read_posterior
from recipe_cli.sandbox.process_limits import Limits

Sampled = TypeVar("Sampled", Draws, SavedDraws)


@dataclass(frozen=True)
class Wanted:
    """The groups that a user asks for.

    Attributes:
        log_likelihood: the log likelihood of each row at each draw.
        posterior_predictive: new data at each draw.
        log_prior: the log prior at each draw, of saved draws.
        derived: the derived quantities at each draw, of saved draws.
    """

    log_likelihood: bool = False
    posterior_predictive: bool = False
    log_prior: bool = False
    derived: bool = False

    def check(self, law: Posterior, options: SamplingOptions) -> None:
        """Check before a run that what is asked for can be computed after it.

        Raises:
            RecipeError: where it cannot.
        """
        if not (self.log_likelihood or self.posterior_predictive):
            return
        for name in options.schedules.keys() & {name_of(s) for s in law.parameters}:
            raise RecipeError(
                f"predictions need one value of {name}, and it has a schedule; give a number"
            )
        kept = None if options.keep is None else set(map(str, options.keep))
        parts = {b.name: {s.name for s in b.blocks} for b in law.ordered}
        kept = kept and kept.union(*(parts.get(name, ()) for name in kept))
        missing = [b.name for b in law.blocks if kept is not None and b.name not in kept]
        if missing and kept != {"all"}:
            raise RecipeError(
                "predictions need the draws of every block of the posterior: add"
                f" {missing[0]} to --keep, or leave --keep out"
            )
        require_predictable(law, options.chains, options.draws, drawn=self.posterior_predictive)

    def added(self, draws: Draws, law: Posterior, options: SamplingOptions) -> Draws:
        """Return the draws with what is asked for; where it cannot be computed with a warning
        instead, as the draws are worth more.
        """
        try:
            return self.of(draws, law, options.numbers, options.seed)
        except RecipeError as error:
            return replace(draws, warnings=(*draws.warnings, f"no predictions: {error}"))

    def of(
        self,
        draws: Sampled,
        law: Posterior,
        params: Mapping[Any, Any] | None,
        seed: int,
        thin: int = 1,
    ) -> Sampled:
        """Return the draws with what is asked for.

        Raises:
            RecipeError: where it cannot be computed.
        """
        if self.log_likelihood:
            draws = compute_log_likelihood(draws, law, params, thin=thin)
        if self.posterior_predictive:
            draws = sample_posterior_predictive(draws, law, params, seed=seed, thin=thin)
        if self.log_prior:
            draws = compute_log_prior(draws, law, params, thin=thin)
        if self.derived:
            draws = compute_derived(draws, law, params, thin=thin)
        return draws


NOTHING_MORE = Wanted()


def predict_file(
    file: Path,
    posterior: str,
    output: Path,
    params: Mapping[str, float],
    wanted: Wanted,
    *,
    seed: int,
    thin: int,
) -> Path:
    """Read saved draws, and write them with predictions to another file.

    Returns:
        The path.

    Raises:
        RecipeError: for draws or a posterior that cannot be read or do not fit together.
    """
    law = read_posterior(posterior, Limits())
    return wanted.of(read_draws(file), law, params, seed, thin).save(output)
