"""A file that a run is saved to while it goes on: arrays, and what JSON can say."""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from experiment_command import BadDataError


def save(path: Path, arrays: Mapping[str, np.ndarray], plain: Mapping[str, Any]) -> None:
    """Write a file whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}")
    with unfinished.open("wb") as file:
        np.savez(file, plain=np.array(json.dumps(plain)), **arrays)
        file.flush()
        os.fsync(file.fileno())
    unfinished.replace(path)


def load(path: Path, kind: str) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """Return the arrays and the rest.

    Args:
        path: the file.
        kind: the value of ``kind`` among the rest, which tells runs apart.

    Raises:
        BadDataError: where the file is damaged, or belongs to another run.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        plain = json.loads(str(arrays.pop("plain")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadDataError(f"{path} is no saved run ({error}); delete it") from None
    if not isinstance(plain, dict) or plain.get("kind") != kind:
        raise BadDataError(
            f"{path} belongs to a run with other settings; delete it, or name another"
        )
    return arrays, plain
