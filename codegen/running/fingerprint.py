"""The fingerprint of a run: everything that its draws depend on, as JSON. A run goes on from a
checkpoint only if their fingerprints agree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
import numpy as np

from codegen.generate import Module
from codegen.inputs.options import SamplingOptions
from codegen.inputs.posterior_data import is_memory_mapped
from codegen.running.chains import Chain
from codegen.running.gradient_source import source_text


def fingerprint(
    module: Module,
    options: SamplingOptions,
    data: Mapping[str, np.ndarray],
    params: Mapping[str, Any],
    own: Iterable[Any],
    first: tuple[str, Iterable[Chain]],
) -> dict[str, Any]:
    """Return the fingerprint of a run.

    Args:
        module: the generated module.
        options: the options of the run.
        data, params: the fields of ``Data`` and of ``Params``.
        own: the gradients of the user.
        first: the name of the unit that is run at once, and these units at their first states.

    Returns:
        By name: the hash of the module, the options, digests of data, parameters, first states and
        gradients, and the versions of numba and numpy and the processor.
    """
    schedule = options.schedule
    found = {
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
        found[f"params {name}"] = value if isinstance(value, float) else _digest(np.asarray(value))
    for name, schedule in options.schedules.items():
        found[f"params {name}"] = f"{type(schedule).__name__} {asdict(schedule)}"
    for name, array in data.items():
        found[f"data {name}"] = _data_text(array)
    for n, function in enumerate(own):
        found[f"gradient {n}"] = hashlib.sha256(source_text(function).encode()).hexdigest()
    unit, running = first
    for chain in running:
        arrays = (getattr(chain.state, field) for field in module.plan.fields.values())
        found[f"first state of {unit} {chain.number}"] = _digest(
            np.concatenate([np.ravel(a) for a in arrays])
        )
    return found


def _digest(array: np.ndarray) -> str:
    """Return the type, the shape and a BLAKE2 digest of an array, which is read by parts."""
    content = hashlib.blake2b(digest_size=16)
    rows = max(1, 2**24 // max(1, array[:1].nbytes)) if array.ndim else 1
    for start in range(0, array.shape[0] if array.ndim else 0, rows):
        content.update(np.ascontiguousarray(array[start : start + rows]).tobytes())
    return f"{array.dtype} {array.shape} {content.hexdigest()}"


def _data_text(array: np.ndarray) -> str:
    """Return the text by which an array of data is compared.

    A memory-mapped file is not read: the text has its name, its size and its time of change, and
    the position of the array in it. Any other array has a digest of its content; so have an array
    that is mapped copy-on-write, which may differ from its file, and one without a file name.
    """
    mapped: Any = array
    while isinstance(mapped.base, np.ndarray):
        mapped = mapped.base
    name = str(getattr(mapped, "filename", None))
    if not is_memory_mapped(array) or mapped.mode == "c" or not Path(name).is_file():
        return _digest(array)
    status = Path(name).stat()
    offset = (
        array.__array_interface__["data"][0] - mapped.__array_interface__["data"][0] + mapped.offset
    )
    return (
        f"{name} {status.st_size} {status.st_mtime_ns} {array.dtype} {array.shape} {array.strides}"
        f" {offset}"
    )
