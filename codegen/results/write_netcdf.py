"""Write draws as netCDF so that a failing disk does not crash the process.

HDF5 ends the process with a segmentation fault where a write fails and the file is closed
afterwards. So it writes to a file object that accepts everything, notes the first error, and leaves
out all later writes; the error is raised once HDF5 has closed the file. This needs no second copy
of the draws, as writing to memory would.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from codegen.results.diagnostics.groups import Group
from recipe.files.atomic_write import force_to_disk

# that HDF5 gets at once, in whole rows of chunks: after an error no more is compressed than that
PIECE_BYTES = 2**24


def write_netcdf(groups: Mapping[str, Group], path: Path) -> None:
    """Write groups to an existing file in the format of ArviZ, and force them to disk.

    Args:
        groups: the groups by name, with variables of numbers, or of text in arrays of objects.
        path: the file, which must exist.

    Raises:
        OSError: the first error of the file, whatever HDF5 made of it.
    """
    import h5netcdf  # type: ignore[import-untyped]

    now = datetime.now(UTC).isoformat()
    with path.open("r+b", buffering=0) as file:
        taken = _NeverFailingFile(file.fileno())
        try:
            with h5netcdf.File(taken, "w") as written:
                for name, group in groups.items():
                    there = written.create_group(name)
                    there.attrs["created_at"] = now
                    _write_group(there, group, taken)
        except Exception as error:
            raise taken.error or error from None
        if taken.error is not None:
            raise taken.error
        force_to_disk(file)


def _write_group(there: Any, group: Group, taken: _NeverFailingFile) -> None:
    """Write a group as xarray does: numbers compressed, with NaN for missing ones, and text as
    strings of any length.
    """
    import h5py  # type: ignore[import-untyped]

    there.dimensions = group.sizes
    for name, variable in {**group.variables, **group.coordinates}.items():
        values, said = variable.values, dict(variable.attributes)
        if values.dtype.kind in "OSU":
            texts = there.create_variable(name, variable.dims, h5py.string_dtype())
            texts.attrs.update(said)
            if taken.error is None:
                texts[...] = values.astype(object)
            continue
        if values.dtype.kind == "b":  # netCDF has no type for what is true or false
            values, said = values.astype(np.int8), {**said, "dtype": "bool"}
        packed = {"compression": "gzip", "shuffle": True} if variable.dims else {}
        written = there.create_variable(name, variable.dims, values.dtype, **packed)
        written.attrs.update(said)
        if values.dtype.kind == "f":
            written.attrs["_FillValue"] = np.array([np.nan], values.dtype)
        _write_numbers(written, values, taken)
    for name, value in group.attributes.items():
        there.attrs[name] = value
    others = [name for name in group.coordinates if name not in group.sizes]
    if others:
        there.attrs["coordinates"] = " ".join(others)


def _write_numbers(written: Any, values: np.ndarray, taken: _NeverFailingFile) -> None:
    """Write the numbers of a variable in pieces, until an error is noted."""
    if not values.shape:
        written[...] = values
        return
    chunk = written.chunks[0]
    rows = chunk * max(1, PIECE_BYTES * len(values) // (chunk * max(1, values.nbytes)))
    for first in range(0, len(values), rows):
        if taken.error is None:
            written[first : first + rows] = values[first : first + rows]


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
