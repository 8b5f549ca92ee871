"""A program of its own, which reads a file of draws and writes its contents to stdout.

It is run by `codegen.results.read_netcdf`. HDF5 may crash or never end on a damaged file, and then
only this process is lost. It imports nothing of this project. Its output is a line of JSON, and
then the bytes of each variable.

A file of draws must stand alone. HDF5 can say that numbers are in another file, or that a program
has to be loaded to unpack them; whoever made such a file would decide what is read, or run. So
links, external storage and filters are checked before anything is read.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO

GROUP = "posterior"
BLOCK_BYTES = 2**26  # that are read at once
SPARE_MEMORY_BYTES = 4 * 2**30  # beside the largest variable
FILTERS = {
    1,
    2,
    3,
    4,
    6,
}  # deflate, shuffle, fletcher32, szip, scale-offset: HDF5 has them without a plugin
MAX_BYTES_PER_STORED_BYTE = 1100  # deflate makes at most 1032 bytes of one
READY = b"ready\n"
UNREADABLE = 3  # the exit status if the description is good, but the numbers cannot be unpacked
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
NEVER = "; recipe reads a file of draws that stands alone only"
AGAIN = "; sample again"


class RefusedError(Exception):
    """The file is refused; the text follows its name in the message."""


def main(path: str, out: BinaryIO) -> None:
    """Write the contents of a file, or why it is refused."""
    try:
        _limit_memory(SPARE_MEMORY_BYTES)
        dataset = _opened(path)
        variables = list(dataset.variables.items())
        said = {
            "attributes": _plain(dataset.attrs),
            "variables": [_described(name, v) for name, v in variables],
            "coordinates": [str(name) for name in dataset.coords],
        }
    except RefusedError as refused:
        _line(out, {"refused": str(refused)})
        return
    except MemoryError:
        _line(out, {"refused": f"is damaged: to read it takes too much memory{AGAIN}"})
        return
    except Exception as error:  # which one depends on the byte that is wrong
        _line(out, {"refused": f"is damaged: {_one_line(error)}{AGAIN}"})
        return
    _line(out, said)
    try:
        for _, variable in variables:
            for block in _blocks(variable):
                out.write(block)
        out.flush()
    except Exception:
        sys.exit(UNREADABLE)


def _opened(path: str) -> Any:
    """Return the posterior group, with its variables not yet read."""
    import h5py  # type: ignore[import-untyped]

    try:
        with h5py.File(path, "r") as file:
            largest = _check(file, os.path.getsize(path))
            groups = [name for name, item in file.items() if isinstance(item, h5py.Group)]
    except RefusedError:
        raise
    except Exception as error:
        raise RefusedError(
            f"cannot be read as netCDF: {_one_line(error)}; give a file that recipe sample -o wrote"
        ) from None
    if GROUP not in groups:
        raise RefusedError(
            f"has no posterior group (it has {', '.join(groups) or 'none'}); give a file of draws"
        )
    _limit_memory(SPARE_MEMORY_BYTES + 3 * largest)
    import xarray

    return xarray.open_dataset(
        path, group=GROUP, engine="h5netcdf", decode_times=False, cache=False
    )


# -- what a file may be
# --------------------------------------------------------------------------------


def _check(file: Any, size: int) -> int:
    """Refuse a file that leads to other files or claims more than it holds; return the bytes of the
    largest variable.
    """
    import h5py

    largest, met, left = 0, set(), [("", file)]
    while left:
        name, item = left.pop()
        identity = h5py.h5o.get_info(item.id).addr
        if identity in met:
            raise RefusedError(f"is damaged: {name} is there twice{AGAIN}")
        met.add(identity)
        _check_attributes(item, name, size)
        if isinstance(item, h5py.Dataset):
            _check_storage(item, name)
            if name.startswith(f"/{GROUP}/"):
                largest = max(largest, _check_size(item, name))
        elif isinstance(item, h5py.Group):
            left += [(f"{name}/{key}", child) for key, child in _children(item, name)]
    return largest


def _children(group: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of a group, and refuse links."""
    import h5py

    for key in group:
        kind = group.get(key, getlink=True)
        if not isinstance(kind, h5py.HardLink):
            raise RefusedError(f"has a link at {name}/{key}, which may lead to another file{NEVER}")
        yield key, group[key]


