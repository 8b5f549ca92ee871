"""``Diagnosis``: the diagnostics of a set of draws, coordinate by coordinate, with warnings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.system.finite_json import finite_only
from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing

PROVED = "proved"  # the attribute of draws that says what is proved of a printed rule
# fields of a row that make sense for chains that ran to their end
OF_CONVERGENCE = ("mcse_mean", "mcse_sd", "ess_bulk", "ess_tail", "r_hat")


class CoordinateDiagnostics(NamedTuple):
    """The diagnostics of one coordinate.

    ``r_hat`` is NaN for a single chain. Errors, effective sample sizes and ``r_hat`` are NaN for a
    coordinate that is the same in all draws, and where a chain diverged: such a run is broken, and
    no number of steps mends it.

    Attributes:
        coordinate: its name, such as ``theta[3]``.
        block: the name of its block.
        mean: the mean of the draws.
        sd: their standard deviation.
        q5: their quantile of 5 %.
        median: their median.
        q95: their quantile of 95 %.
        mcse_mean: the Monte Carlo standard error of the mean.
        mcse_sd: that of the standard deviation.
        ess_bulk: the effective sample size for the bulk of the law.
        ess_tail: that for its tails.
        r_hat: the rank-normalised split R-hat.
    """

    coordinate: str
    block: str
    mean: float
    sd: float
    q5: float
    median: float
    q95: float
    mcse_mean: float
    mcse_sd: float
    ess_bulk: float
    ess_tail: float
    r_hat: float

    @property
    def ess(self) -> float:
        """The smaller of the bulk and the tail effective sample size."""
        return min(self.ess_bulk, self.ess_tail)

    def numbers(self) -> dict[str, float]:
        """Return the numbers of the row by name, without the names of coordinate and block."""
        return dict(zip(self._fields[2:], self[2:], strict=True))

    def without_convergence(self) -> CoordinateDiagnostics:
        """Return the row with NaN for all numbers that say how far chains have converged."""
        return self._replace(
            mcse_mean=math.nan,
            mcse_sd=math.nan,
            ess_bulk=math.nan,
            ess_tail=math.nan,
            r_hat=math.nan,
        )


@dataclass(frozen=True, repr=False)
class Diagnosis:
    """Diagnostics of a set of draws, and warnings in words. At a prompt and in a notebook it shows
    itself as a table of at most 20 rows.

    Attributes:
        rows: one row for each coordinate, in the order of the blocks; no rows where there are fewer
            than four draws a chain.
        attributes: how the draws were made, as they were saved.
        chains: how many chains there are.
        draws: how many draws a chain has.
        diagnosed_chains: the numbers of the chains that the rows are computed from: the chains
            without a gap or, if there are none, all that have at least four draws.
        diagnosed_draws: how many draws of each of these chains.
        divergences: the sampler's sentence about each chain that stopped early.
        diverged: whether a chain stopped early, by the sampler or by its values.
        warnings: sentences, each with the number that raised it and what to do about it.
    """

    rows: tuple[CoordinateDiagnostics, ...]
    attributes: Mapping[str, Any]
    chains: int
    draws: int
    diagnosed_chains: tuple[Any, ...]
    diagnosed_draws: int
    divergences: tuple[str, ...]
    diverged: bool
    warnings: tuple[str, ...]

    def __repr__(self) -> str:
        # showing imports this file
        from codegen.results.diagnostics.shown import diagnosis_text

        return diagnosis_text(self)

    def _repr_html_(self) -> str:
        from codegen.results.diagnostics.shown import diagnosis_html

        return diagnosis_html(self)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return the numbers of each row, by coordinate and name: ``["theta[age]"]["mean"]``."""
        return {row.coordinate: row.numbers() for row in self.rows}

    def to_dataframe(self) -> Any:
        """Return the rows as ``pandas.DataFrame``, with the coordinates as its index.

        Raises:
            RecipeError: where pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise RecipeError(missing("to_dataframe()", "pandas")) from None
        return pandas.DataFrame.from_dict(self.to_dict(), orient="index")

    @property
    def seconds(self) -> float | None:
        """The seconds of sampling, without compilation; None if the draws do not say."""
        try:
            seconds = float(self.attributes["seconds"])
        except (KeyError, TypeError, ValueError):
            return None
        return seconds if 0 < seconds < math.inf else None

    @property
    def ess_per_second(self) -> tuple[float, float] | None:
        """The smallest and the median bulk effective sample size per second of sampling; None if
        the time, or every size, is unknown.
        """
        sizes = [row.ess_bulk for row in self.rows if math.isfinite(row.ess_bulk)]
        if self.seconds is None or not sizes:
            return None
        return min(sizes) / self.seconds, float(np.median(sizes)) / self.seconds

    @property
    def proved(self) -> str | None:
        """What is proved of the printed rule that made the draws; None where they do not say."""
        said = self.attributes.get(PROVED)
        return said if isinstance(said, str) and said else None

    def worst(self, count: int) -> list[CoordinateDiagnostics]:
        """Return the rows with the largest R-hat first; where it is equal or unknown, those with
        the smallest effective sample size first.

        Args:
            count: the largest number of rows to return.
        """
        return sorted(self.rows, key=lambda row: (-_or(row.r_hat, 0.0), _or(row.ess, math.inf)))[
            :count
        ]

    def as_json(self) -> dict[str, Any]:
        """Return the diagnosis as plain values for ``json.dumps``; a number that is not finite is
        None. Where ``r_hat`` is None, ``r_hat_missing`` says why: "infinite", where chains stand
        still at different places; "one chain"; "stopped", where a chain stopped early; or
        "constant", for what is the same in all draws.
        """
        speed = self.ess_per_second
        return finite_only(
            {
                "attributes": dict(self.attributes),
                "chains": self.chains,
                "draws": self.draws,
                "diagnosed": {"chains": list(self.diagnosed_chains), "draws": self.diagnosed_draws},
                "diverged": self.diverged,
                "seconds": self.seconds,
                "ess_per_second": (
                    None if speed is None else {"smallest": speed[0], "median": speed[1]}
                ),
                "warnings": list(self.warnings),
                "coordinates": [
                    {**row._asdict(), "r_hat_missing": self._why_no_r_hat(row)} for row in self.rows
                ],
            }
        )

    def _why_no_r_hat(self, row: CoordinateDiagnostics) -> str | None:
        """Return why a row has no finite R-hat; None where it has one."""
        if math.isfinite(row.r_hat):
            return None
        if math.isinf(row.r_hat):
            return "infinite"
        if self.diverged:
            return "stopped"
        return "one chain" if len(self.diagnosed_chains) < 2 else "constant"


def _or(value: float, other: float) -> float:
    return other if math.isnan(value) else value
