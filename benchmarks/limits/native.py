"""The C beside this file, compiled by gcc into a temporary folder and called through ctypes."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FLAGS = [
    "-O3", "-march=native", "-mprefer-vector-width=512", "-ffp-contract=fast", "-fno-math-errno",
    "-fno-trapping-math", "-fno-signed-zeros", "-fassociative-math", "-shared", "-fPIC",
]  # fmt: skip


def compiler() -> str | None:
    """The path of gcc, if there is one."""
    return shutil.which("gcc")


class Library:
    """A C file of this folder, compiled with these numbers known; its functions take arrays, int
    (unsigned) and float.
    """

    def __init__(self, name: str, **known: int) -> None:
        source = Path(__file__).with_name(name)
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "library.so"
            subprocess.run(
                [
                    compiler() or "gcc",
                    *FLAGS,
                    *(f"-D{k}={v}" for k, v in known.items()),
                    str(source),
                    "-o",
                    str(target),
                ],
                check=True,
            )
            self.library = ctypes.CDLL(str(target))

    def call(self, function: str, *arguments: Any) -> None:
        """Call a function that returns nothing."""
        getattr(self.library, function)(*(_passed(a) for a in arguments))


def _passed(argument: Any) -> Any:
    if isinstance(argument, np.ndarray):
        return ctypes.c_void_p(argument.ctypes.data)
    return ctypes.c_uint64(argument) if isinstance(argument, int) else ctypes.c_double(argument)