def _check_storage(item: Any, name: str) -> None:
    """Refuse a variable whose numbers are in other files, or need a program to be unpacked."""
    import h5py

    made = item.id.get_create_plist()
    if made.get_external_count():
        raise RefusedError(f"has the numbers of {name} in another file{NEVER}")
    if made.get_layout() == h5py.h5d.VIRTUAL:
        raise RefusedError(f"takes the numbers of {name} from other files{NEVER}")
    for n in range(made.get_nfilters()):
        number = made.get_filter(n)[0]
        if number not in FILTERS:
            raise RefusedError(
                f"has {name} packed by filter {number}, which is a program that HDF5 would have to"
                f" load{NEVER}; write it with gzip or unpacked"
            )


def _check_size(item: Any, name: str) -> int:
    """Refuse a variable that claims more numbers than its bytes can hold; return its size in bytes.

    A file of two kilobytes can claim a million million numbers, for which HDF5 would allocate
    memory.
    """
    if bytes(item.attrs.get("NAME", b""))[: len(NO_VARIABLE)] == NO_VARIABLE:
        return 0
    claimed, held = (
        item.size * item.dtype.itemsize if item.shape is not None else 0,
        item.id.get_storage_size(),
    )
    if claimed > MAX_BYTES_PER_STORED_BYTE * held:
        raise RefusedError(
            f"is damaged: {name} has {item.size} numbers, and {held} bytes in the file{AGAIN}"
        )
    return int(claimed)


def _check_attributes(item: Any, name: str, size: int) -> None:
    """Refuse attributes that claim more bytes than the file has."""
    import h5py

    for n in range(h5py.h5a.get_num_attrs(item.id)):
        attribute = h5py.h5a.open(item.id, index=n)
        if attribute.get_storage_size() > size:
            raise RefusedError(
                f"is damaged: an attribute of {name or '/'} is larger than the file{AGAIN}"
            )


# -- what is written
# -----------------------------------------------------------------------------------


def _described(name: Any, variable: Any) -> dict[str, Any]:
    """Return the description of a variable, as JSON can hold it."""
    kind = variable.dtype.kind
    return {
        "name": str(name),
        "dims": [str(d) for d in variable.dims],
        "shape": list(variable.shape),
        "attributes": _plain(variable.attrs),
        "dtype": variable.dtype.str if kind in "biufSU" else None,
        "text": (
            None if kind in "biufSU" else [str(x) for x in variable.to_numpy().ravel().tolist()]
        ),
    }


def _blocks(variable: Any) -> Iterator[Any]:
    """Yield the bytes of a variable, some chunks of the first axis at a time, as chunks are
    unpacked whole.
    """
    if variable.dtype.kind not in "biufSU" or not variable.size:
        return
    if not variable.dims:
        yield variable.to_numpy().tobytes()
        return
    rows, chunk = len(variable), (variable.encoding.get("chunksizes") or (1,))[0]
    a_row = variable.size // rows * variable.dtype.itemsize
    step = max(1, BLOCK_BYTES // max(1, a_row * chunk)) * chunk
    for start in range(0, rows, step):
        import numpy

        yield numpy.ascontiguousarray(variable[start : start + step].to_numpy()).data.cast("B")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _line(out: BinaryIO, said: Any) -> None:
    out.write(json.dumps(said).encode("ascii") + b"\n")
    out.flush()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _limit_memory(more: int) -> None:
    """Limit the address space to so many bytes more than now, where the platform can do that
    (Linux).
    """
    with suppress(Exception):
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            now = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        limit = now + more if hard == resource.RLIM_INFINITY else min(now + more, hard)
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    import h5netcdf  # type: ignore[import-untyped]  # noqa: F401
    import xarray  # noqa: F401

    sys.stdout.buffer.write(READY)  # imports may take long, which is no fault of the file
    sys.stdout.buffer.flush()
    main(sys.argv[1], sys.stdout.buffer)
