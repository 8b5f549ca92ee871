"""Control variates: the mode of a posterior, and the gradient from all of the data there.

(Baker, Fearnhead, Fox & Nemeth 2019, Stat. Comput. 29, "Control variates for stochastic gradient
MCMC".)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from codegen.inputs.density.compiled_posterior import Density
from codegen.inputs.gradients.user_gradient import call_user_gradient
from codegen.inputs.initial_states import given_blocks
from codegen.inputs.lengths import Lengths
from codegen.module import Module
from codegen.printing.estimator import Estimator
from codegen.printing.moving_reference import Snapshot
from recipe.declare.posterior import Posterior
from recipe.language.abstract import Potential
from recipe.language.blocks import Block
from recipe.language.errors import RecipeError
from recipe.language.symbols import name_of

MAX_ROWS_AT_ONCE = 2**16  # of one call of a user's gradient
ARGUMENT = "control_variates"

Mode = dict[Block, np.ndarray]  # arrays of the shape (length,)


def find_modes(
    estimators: Mapping[Potential, Estimator],
    given: Any,
    densities: Mapping[Potential, Density],
    lengths: Lengths,
) -> dict[Potential, Mode]:
    """Return the mode of every posterior, as given or searched for.

    Args:
        estimators: the potentials that are bound to data.
        given: the argument ``control_variates=``: True, or the mode as a dict by block.
        densities: the compiled posteriors that have a log likelihood.
        lengths: the known lengths of blocks; those of given values are added.

    Raises:
        RecipeError: for a value that is missing or names no block, and where the search fails or
            there is no log likelihood to search with.
    """
    modes = {}
    known = {b.name for U in estimators for b in U.blocks}
    unknown = [
        name_of(k) for k in (given if isinstance(given, Mapping) else ()) if name_of(k) not in known
    ]
    if unknown:
        raise RecipeError(
            f"control_variates= names {unknown[0]}, which is no block of a posterior; the blocks"
            f" are {', '.join(sorted(known))}"
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
    estimator: Estimator,
    mode: Mode,
    user_gradient: Any,
    density: Density | None,
    arrays: list[np.ndarray],
) -> dict[str, np.ndarray]:
    """Return the fields of ``Data`` that hold a mode and the gradient there.

    Args:
        estimator: how the gradient of the potential is estimated.
        mode: the mode of its posterior.
        user_gradient: the compiled gradient of the user; None where the derived one is used.
        density: the compiled posterior, with the derived gradient; None where there is a
            ``user_gradient`` and no log likelihood.
        arrays: the data of the posterior, in the order of its fields.
    """
    control, blocks = estimator.control, estimator.gradient.posterior.blocks
    assert control is not None
    at = [mode[b] for b in blocks]
    if user_gradient is not None:
        found = _full_gradient(estimator.gradient.posterior, user_gradient, at, arrays)
    else:
        assert density is not None
        found = density.slopes(at)
    slopes = dict(zip(blocks, found, strict=True))
    ordered = estimator.gradient.potential.blocks
    values = (*(mode[b] for b in ordered), *(slopes[b] for b in ordered))
    return dict(zip((*control.modes, *control.at_mode), values, strict=True))


def snapshot_data(
    module: Module, every: int | None, data: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the fields of ``Data`` with the calls of a gradient from one snapshot of SVRG to the
    next, and with the numbers of all rows for a gradient of the user.

    Args:
        module: the generated module.
        every: the number of calls.
        data: the arrays of the data, by field.
    """
    found: dict[str, np.ndarray] = {}
    for U, reference in module.references.items():
        if not isinstance(reference, Snapshot):
            continue
        found[reference.every] = np.array([float(every or 1)])
        if reference.all_rows is not None:
            first = next(iter(module.estimators[U].gradient.fields.values()))
            found[reference.all_rows] = np.arange(data[first].shape[0], dtype=np.int64)
    return found


def _full_gradient(
    posterior: Posterior, user_gradient: Any, blocks: list[np.ndarray], arrays: list[np.ndarray]
) -> list[np.ndarray]:
    """Return the user's gradient from all N rows: the mean of its estimates from n rows at a time,
    each with the weight n/N.
    """
    count = arrays[0].shape[0] if arrays else 1
    total = [np.zeros(b.size) for b in blocks]
    for start in range(0, count, MAX_ROWS_AT_ONCE):
        rows = np.arange(start, min(start + MAX_ROWS_AT_ONCE, count))
        estimate = call_user_gradient(posterior, user_gradient, blocks, rows, arrays)
        total = [t + g * (rows.size / count) for t, g in zip(total, estimate, strict=True)]
    return total
