"""Write draws as netCDF so that a failing disk does not crash the process.

HDF5 ends the process with a segmentation fault where a write fails and the file is closed
afterwards. So it writes to a file object that accepts everything, notes the first error, and leaves
out all later writes; the error is raised once HDF5 has closed the file. This needs no second copy
of the draws, as writing to memory would.
"""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import Any

import numpy as np

from recipe.files.atomic_write import force_to_disk

# that HDF5 gets at once, in whole rows of chunks: after an error no more is compressed than that
PIECE_BYTES = 2**24


def write_netcdf(data: Any, path: Path) -> None:
    """Write the groups of an ``arviz.InferenceData`` to an existing file, and force them to disk.

    Args:
        data: the ``InferenceData``.
        path: the file, which must exist.

    Raises:
        OSError: the first error of the file, whatever HDF5 made of it.
    """
    import h5netcdf  # type: ignore[import-untyped]

    with path.open("r+b", buffering=0) as file:
        taken = _NeverFailingFile(file.fileno())
        try:
            with h5netcdf.File(taken, "w") as written:
                for name in data.groups():
                    _write_group(written.create_group(name), data[name], taken)
        except Exception as error:
            raise taken.error or error from None
        if taken.error is not None:
            raise taken.error
        force_to_disk(file)


def _write_group(group: Any, dataset: Any, taken: _NeverFailingFile) -> None:
    """Write a group as ArviZ does: compressed, with NaN for missing numbers."""
    group.dimensions = {str(name): size for name, size in dataset.sizes.items()}
    for name, variable in dataset.variables.items():
        values = variable.to_numpy()
        there = group.create_variable(
            str(name), variable.dims, values.dtype, compression="gzip", shuffle=True
        )
        if values.dtype.kind == "f":
            there.attrs["_FillValue"] = np.array([np.nan], values.dtype)
        chunk = there.chunks[0]
        rows = chunk * max(1, PIECE_BYTES * len(values) // (chunk * max(1, values.nbytes)))
        for first in range(0, len(values), rows):
            if taken.error is None:
                there[first : first + rows] = values[first : first + rows]
    for name, value in dataset.attrs.items():
        group.attrs[str(name)] = value


class _NeverFailingFile(io.RawIOBase):
    """A seekable file that never fails: ``error`` is its first error, and nothing more is written
    after it.
    """

    def __init__(self, descriptor: int) -> None:
        self.error: OSError | None = None
        self._descriptor, self._at = descriptor, 0

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        end = os.fstat(self._descriptor).st_size if whence == os.SEEK_END else 0
        self._at = offset + (self._at if whence == os.SEEK_CUR else end)
        return self._at

    def write(self, content: Any) -> int:
        rest = memoryview(content).cast("B")
        size, at = len(rest), self._at
        try:
            while rest and self.error is None:
                count = os.pwrite(self._descriptor, rest, at)
                rest, at = rest[count:], at + count
        except OSError as error:
            self.error = error
        self._at += size
        return size

    def readinto(self, goal: Any) -> int:
        room = memoryview(goal).cast("B")
        content = b""
        try:
            content = os.pread(self._descriptor, len(room), self._at)
        except OSError as error:
            self.error = self.error or error
        room[:] = content.ljust(len(room), b"\0")  # zeros for bytes that were not written
        self._at += len(room)
        return len(room)

    def truncate(self, size: int | None = None) -> int:
        goal = self._at if size is None else size
        try:
            if self.error is None:
                os.ftruncate(self._descriptor, goal)
        except OSError as error:
            self.error = error
        return goal
