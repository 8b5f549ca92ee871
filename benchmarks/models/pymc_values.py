"""Log densities, or gradients, of a model in PyMC at given points; PyMC's interpreter runs it.

    python pymc_values.py MODEL given.npz [BLOCKS]

``given.npz`` has the arrays ``data_<name>`` and ``point_<k>_<variable>``. With names of blocks
between commas, the gradient by them in that order is computed. The answer is ``values.npy``.
"""

from __future__ import annotations

import inspect
import sys

import numpy as np
import pymc as pm
import pymc_models
import pytensor

pytensor.config.mode = "FAST_COMPILE"
pytensor.config.cxx = ""


def main() -> None:
    name, file, blocks = sys.argv[1:]
    given = dict(np.load(file))
    function = getattr(pymc_models, name)
    arrays = {n: given[f"data_{n}"] for n in inspect.signature(function).parameters}
    model = function(**arrays)
    points = sorted({key.split("_")[1] for key in given if key.startswith("point_")})
    values = [at(model, given, f"point_{k}_", blocks) for k in points]
    np.save("values.npy", np.array(values))


def at(model: pm.Model, given: dict[str, np.ndarray], prefix: str, blocks: str) -> np.ndarray:
    """The number of one point."""
    moved = {}
    for rv in model.free_RVs:
        value, how = given[prefix + rv.name], model.rvs_to_transforms[rv]
        if how is not None:
            inputs = rv.owner.inputs
            value = how.forward(pytensor.tensor.constant(value), *inputs).eval()
        moved[model.rvs_to_values[rv].name] = value
    if not blocks:
        return np.array(model.compile_logp(jacobian=False)(moved))
    variables = [model[b] for b in blocks.split(",")]
    return np.array(model.compile_dlogp(variables, jacobian=False)(moved))


if __name__ == "__main__":
    main()
