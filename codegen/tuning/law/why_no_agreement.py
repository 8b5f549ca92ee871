"""Why a pilot run cannot be trusted, in one sentence with what to do: the reason that it shows, and
not a list of all that there might be.
"""

from __future__ import annotations

import numpy as np

from codegen.results.diagnostics.convergence import convergence
from codegen.results.diagnostics.disagreement import Disagreement, disagreements
from codegen.tuning.law.pilot import AGREE, MAX_UNSTABLE, Pilot
from codegen.tuning.law.target import Target

RAN_AWAY = 1e12  # no coordinate of a usable parametrisation is so large
RAN_AWAY_LOG = 50.0  # nor any logarithm of a scale
FAR = 10.0  # standard deviations along a ridge, at which the density is the same
NEAR = 0.1  # of a whole number, that the widest direction may be off from the draws
SAME = 1e-3  # of U along a ridge, where FAR changes it by 50 in a normal law; sums are rounded
MAX_NAMED = 4  # coordinates of a ridge
OWN_STEP = "or give a step size of your own and compare long runs from different starts"


def why_no_agreement(target: Target, pilot: Pilot) -> str | None:
    """Return the sentence; None where the pilot can be trusted.

    Args:
        target: the law.
        pilot: its pilot run.
    """
    largest = np.abs(pilot.draws).max(axis=(0, 1))
    if not largest.max() < RAN_AWAY:
        name = target.labels[int(np.argmax(np.where(np.isfinite(largest), largest, np.inf)))]
        return (
            f"the pilot run has reached {largest.max():.0e}, where no posterior is: the density has"
            f" no finite integral in {name}; give it a prior, or correct the log likelihood"
        )
    if not pilot.agrees:
        return _ridge(target, pilot) or _edge(target, pilot) or _apart(target, pilot)
    if pilot.unstable > MAX_UNSTABLE:
        return (
            f"{pilot.unstable:.1%} of the trajectories of the pilot run are unstable at an"
            f" acceptance rate of {pilot.rate:.0%}: the law has a narrow place that no one step"
            " size reaches, as centred hierarchical models have; write the model in its"
            " non-centred form (eta ~ N(0, 1) and mu + tau*eta), or bound the scale away from 0 by"
            " its prior"
        )
    return None


def _ridge(target: Target, pilot: Pilot) -> str | None:
    """Return the sentence about a sum or difference of coordinates that nothing else depends on:
    the density is the same where one grows as another falls.
    """
    covariance = pilot.covariance
    if not np.isfinite(covariance).all():
        return None
    lengths, directions = np.linalg.eigh(covariance)
    along = directions[:, -1] / np.abs(directions[:, -1]).max()
    whole = np.round(along)
    if np.abs(along - whole).max() > NEAR:
        return None
    step = FAR * np.sqrt(max(lengths[-1], 0.0)) * whole
    for z in pilot.last:
        here = target(z)[0]
        there = [target(z + sign * step)[0] for sign in (-1, 1)]
        if not np.allclose(there, here, rtol=0, atol=SAME):
            return None
    named = [target.labels[k] for k in np.flatnonzero(whole)]
    if len(named) == 1:
        return f"the density does not depend on {named[0]}; give it a prior, or leave it out"
    return (
        f"the density is the same along a line in {_listed(named)}, which stand only in a sum or a"
        " difference: it has no finite integral; give one of them a prior, or leave it out"
    )


def _edge(target: Target, pilot: Pilot) -> str | None:
    """Return the sentence about a scale that goes to 0 or to infinity."""
    scales = np.flatnonzero(target.are_scales)
    if scales.size:
        logs = pilot.draws[:, :, scales]
        k = int(np.argmax(np.abs(logs).max(axis=(0, 1))))
        if np.abs(logs[..., k]).max() > RAN_AWAY_LOG:
            name = target.labels[scales[k]]
            end = "infinity" if np.abs(logs[..., k].max()) > np.abs(logs[..., k].min()) else "0"
            return (
                f"{name} goes to {end} in the pilot run (to e^{_extreme(logs[..., k]):.0f}):"
                f" perhaps the density has no finite integral there; give {name} a prior with a"
                " finite integral"
            )
    return None if pilot.spike is None else pilot.spike.sentence


def _apart(target: Target, pilot: Pilot) -> str:
    """Return the sentence about chains that are in different places, or still on their way."""
    r_hat = convergence(pilot.draws).r_hat
    bad = np.flatnonzero(np.where(np.isfinite(r_hat), r_hat, np.inf) > AGREE)
    bad = np.array(sorted(bad, key=lambda k: -r_hat[k]), dtype=int)
    first = f"the chains of the pilot run do not agree (R-hat {pilot.r_hat:.2f} in {pilot.worst})"
    if not bad.size:
        return f"{first}; {OWN_STEP}"
    chains = list(range(len(pilot.draws)))
    found = disagreements(pilot.draws[:, :, bad], chains)
    order = ("labels", "sign", "modes", "moving", "slow")
    worst = min(found, key=lambda d: order.index(d.cause))
    k = bad[worst.coordinates[0]]
    name = f"log({target.labels[k]})" if target.are_scales[k] else target.labels[k]
    return f"{first}: {_reason(worst, name)}; {OWN_STEP}"


def _reason(found: Disagreement, name: str) -> str:
    where = f" in {name} ({found.example})" if found.example else ""
    return {
        "labels": f"the posterior has several modes, as labels are switched{where}; order what"
        " can be exchanged (Ordered)",
        "sign": f"the posterior has several modes, as it leaves the sign open{where}; fix it by the"
        " prior or by domain=",
        "modes": f"the posterior has several modes{where}; write the model so that it has one",
        "moving": f"the chains are still on their way{where}, along a shape that no scale of the"
        " coordinates fits; write the model in other coordinates, or start nearer (initial=)",
        "slow": f"the chains move too slowly in {name}, along a shape that no scale of the"
        " coordinates fits; write the model in other coordinates, such as the non-centred form of"
        " a hierarchy",
    }[found.cause]


def _extreme(values: np.ndarray) -> float:
    return float(values.flat[int(np.argmax(np.abs(values)))])


def _listed(names: list[str]) -> str:
    shown = names if len(names) <= MAX_NAMED else [*names[: MAX_NAMED - 1], "others"]
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
