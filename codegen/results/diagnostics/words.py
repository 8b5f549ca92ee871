"""Warnings about draws, each with the number that raised it and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from codegen.results.diagnostics.convergence import MIN_DRAWS
from codegen.results.diagnostics.diagnosis import CoordinateDiagnostics
from codegen.results.diagnostics.disagreement import disagreements
from codegen.results.diagnostics.judged_draws import RunOfDraws

# Vehtari, Gelman, Simpson, Carpenter, Buerkner: Rank-normalization, folding, and localization,
# Bayesian Analysis 16 (2021).
LARGEST_R_HAT = 1.01
ESS_PER_CHAIN = 100
MAX_NAMED = 3  # coordinates in a warning
MAX_EXPLAINED = 100  # coordinates of a block whose disagreement is looked into
LEAST_ACCEPTANCE = 0.15  # random walks in many dimensions are best near 0.234


def stopped(
    run: RunOfDraws, finite: np.ndarray, chains: tuple[Any, ...], kept: int
) -> Iterator[str]:
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


def never_moved(stuck: Mapping[str, list[Any]], chains: int) -> Iterator[str]:
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


def too_few(kept: int, diverged: bool) -> Iterator[str]:
    """Yield the warning that there are too few draws to diagnose."""
    repair = "" if diverged else "; take more steps or keep more of them"
    yield (f"{kept} draws a chain are too few to diagnose, at least {MIN_DRAWS} are needed{repair}")


@dataclass(frozen=True)
class Apart:
    """Coordinates of one block on which chains disagree for one reason, the worst first."""

    cause: str
    example: str
    rows: list[CoordinateDiagnostics]


def disagrees(row: CoordinateDiagnostics) -> bool:
    """Whether the chains disagree on a coordinate, and one of them has moved at all."""
    return LARGEST_R_HAT < row.r_hat < np.inf


def apart_in(
    rows: list[CoordinateDiagnostics], values: np.ndarray, numbers: Sequence[Any]
) -> list[Apart]:
    """Return why chains disagree on coordinates that may have changed places: those of one block,
    or numbers that are blocks of their own.
    """
    bad = np.flatnonzero([disagrees(row) for row in rows])
    if not bad.size or len(values) < 2:
        return []
    bad = np.array(sorted(bad, key=lambda k: -rows[k].r_hat))
    # A block may be large: the reason is found for the worst coordinates, and the others share it.
    judged, rest = bad[:MAX_EXPLAINED], bad[MAX_EXPLAINED:]
    found = [
        Apart(d.cause, d.example, [rows[judged[k]] for k in d.coordinates])
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
    "narrow": (
        "the chains do not agree in {count}, R-hat above {limit}: {named}; more steps do not help"
        " before tests accept {narrow}"
    ),
}


def _disagreeing(apart: Sequence[Apart], coordinates: int, narrow: str | None) -> Iterator[str]:
    """Yield a warning for each reason why chains disagree."""
    for cause, remedy in REMEDIES.items():
        found = [a for a in apart if _cause(a, narrow) == cause]
        rows = sorted((row for a in found for row in a.rows), key=lambda row: -row.r_hat)
        if rows:
            named = _some([f"{row.coordinate} {row.r_hat:.3f}" for row in rows])
            worst = max(found, key=lambda a: a.rows[0].r_hat)
            count = f"{len(rows)} of {_count(coordinates, 'coordinate')}"
            yield remedy.format(
                count=count,
                limit=LARGEST_R_HAT,
                named=named,
                example=worst.example,
                narrow=narrow,
            )


def _cause(apart: Apart, narrow: str | None) -> str:
    """Return why chains disagree; a narrow place explains what steps alone do not."""
    return "narrow" if narrow is not None and apart.cause in ("slow", "moving") else apart.cause


def rejected(run: RunOfDraws) -> Iterator[str]:
    """Yield a warning where Metropolis tests reject, or accept, nearly everything."""
    rate = run.attributes.get("acceptance_rate")
    if isinstance(rate, float) and rate < LEAST_ACCEPTANCE:
        yield (
            f"the step size is too large: Metropolis tests accept {rate:.2g} of the proposals;"
            " divide it by 3, until between 0.5 and 0.9 are accepted"
        )


def badly_mixed(
    rows: Sequence[CoordinateDiagnostics],
    apart: Sequence[Apart],
    chains: int,
    draws: int,
    narrow: str | None = None,
) -> Iterator[str]:
    """Yield warnings about one chain alone, chains that disagree, and few effective draws.

    Args:
        rows: the coordinates.
        apart: why chains disagree.
        chains, draws: how many there are.
        narrow: the place at which Metropolis tests reject, in words; None where there is none.
    """
    if chains == 1:
        yield "there is 1 chain, so R-hat cannot say whether chains agree; run at least 4"
    yield from _disagreeing(apart, len(rows), narrow)
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
            f" {_more_draws(wanted / few[0].ess, apart, narrow)}"
        )


def _more_draws(factor: float, apart: Sequence[Apart], narrow: str | None) -> str:
    """Return what helps against few effective draws."""
    if narrow is not None:
        return f"more steps do not help before tests accept {narrow}"
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
