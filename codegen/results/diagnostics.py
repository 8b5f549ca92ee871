"""Diagnostics before draws are used: how far the chains agree, and how many independent draws they
are worth.

This file chooses the draws that can be judged, and explains in words the numbers that
``convergence`` finds.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from codegen.results.convergence import MIN_DRAWS, convergence
from codegen.results.disagreement import disagreements
from codegen.results.groups import Group
from codegen.running.memory_needed import require_room_to_diagnose
from recipe.language.errors import RecipeError
from recipe_sampler.extras import missing

# Vehtari, Gelman, Simpson, Carpenter, Buerkner: Rank-normalization, folding, and localization,
# Bayesian Analysis 16 (2021).
LARGEST_R_HAT = 1.01
ESS_PER_CHAIN = 100
MAX_NAMED = 3  # coordinates in a warning
MAX_EXPLAINED = 100  # coordinates of a block whose disagreement is looked into
LEAST_ACCEPTANCE = 0.15  # random walks in many dimensions are best near 0.234


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
        from codegen.results.shown import diagnosis_text

        return diagnosis_text(self)

    def _repr_html_(self) -> str:
        from codegen.results.shown import diagnosis_html

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
        None.
        """
        speed = self.ess_per_second
        return _finite_only(
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
                "coordinates": [row._asdict() for row in self.rows],
            }
        )


def diagnosis_of(posterior: Group) -> Diagnosis:
    """Diagnose the draws of a group: convergence and effective sample size of each coordinate, and
    warnings.

    A chain that stopped early is left out, as its last draws before the end are not to be trusted.

    Args:
        posterior: variables of numbers with the dimensions chain and draw.

    Raises:
        RecipeError: where a variable is not numbers by chain and draw.
    """
    blocks, run = _blocks(posterior), _run(posterior)
    require_room_to_diagnose(len(run.numbers), run.draws)
    finite = _finite_draws(blocks, len(run.numbers), run.draws)
    positions, kept = _usable(finite, run.draws)
    rows: list[CoordinateDiagnostics] = []
    apart: list[_Apart] = []
    stuck: dict[str, list[Any]] = {}
    if kept >= MIN_DRAWS:
        for block in blocks:
            values = block.chosen(positions, kept)
            of_block = _rows(block, values)
            rows += of_block
            apart += _apart(block, of_block, values, [run.numbers[p] for p in positions])
            still = values.min(axis=1) == values.max(axis=1)
            stuck |= {
                block.labels[k]: [run.numbers[positions[c]] for c in np.flatnonzero(still[:, k])]
                for k in np.flatnonzero(still.any(axis=0))
            }
    chains = tuple(run.numbers[p] for p in positions)
    divergences = tuple(
        filter(None, re.split(r"; (?=chain \d)", str(run.attributes.get("divergences", ""))))
    )
    diverged = bool(divergences) or bool((finite < run.draws).any())
    said = [
        *divergences,
        *_stopped(run, finite, chains, kept),
        *sentences(run.attributes.get("warnings", "")),
        *_stuck(stuck, len(positions)),
    ]
    said += _acceptance(run)
    if kept < MIN_DRAWS:
        said += _too_few(kept, diverged)
    elif diverged:
        rows = [row.without_convergence() for row in rows]
    else:
        said += _mixing(rows, apart, len(chains), kept)
    return Diagnosis(
        tuple(rows),
        run.attributes,
        len(run.numbers),
        run.draws,
        chains,
        kept,
        divergences,
        diverged,
        tuple(said),
    )


