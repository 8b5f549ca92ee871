"""The texts by which a checkpoint compares arrays."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from codegen.inputs.posterior_data import is_memory_mapped


def digest(array: np.ndarray) -> str:
    """Return the type, the shape and a BLAKE2 digest of an array, which is read by parts."""
    content = hashlib.blake2b(digest_size=16)
    rows = max(1, 2**24 // max(1, array[:1].nbytes)) if array.ndim else 1
    for start in range(0, array.shape[0] if array.ndim else 0, rows):
        content.update(np.ascontiguousarray(array[start : start + rows]).tobytes())
    if array.ndim == 0:
        content.update(array.tobytes())
    return f"{array.dtype} {array.shape} {content.hexdigest()}"


def array_text(array: np.ndarray) -> str:
    """Return the text by which an array is compared.

    A memory-mapped file is not read: the text has its name, its size and its time of change, and
    the position of the array in it. Any other array has a digest of its content; so have an array
    that is mapped copy-on-write, which may differ from its file, and one without a file name.
    """
    mapped: Any = array
    while isinstance(mapped.base, np.ndarray):
        mapped = mapped.base
    name = str(getattr(mapped, "filename", None))
    if not is_memory_mapped(array) or mapped.mode == "c" or not Path(name).is_file():
        return digest(array)
    status = Path(name).stat()
    offset = (
        array.__array_interface__["data"][0] - mapped.__array_interface__["data"][0] + mapped.offset
    )
    return (
        f"{name} {status.st_size} {status.st_mtime_ns} {array.dtype} {array.shape} {array.strides}"
        f" {offset}"
    )
