"""What is reported beside the coordinates that a sampler moves: sums of gaps, probabilities, and
other functions of them. Their variances follow from those of the coordinates by the delta method.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from codegen.bias.step.step_map import StepMap
from codegen.inputs.preimages import map_values
from recipe.language.abstract import is_joint
from recipe.language.blocks import Block, Scalar
from recipe.language.symbols import name_of

MOST_NUMBERS = 300  # of one quantity: larger ones, such as those of every row, are not judged
MAX_BEND = 0.5  # of what is linear in a quantity, over one standard deviation

# from draws by name, of the shape (1, draws) or (1, draws, length), to those of other quantities
Quantities = Callable[[Mapping[str, np.ndarray], int], Mapping[str, np.ndarray]]


def slopes_of_reported(
    step: StepMap,
    judged: Sequence[Block],
    middle: np.ndarray,
    covariance: np.ndarray,
    quantities: Quantities,
) -> tuple[np.ndarray, list[str]]:
    """Return the derivatives of what is reported by the judged coordinates, shape (r, k), and the
    names of these numbers; those that are far from linear over a deviation are left out.

    Args:
        step: the step as a function.
        judged: the blocks of the judged coordinates.
        middle: the point at which derivatives are taken, shape (k,).
        covariance: that of deviations from it, shape (k, k); differences are one deviation wide.
        quantities: what else is reported, as a function of the draws of blocks.
    """
    sd = np.sqrt(np.diag(covariance))
    points = middle + np.vstack([np.zeros(len(sd)), np.diag(sd), -np.diag(sd)])
    named = {name_of(key): value for key, value in step.kernel.options.numbers.items()}
    draws, together = {}, {}
    for block in judged:
        part = step.recorded[step.kernel.module.plan.fields[block]]
        values = points[None, :, part.start - step.size : part.stop - step.size]
        if block.image is not None:
            values = map_values(block.forward, values, named)  # type: ignore[arg-type]
        name = (block.image or block).name
        draws[name] = values[..., 0] if isinstance(block, Scalar) else values
        if is_joint(block):  # other maps change no ratio of variances
            together[name] = draws[name]
    rows, names = [np.zeros((0, len(sd)))], []
    for name, found in {**together, **quantities(draws, MOST_NUMBERS)}.items():
        numbers = found.reshape(len(points), -1)
        near, ahead, back = numbers[0], *np.split(numbers[1:], 2)
        slopes = ((ahead - back) / (2.0 * sd[:, None])).T
        bends = np.linalg.norm((ahead + back) / 2.0 - near, axis=0)
        size = np.sqrt(np.einsum("ri,ij,rj->r", slopes, covariance, slopes))
        kept = (size > 0) & (bends <= MAX_BEND * size)  # neither is where a number is not finite
        labels = [name] if found.ndim == 2 else [f"{name}[{i}]" for i in range(len(kept))]
        rows.append(slopes[kept])
        names += [label for label, good in zip(labels, kept, strict=True) if good]
    return np.vstack(rows), names
