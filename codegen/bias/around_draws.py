"""Where the draws of a run are, and whether a law near one point can be theirs: a prediction from a
linear step holds near one mode, away from the edges of the domain.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from codegen.bias.linear.compare import Bias, Law
from codegen.bias.linear.linearise import Linear
from codegen.bias.step.step_map import StepMap
from codegen.bias.step.unpredictable import UnpredictableError
from codegen.inputs.options import SamplingOptions
from codegen.inputs.preimages import map_values
from codegen.running.chains import Chain
from codegen.running.compiled import Compiled
from recipe.language.domain import finite_ends, on_simplex
from recipe.language.symbols import name_of

MAX_DRAWS = 2000  # of each chain that are looked at
MAX_DISTANCE = 8.0  # of the means of two chains, in standard deviations within chains
MIN_DRAWS = 20  # of a chain, for its standard deviation to say anything
NEAR_EDGE = 4.0  # standard deviations
MAX_WIDTH, MAX_OFFSET = 1.5, 3.0  # of the draws, against the predicted law and its sd
MIN_WIDTH = 0.75  # of the draws, against the target, where noise makes them wider
HUGE = 1e12  # a state that is so large has no digits left for differences


@dataclass(frozen=True, eq=False)
class Around:
    """Where the draws are.

    Attributes:
        start: a point in their middle, shape (n,).
        scale: the order of magnitude of deviations from it, shape (n,).
        means: the means of each chain, of the coordinates that are judged, shape (chains, k).
        within: the standard deviations within chains, shape (k,).
        sd: the standard deviations over all chains, shape (k,).
        draws: the number of draws of a chain.
        sample: some draws of all chains, shape (count, k); None where blocks are not kept.
    """

    start: np.ndarray
    scale: np.ndarray
    means: np.ndarray
    within: np.ndarray
    sd: np.ndarray
    draws: int
    sample: np.ndarray | None


def where_draws_are(step: StepMap, chains: Sequence[Chain], options: SamplingOptions) -> Around:
    """Return where the draws of these chains are."""
    last = np.array([step.pack(c.state) for c in chains])
    start, scale = last.mean(axis=0), last.std(axis=0)
    means, squares, within, count = [], [], [], 0
    sample: list[np.ndarray] = []
    whole = True
    for name in step.recorded:
        draws = [_some(getattr(c.draws, name)[: options.draws_after(c.done)]) for c in chains]
        if name in step.images:
            draws = [_of_block(step, name, d) for d in draws]
        if not all(d.shape[0] and np.isfinite(d).all() for d in draws):
            whole = False  # the block is not kept, or its image has left the range of numbers
            draws = [last[:, step.fields[name]][[n]] for n in range(len(chains))]
        count = min([d.shape[0] for d in draws] + ([count] if sample else []))
        means.append(np.array([d.mean(axis=0) for d in draws]))
        within.append(np.sqrt(np.mean([d.var(axis=0) for d in draws], axis=0)))
        squares.append(np.concatenate(draws).std(axis=0))
        sample.append(np.array([d[: min(len(d) for d in draws)] for d in draws]))
        own = step.fields[name]
        start[own] = means[-1].mean(axis=0)
        scale[own] = squares[-1]
    scale = np.where(scale > 0, scale, 1e-3 * (1.0 + np.abs(start)))
    if not np.isfinite(start).all() or np.max(np.abs(start)) > HUGE:
        raise UnpredictableError("its states are too large for differences to have digits")
    return Around(
        start,
        scale,
        np.hstack(means),
        np.concatenate(within),
        np.concatenate(squares),
        count,
        np.concatenate(np.dstack(sample)) if whole and count >= MIN_DRAWS else None,
    )


def _of_block(step: StepMap, name: str, draws: np.ndarray) -> np.ndarray:
    """Return the values of a block whose image has these draws, shape (draws, length)."""
    kernel = step.kernel
    block = next(b for b, f in kernel.module.plan.fields.items() if f == name)
    assert block.inverse is not None
    named = {name_of(key): value for key, value in kernel.options.numbers.items()}
    return map_values(block.inverse, draws, named)


def _some(draws: np.ndarray) -> np.ndarray:
    """Return at most ``MAX_DRAWS`` draws of a chain, evenly spaced."""
    return draws[:: max(1, -(-draws.shape[0] // MAX_DRAWS))]


def require_one_place(around: Around, labels: Sequence[str]) -> None:
    """Require that the chains are in one place.

    Raises:
        UnpredictableError: where the means of two chains are far apart.
    """
    if around.draws < MIN_DRAWS:
        return
    apart = around.means.max(axis=0) - around.means.min(axis=0)
    far = apart / np.maximum(around.within, 1e-300)
    worst = int(np.argmax(far))
    if apart[worst] > 0 and far[worst] > MAX_DISTANCE:
        raise UnpredictableError(
            f"chains end in different places, {_times(far[worst])} their own standard deviation"
            f" apart in {labels[worst]}: there are several modes, or the chains have not arrived"
        )


def require_distance_from_edges(
    kernel: Compiled, step: StepMap, point: np.ndarray, target: Law
) -> None:
    """Require that the law has no edge of the domain within some standard deviations.

    Raises:
        UnpredictableError: where an edge is nearer.
    """
    _require_far_edges(kernel, step, point, np.sqrt(np.maximum(np.diag(target.points), 0.0)))


def require_edges_far_from_draws(kernel: Compiled, step: StepMap, around: Around) -> None:
    """Require that the draws have no edge of the domain within some standard deviations of their
    middle.

    Raises:
        UnpredictableError: where an edge is nearer.
    """
    _require_far_edges(kernel, step, around.start, around.scale)


def _require_far_edges(kernel: Compiled, step: StepMap, point: np.ndarray, sd: np.ndarray) -> None:
    plan = kernel.module.plan
    for block in plan.state:
        if plan.fields[block] not in step.fields:  # a thermostat that is held
            continue
        part = step.fields[plan.fields[block]]
        if on_simplex(block):
            raise UnpredictableError(f"{block.name} is on a simplex, whose edges are near")
        for end in finite_ends(block.domain):
            if np.any(end.inward * (point[part] - float(end.at)) < NEAR_EDGE * sd[part]):
                raise UnpredictableError(
                    f"the edge {end.at} of the domain of {block.name} is within {NEAR_EDGE:g}"
                    " standard deviations of the mode"
                )


def require_draws_of_this_law(
    around: Around, labels: Sequence[str], law: Law, here: Linear, bias: Bias, target: Law
) -> None:
    """Require that the draws are where the law is that is predicted, and about as wide.

    Raises:
        UnpredictableError: where they are not.
    """
    if around.draws < MIN_DRAWS:
        return
    sd = np.sqrt(np.diag(law.draws))
    wide = around.sd / sd
    shift = bias.shift[: len(sd)]
    mean = here.moved[here.point.size :] + shift * np.sqrt(np.diag(target.draws))
    off = np.abs(around.means.mean(axis=0) - mean) / sd
    worst, farthest = int(np.argmax(wide)), int(np.argmax(off))
    if wide[worst] > MAX_WIDTH:
        raise UnpredictableError(
            f"the draws are {_times(wide[worst])} as wide in {labels[worst]} as the law near the"
            " mode that was found: there are several modes, or the law is far from a normal one"
        )
    if off[farthest] > MAX_OFFSET:
        raise UnpredictableError(
            f"the draws are {off[farthest]:.1f} standard deviations away from the mode that was"
            f" found in {labels[farthest]}: the chains have not arrived, or the law is far from a"
            " normal one"
        )


def require_draws_as_wide(around: Around, labels: Sequence[str], bias: Bias, target: Law) -> None:
    """Require that the draws show a law that is predicted to be far wider than its target.

    Where the target, which comes from near the mode, is not the law of the posterior, the draws are
    narrower than such a prediction, and wider than the target where it says nothing.

    Raises:
        UnpredictableError: where they do not.
    """
    if around.draws < MIN_DRAWS:
        return
    wide = around.sd / np.sqrt(np.diag(target.draws))
    predicted = np.where(np.isfinite(bias.sd), bias.sd, np.inf)[: len(wide)]
    worst = int(np.argmax(predicted))
    far = int(np.argmax(np.abs(np.log(np.maximum(wide, 1e-300)))))
    if np.max(wide) < MAX_WIDTH:
        raise UnpredictableError(
            f"the draws are only {_times(wide[far])} as wide in {labels[far]} as the law near the"
            " mode that was found, which minibatches would make more than twice as wide: the law is"
            " far from a normal one, or the chains are too short"
        )
    shown = np.max(wide) if np.isinf(predicted[worst]) else wide[worst]
    if shown < MAX_WIDTH or np.min(wide) < MIN_WIDTH:
        raise UnpredictableError(
            f"the draws are {_times(wide[far])} as wide in {labels[far]} as the law near the mode"
            " that was found, which the noise of minibatches does not explain: there are several"
            " modes, or the law is far from a normal one"
        )


def _times(factor: float) -> str:
    return f"{factor:.2g} x"
