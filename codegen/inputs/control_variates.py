"""Control variates: the mode of a posterior, and the gradient of all of the data there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.inputs.compiled_posterior import Density
from codegen.inputs.initial_states import given_blocks
from codegen.inputs.lengths import Lengths
from codegen.inputs.user_gradient import call_user_gradient
from codegen.printing.estimator import Estimator
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from recipe.language.errors import RecipeError
from recipe.language.symbols import Block, name_of

MAX_ROWS_AT_ONCE = 2**16  # rows that a gradient of the user is asked for at once

ARGUMENT = "control_variates"

Mode = dict[Block, np.ndarray]


def find_modes(
    estimators: Mapping[Potential, Estimator],
    given: Any,
    densities: Mapping[Potential, Density],
    lengths: Lengths,
) -> dict[Potential, Mode]:
    """The mode of every posterior: as it is given, or searched for in its density.

    Raises:
        RecipeError: where the search fails, or there is no log likelihood to search with.
    """
    modes = {}
    known = {b.name for U in estimators for b in U.blocks}
    unknown = [
        name_of(k) for k in (given if isinstance(given, Mapping) else ()) if name_of(k) not in known
    ]
    if unknown:
        raise RecipeError(
            f"control_variates= names {unknown[0]}, which is no block of a posterior; those are"
            f" {', '.join(sorted(known))}"
        )
    for U in estimators:
        if isinstance(given, Mapping):
            blocks = given_blocks(
                {k: v for k, v in given.items() if name_of(k) in map(str, U.blocks)},
                U.blocks,
                1,
                lengths,
                ARGUMENT,
            )
            missing = [b for b in U.blocks if b not in blocks]
            if missing:
                raise RecipeError(
                    f"control_variates= has no value for {missing[0]}; give the mode of every block"
                    f" of {U}"
                )
            modes[U] = {b: np.array(blocks[b][0]) for b in U.blocks}
        elif U not in densities:
            raise RecipeError(
                f"the mode of {U} cannot be searched for without a log_likelihood: give"
                " control_variates={block: value}"
            )
        else:
            modes[U] = dict(zip(densities[U].blocks, densities[U].minimum(), strict=True))
    return modes


def control_data(
    estimator: Estimator, mode: Mode, own: Any, density: Density | None, arrays: list[np.ndarray]
) -> dict[str, np.ndarray]:
    """The fields of ``Data`` that hold a mode and the gradient there; ``own`` is the user's
    gradient, if that is used.
    """
    control, blocks = estimator.control, estimator.gradient.posterior.blocks
    assert control is not None
    at = [mode[b] for b in blocks]
    if own is not None:
        found = _own_gradient(estimator.gradient.posterior, own, at, arrays)
    else:
        assert density is not None
        found = density.slopes(at)
    slopes = dict(zip(blocks, found, strict=True))
    ordered = estimator.gradient.potential.blocks
    values = (*(mode[b] for b in ordered), *(slopes[b] for b in ordered))
    return dict(zip((*control.modes, *control.at_mode), values, strict=True))


def _own_gradient(
    posterior: Posterior, own: Any, blocks: list[np.ndarray], arrays: list[np.ndarray]
) -> list[np.ndarray]:
    """The gradient from all rows, piece by piece: the estimate from n rows has the weight n/N."""
    count = arrays[0].shape[0] if arrays else 1
    total = [np.zeros(b.size) for b in blocks]
    for start in range(0, count, MAX_ROWS_AT_ONCE):
        rows = np.arange(start, min(start + MAX_ROWS_AT_ONCE, count))
        piece = call_user_gradient(posterior, own, blocks, rows, arrays)
        total = [t + g * (rows.size / count) for t, g in zip(total, piece, strict=True)]
    return total
