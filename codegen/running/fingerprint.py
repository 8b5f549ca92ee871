"""The fingerprint of a run: everything that its draws depend on, as JSON. A run goes on from a
checkpoint only if their fingerprints agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import llvmlite.binding
import numba
import numpy as np

from codegen.inputs.options import SamplingOptions
from codegen.module import Module
from codegen.running.another_run import described
from codegen.running.array_text import array_text, digest
from codegen.running.chains import Chain
from codegen.running.gradient_source import ITSELF, ReadGradient


def fingerprint(
    module: Module,
    options: SamplingOptions,
    data: Mapping[str, np.ndarray],
    params: Mapping[str, Any],
    own: Iterable[ReadGradient],
    first: tuple[str, Iterable[Chain]],
) -> dict[str, Any]:
    """Return the fingerprint of a run.

    Args:
        module: the generated module.
        options: the options of the run.
        data, params: the fields of ``Data`` and of ``Params``.
        own: the gradients of the user, as they were read.
        first: the name of the unit that is run at once, and these units at their first states.

    Returns:
        By name: the hash of the module, the options, digests of data, parameters, first states and
        gradients, and the versions of numba and numpy and the processor. What the module was
        made from is described as well, for messages alone.
    """
    schedule = options.schedule
    found = {
        **described(module),
        "module": module.hash,
        "step_size": f"{type(schedule).__name__} {asdict(schedule)}",
        "seed": options.seed,
        "chains": options.chains,
        "warmup": options.warmup,
        "thin": options.thin,
        "batch_size": options.rows,
        "replace": options.replace,
        "kept blocks": ", ".join(b.name for b in options.kept(module)),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "processor": numba.config.CPU_NAME or llvmlite.binding.get_host_cpu_name(),
    }
    for name, value in params.items():
        found[f"params {name}"] = value if isinstance(value, float) else digest(np.asarray(value))
    for name, schedule in options.schedules.items():
        found[f"params {name}"] = f"{type(schedule).__name__} {asdict(schedule)}"
    for name, array in data.items():
        found[f"data {name}"] = array_text(array)
    for n, function in enumerate(own):
        for name, content in function.digests.items():
            found[f"gradient {n}" if name == ITSELF else f"gradient {n}, {name}"] = content
    unit, running = first
    for chain in running:
        arrays = (getattr(chain.state, field) for field in module.plan.fields.values())
        found[f"first state of {unit} {chain.number}"] = digest(
            np.concatenate([np.ravel(a) for a in arrays])
        )
    return found
