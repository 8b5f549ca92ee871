"""Checkpoints of a run over data with labels: arrays in one file, which is whole or not there."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from recipe.files.atomic_write import whole_file
from recipe.language.errors import RecipeError

HEAD, DIGEST = "head", "digest"
MAX_ARRAYS = 1000


def write_checkpoint(path: Path, head: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Write a checkpoint in the place of the last one.

    Args:
        path: the file.
        head: plain data about the run.
        arrays: its state, by name.

    Raises:
        RecipeError: where it cannot be written; the last checkpoint is then unchanged.
    """
    text = np.frombuffer(json.dumps(dict(head), sort_keys=True).encode(), dtype=np.uint8)
    whole = {HEAD: text, **arrays}
    digest = np.frombuffer(bytes.fromhex(_digest(whole)), dtype=np.uint8)
    held = io.BytesIO()
    np.savez(held, **{DIGEST: digest, **whole})  # type: ignore[arg-type]
    with whole_file(path) as temporary:
        temporary.write_bytes(held.getvalue())


def read_checkpoint(path: Path) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """Return the head and the arrays of a checkpoint; None where there is no file.

    Raises:
        RecipeError: where the file cannot be read, or is damaged.
    """
    if not os.path.lexists(path):
        return None
    fault = f"{path} is no checkpoint of sample_labels, or is damaged; delete it to begin again"
    try:
        with np.load(path, allow_pickle=False) as file:
            if len(file.files) > MAX_ARRAYS:
                raise RecipeError(fault)
            arrays = {name: file[name] for name in file.files}
        digest = arrays.pop(DIGEST).tobytes().hex()
        if digest != _digest(arrays):
            raise RecipeError(fault)
        head = json.loads(arrays.pop(HEAD).tobytes())
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, MemoryError):
        raise RecipeError(fault) from None
    return head, arrays


def _digest(arrays: Mapping[str, np.ndarray]) -> str:
    found = hashlib.sha256()
    for name in sorted(arrays):
        array = np.ascontiguousarray(arrays[name])
        found.update(f"{name} {array.dtype.str} {array.shape} ".encode())
        found.update(array.tobytes())
    return found.hexdigest()
