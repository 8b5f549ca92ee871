"""Read draws from a file, in a process that may crash or hang on a damaged file without harm."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np

from codegen.results import netcdf_reader
from codegen.results.diagnostics.groups import Group, Variable
from codegen.results.saved_draws import SavedDraws
from codegen.system.memory import require_memory
from recipe.language.errors import RecipeError

MAX_SILENT_SECONDS = 60.0  # of the process that reads, once it has begun
MAX_DESCRIPTION_BYTES = 2**30  # of the line that describes the file
BLOCK_BYTES = 2**26  # that are taken from the process at once


def read_draws(path: str | Path, groups: Sequence[str] | None = None) -> SavedDraws:
    """Return the draws that ``Draws.save`` (or ArviZ, or xarray) wrote.

    What is read is read completely into memory, and nothing in the file is run.

    Args:
        path: a netCDF file.
        groups: the groups that are read beside the posterior, such as ``["sample_stats"]``; by
            default all that there are. ``groups=[]`` reads the draws alone.

    Returns:
        The draws, for ``diagnose`` and ``plot``.

    Raises:
        RecipeError: in one sentence, where there is no such file, it is not netCDF, has no
            posterior group, is damaged, does not fit into memory, packs its numbers by a
            scale or an offset, or says that they are in another file.
    """
    file = Path(path)
    if not file.exists():
        raise RecipeError(f"there is no file {file}")
    if not file.is_file():  # a fifo would never end
        raise RecipeError(
            f"there is no file {file}, but a folder, a fifo or a device; give a file that recipe"
            " sample -o wrote"
        )
    with _reader(file, groups) as reader:
        try:
            found = _groups(reader)
            return SavedDraws(found.pop(netcdf_reader.GROUP), found)
        except MemoryError:
            raise RecipeError(f"the draws in {file} do not fit into memory") from None


@dataclass(frozen=True)
class _Reader:
    """The process that reads a file."""

    file: Path
    process: subprocess.Popen[bytes]
    out: IO[bytes]
    late: threading.Event

    def described(self) -> dict[str, Any]:
        """Return the description of the file.

        Raises:
            RecipeError: where the file is refused.
        """
        if self.out.readline(len(netcdf_reader.READY)) != netcdf_reader.READY:
            raise RecipeError(
                f"{self.file} was not read: Python could not be started for it; are h5py and"
                " h5netcdf installed?"
            )
        with self._watched():
            line = self.out.readline(MAX_DESCRIPTION_BYTES)
        if not line.endswith(b"\n"):
            raise self._ended()
        said: dict[str, Any] = json.loads(line)
        if "refused" in said:
            raise RecipeError(f"{self.file} {said['refused']}")
        return said

    def numbers(self, dtype: str, shape: list[int]) -> np.ndarray:
        """Return the next variable."""
        values = np.empty(shape, dtype)
        if not values.size:
            return values
        left = values.reshape(-1).view(np.uint8).data
        while left:
            with self._watched():
                count = self.out.readinto(left[:BLOCK_BYTES])  # type: ignore[attr-defined]
            if not count:
                raise self._ended()
            left = left[count:]
        return values

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """End the process where it stays silent for too long; its pipe then ends, which the reader
        notices.
        """
        clock = threading.Timer(MAX_SILENT_SECONDS, self._stop)
        clock.daemon = True
        clock.start()
        try:
            yield
        finally:
            clock.cancel()

    def _stop(self) -> None:
        self.late.set()
        self.process.kill()

    def _ended(self) -> RecipeError:
        """Return an error that says how the process ended."""
        code = self.process.wait()
        if self.late.is_set():
            how = f"the process that read it had no answer within {MAX_SILENT_SECONDS:g} seconds"
        elif code == netcdf_reader.UNREADABLE:
            how = "its numbers cannot be unpacked"
        elif code < 0:
            how = f"the process that read it ended by {signal.Signals(-code).name}"
        else:
            how = f"the process that read it ended with the status {code}"
        return RecipeError(f"{self.file} is damaged: {how}; sample again")


@contextmanager
def _reader(file: Path, groups: Sequence[str] | None) -> Iterator[_Reader]:
    """Start the process; it is ended when the block ends, in whatever way."""
    wanted = json.dumps(None if groups is None else [str(name) for name in groups])
    call = [sys.executable, "-P", str(Path(netcdf_reader.__file__)), str(file.absolute()), wanted]
    environment = os.environ | {"HDF5_PLUGIN_PRELOAD": "::"}  # HDF5 then loads no program
    process = subprocess.Popen(
        call,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    assert process.stdout is not None
    try:
        with process.stdout:
            yield _Reader(file, process, process.stdout, threading.Event())
    finally:
        process.kill()
        process.wait()


def _groups(reader: _Reader) -> dict[str, Group]:
    """Return the groups by name, once it is certain that they fit into memory."""
    found = reader.described()["groups"]
    size = sum(
        math.prod(v["shape"]) * np.dtype(v["dtype"]).itemsize
        for said in found.values()
        for v in said["variables"]
    )
    others = [name for name in found if name != netcdf_reader.GROUP]
    fewer = f", or read the draws without {', '.join(others)} (groups=[])" if others else ""
    require_memory(size, f"the draws in {reader.file}", f"sample again with more thinning{fewer}")
    return {name: _group(said, reader) for name, said in found.items()}


def _group(said: dict[str, Any], reader: _Reader) -> Group:
    """Return the next group."""
    try:
        read = {v["name"]: _variable(v, reader) for v in said["variables"]}
        named = set(said["coordinates"])
        group = Group(
            {name: v for name, v in read.items() if name not in named},
            {name: v for name, v in read.items() if name in named},
            said["attributes"],
        )
        _ = group.sizes  # raises where variables do not fit together
        return group
    except (RecipeError, MemoryError):
        raise
    except Exception as error:  # which one depends on the byte that is wrong
        reason = " ".join(str(error).split()) or type(error).__name__
        raise RecipeError(f"{reader.file} is damaged: {reason}; sample again") from None


def _variable(said: dict[str, Any], reader: _Reader) -> Variable:
    shape, text = said["shape"], said["text"]
    values = (
        reader.numbers(said["dtype"], shape)
        if text is None
        else np.array(text, dtype=object).reshape(shape)
    )
    return Variable(tuple(said["dims"]), values, said["attributes"])