def diagnosed_draws(
    posterior: Group, found: Diagnosis, labels: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the draws behind the rows of some coordinates: for each label, in the order of
    ``labels``, an array of the shape (diagnosed chains, diagnosed draws).
    """
    wanted = set(labels)
    numbers = _run(posterior).numbers
    positions = np.array([numbers.index(c) for c in found.diagnosed_chains])
    draws = {
        label: block.chosen(positions, found.diagnosed_draws)[:, :, k]
        for block in _blocks(posterior)
        for k, label in enumerate(block.labels)
        if label in wanted
    }
    return {label: draws[label] for label in labels}


@dataclass(frozen=True)
class _Run:
    """The chains, the number of draws and the attributes of the posterior group."""

    numbers: list[Any]
    draws: int
    attributes: Mapping[str, Any]


@dataclass(frozen=True)
class _Block:
    """The draws of one block, of the shape (chains, draws, coordinates)."""

    name: str
    labels: list[str]
    values: np.ndarray

    def chosen(self, positions: np.ndarray, kept: int) -> np.ndarray:
        """Return the first draws of some chains, as a view where all chains are chosen, as draws
        may fill the memory.
        """
        whole = len(positions) == len(self.values)
        return (self.values if whole else self.values[positions])[:, :kept]


def _run(posterior: Group) -> _Run:
    numbers = posterior.points("chain")
    if len(set(numbers)) < len(numbers):  # runs that were joined
        numbers = list(range(len(numbers)))
    attributes = {str(k): _plain(v) for k, v in posterior.attributes.items()}
    return _Run(numbers, posterior.sizes["draw"], attributes)


def _blocks(posterior: Group) -> list[_Block]:
    """Return the draws of each variable of the posterior group, with the names of its
    coordinates.
    """
    blocks = []
    for name, variable in posterior.variables.items():
        dims = variable.dims
        if not {"chain", "draw"} <= set(dims) or variable.values.dtype.kind not in "fiub":
            raise RecipeError(
                f"{name} in the posterior group is not numbers by chain and draw; leave it out"
            )
        others = [d for d in dims if d not in ("chain", "draw")]
        labels = [
            f"{name}[{', '.join(map(str, c))}]" if c else name
            for c in itertools.product(*map(posterior.points, others))
        ]
        ordered = variable.values.transpose([dims.index(d) for d in ("chain", "draw", *others)])
        values = ordered.astype(np.float64, copy=False)
        blocks.append(_Block(name, labels, values.reshape(*values.shape[:2], len(labels))))
    if not any(block.labels for block in blocks):
        raise RecipeError("the posterior group holds no variable; keep a block when you sample")
    return blocks


def _finite_draws(blocks: Sequence[_Block], chains: int, draws: int) -> np.ndarray:
    """Return how many draws each chain has before the first that is not finite in some
    coordinate.
    """
    good = np.ones((chains, draws + 1), dtype=bool)
    good[:, -1] = False
    for block in blocks:
        good[:, :-1] &= np.isfinite(block.values).all(axis=2)
    return np.argmin(good, axis=1)


def _usable(finite: np.ndarray, draws: int) -> tuple[np.ndarray, int]:
    """Return the chains (by position) and the number of draws to judge.

    A chain that diverged is left out, and not cut: its last draws before the end are on their way
    out.
    """
    whole = np.flatnonzero(finite == draws)
    if whole.size:
        return whole, draws
    started = np.flatnonzero(finite >= MIN_DRAWS)
    return started, int(finite[started].min()) if started.size else 0


def _rows(block: _Block, values: np.ndarray) -> list[CoordinateDiagnostics]:
    """Return the rows of a block."""
    found = convergence(values)
    columns = {name: np.array(getattr(found, name)) for name in CoordinateDiagnostics._fields[2:]}
    constant = values.min(axis=(0, 1)) == values.max(axis=(0, 1))
    for name in OF_CONVERGENCE:
        columns[name][constant] = np.nan  # a constant is not as many good draws as there are
    return [
        CoordinateDiagnostics(label, block.name, *numbers)
        for label, *numbers in zip(
            block.labels, *(column.tolist() for column in columns.values()), strict=True
        )
    ]


def _stopped(run: _Run, finite: np.ndarray, chains: tuple[Any, ...], kept: int) -> Iterator[str]:
    """Yield warnings about chains that stopped, and about an interrupted run."""
    short = [f"chain {run.numbers[c]} has {finite[c]}" for c in np.flatnonzero(finite < run.draws)]
    if short and kept < run.draws:
        basis = f"the first {kept} draws of {_chains(chains)}" if chains else "none"
        yield (
            f"no chain is finite to its end ({_some(short)} of {run.draws} draws): the diagnostics"
            f" are of {basis}; sample again"
        )
    elif short:
        yield (
            f"the diagnostics leave out {len(short)} of {len(finite)} chains, and are of"
            f" {_chains(chains)}: {_some(short)} finite draws of {run.draws}; find out what stopped"
            " them, and sample again"
        )
    if run.attributes.get("interrupted") not in (None, 0, "0", ""):
        yield (
            f"the run was interrupted after {run.draws} draws a chain; run it to its end for all of"
            " them"
        )


def sentences(saved: Any) -> tuple[str, ...]:
    """Return the warnings of a run from the attribute of the file, which has one a line."""
    return tuple(line.strip() for line in str(saved).splitlines() if line.strip())


def _stuck(stuck: Mapping[str, list[Any]], chains: int) -> Iterator[str]:
    """Yield a warning about coordinates that never moved."""
    if stuck:
        named = [
            f"{label} in {'every chain' if len(c) == chains else _chains(tuple(c))}"
            for label, c in stuck.items()
        ]
        yield (
            f"{_count(len(stuck), 'coordinate')} never moved: {_some(named)}; the step size is too"
            " large, so that every step is rejected, or the first values lie where nothing can move"
        )


def _too_few(kept: int, diverged: bool) -> Iterator[str]:
    repair = "" if diverged else "; take more steps or keep more of them"
    yield (f"{kept} draws a chain are too few to diagnose, at least {MIN_DRAWS} are needed{repair}")


@dataclass(frozen=True)
class _Apart:
    """Coordinates of one block on which chains disagree for one reason, the worst first."""

    cause: str
    example: str
    rows: list[CoordinateDiagnostics]


def _apart(
    block: _Block, rows: list[CoordinateDiagnostics], values: np.ndarray, numbers: list[Any]
) -> list[_Apart]:
    """Return why chains disagree on a block."""
    bad = np.flatnonzero([row.r_hat > LARGEST_R_HAT for row in rows])
    if not bad.size or len(values) < 2:
        return []
    bad = np.array(sorted(bad, key=lambda k: -rows[k].r_hat))
    # A block may be large: the reason is found for the worst coordinates, and the others share it.
    judged, rest = bad[:MAX_EXPLAINED], bad[MAX_EXPLAINED:]
    found = [
        _Apart(d.cause, d.example, [rows[judged[k]] for k in d.coordinates])
        for d in disagreements(values[:, :, judged], numbers)
    ]
    found[0].rows.extend(rows[k] for k in rest)
    return found


# What each reason for a large R-hat asks for. ``{named}`` are the coordinates, ``{example}`` says
# where the chains are in the worst of them.
REMEDIES = {
    "labels": (
        "the chains agree up to the order of coordinates in {count}, so labels are switched"
        " ({named}; {example}): more steps do not change that; judge quantities that do not"
        " depend on the order, or start all chains in one order (initial=)"
    ),
    "sign": (
        "the chains agree up to the sign in {count} ({named}; {example}): the model does not tell"
        " the signs apart, and more steps do not change that; judge absolute values, or fix a sign"
        " by the prior or by domain="
    ),
    "modes": (
        "the chains sit in different modes in {count} ({named}; {example}), and none goes from one"
        " to the other: more steps will hardly help; find out which mode is real, start all chains"
        " there (initial=), or cross between modes with a cyclical step size"
    ),
    "moving": (
        "the chains are still on their way in {count} ({named}; {example}): what they passed is no"
        " draw of the law; take a longer warm-up and more steps, or start nearer (initial=)"
    ),
    "slow": (
        "the chains do not agree yet in {count}, R-hat above {limit}: {named}; take more steps or a"
        " longer warm-up, and look at the traces"
    ),
}


def _disagreeing(apart: Sequence[_Apart], coordinates: int) -> Iterator[str]:
    """Yield a warning for each reason why chains disagree."""
    for cause, remedy in REMEDIES.items():
        found = [a for a in apart if a.cause == cause]
        rows = sorted((row for a in found for row in a.rows), key=lambda row: -row.r_hat)
        if rows:
            named = _some([f"{row.coordinate} {row.r_hat:.3f}" for row in rows])
            worst = max(found, key=lambda a: a.rows[0].r_hat)
            count = f"{len(rows)} of {_count(coordinates, 'coordinate')}"
            yield remedy.format(
                count=count, limit=LARGEST_R_HAT, named=named, example=worst.example
            )


def _acceptance(run: _Run) -> Iterator[str]:
    """Yield a warning where Metropolis tests reject, or accept, nearly everything."""
    rate = run.attributes.get("acceptance_rate")
    if isinstance(rate, float) and rate < LEAST_ACCEPTANCE:
        yield (
            f"the step size is too large: Metropolis tests accept {rate:.2g} of the proposals;"
            " divide it by 3, until between 0.5 and 0.9 are accepted"
        )


def _mixing(
    rows: Sequence[CoordinateDiagnostics], apart: Sequence[_Apart], chains: int, draws: int
) -> Iterator[str]:
    """Yield warnings about one chain alone, chains that disagree, and few effective draws."""
    if chains == 1:
        yield "there is 1 chain, so R-hat cannot say whether chains agree; run at least 4"
    yield from _disagreeing(apart, len(rows))
    wanted = ESS_PER_CHAIN * chains
    few = sorted((row for row in rows if row.ess < wanted), key=lambda row: row.ess)
    if few and draws < ESS_PER_CHAIN:
        yield (
            f"{draws} draws a chain are too few to judge anything by, whatever the sampler: at"
            f" least {ESS_PER_CHAIN} effective ones are wanted of each; take more steps, or keep"
            " more of them (thin=)"
        )
    elif few:
        named = _some([f"{row.coordinate} {row.ess:.0f}" for row in few])
        yield (
            f"too few effective draws in {len(few)} of {_count(len(rows), 'coordinate')}, bulk or"
            f" tail below {wanted} ({ESS_PER_CHAIN} a chain): {named};"
            f" {_more_draws(wanted / few[0].ess, apart)}"
        )


def _more_draws(factor: float, apart: Sequence[_Apart]) -> str:
    """Return what helps against few effective draws."""
    if any(a.cause in ("labels", "sign", "modes") for a in apart):
        return "more steps do not help before the chains agree"
    return f"take about {_times(factor)} times the steps"


def _times(factor: float) -> str:
    return f"{math.ceil(10 * factor) / 10:.1f}" if factor < 10 else f"{math.ceil(factor)}"


def _some(items: Sequence[str]) -> str:
    """Return the first items of a list that begins with the worst, and how many more there are."""
    more = f" and {len(items) - MAX_NAMED} more" if len(items) > MAX_NAMED else ""
    return ", ".join(items[:MAX_NAMED]) + more


def _chains(numbers: tuple[Any, ...]) -> str:
    return f"chain{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _or(value: float, other: float) -> float:
    return other if math.isnan(value) else value


def _plain(value: Any) -> Any:
    """Return an attribute, as netCDF gives it back, as plain Python."""
    if isinstance(value, np.ndarray | np.generic):
        return _plain(value.tolist())
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _finite_only(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _finite_only(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_finite_only(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
