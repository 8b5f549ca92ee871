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
import math
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
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
PACKING = ("scale_factor", "add_offset", "_Unsigned")  # attributes: numbers are not those stored
MISSING = ("_FillValue", "missing_value")  # attributes: the number that stands for none
COORDINATES = "coordinates"  # attribute: names of variables that are coordinates
READY = b"ready\n"
UNREADABLE = 3  # the exit status if the description is good, but the numbers cannot be unpacked
NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
NEVER = "; recipe reads a file of draws that stands alone only"
AGAIN = "; sample again"


class RefusedError(Exception):
    """The file is refused; the text follows its name in the message."""


def main(path: str, out: BinaryIO, wanted: Sequence[str] | None = None) -> None:
    """Write the contents of a file, or why it is refused.

    Args:
        path: the file.
        out: where to.
        wanted: the groups that are written beside the posterior; None for all.
    """
    try:
        _limit_memory(SPARE_MEMORY_BYTES)
        file = _opened(path, wanted)  # it is closed when its object is thrown away
        names = [n for n in map(str, file.groups) if _is_wanted(n, wanted)]
        variables = {n: {str(name): v for name, v in file[n].variables.items()} for n in names}
        said = {"groups": {n: _group(file[n], variables[n]) for n in names}}
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
        for n in names:
            for variable, described in zip(
                variables[n].values(), said["groups"][n]["variables"], strict=True
            ):
                for block in _blocks(variable, described["dtype"]):
                    out.write(block)
        out.flush()
    except Exception:
        sys.exit(UNREADABLE)


def _is_wanted(group: str, wanted: Sequence[str] | None) -> bool:
    return group == GROUP or wanted is None or group in wanted


def _opened(path: str, wanted: Sequence[str] | None) -> Any:
    """Return the file, which has a posterior group; its variables are not yet read."""
    import h5py  # type: ignore[import-untyped]

    try:
        with h5py.File(path, "r") as file:
            largest = _check(file, os.path.getsize(path), wanted)
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
    import h5netcdf  # type: ignore[import-untyped]

    # A dimension without a name gets one, and is then named in the sentence that refuses it.
    return h5netcdf.File(path, "r", decode_vlen_strings=True, phony_dims="access")


# -- what a file may be
# --------------------------------------------------------------------------------


def _check(file: Any, size: int, wanted: Sequence[str] | None) -> int:
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
            if name.count("/") > 1 and _is_wanted(name.split("/")[1], wanted):
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


def _group(group: Any, variables: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a group, as JSON can hold it."""
    attributes = dict(group.attrs)
    coordinates = _coordinates(variables, attributes)
    described = [_described(name, v) for name, v in variables.items()]
    return {
        "attributes": _plain(attributes),
        "variables": described,
        "coordinates": coordinates,
    }


def _coordinates(variables: dict[str, Any], attributes: dict[str, Any]) -> list[str]:
    """Return the variables that name points along dimensions: those with the name of a dimension,
    and those that an attribute ``coordinates`` lists, which is taken out of the attributes.
    """
    listed = str(attributes.pop(COORDINATES, "")).split()
    for variable in variables.values():
        listed += [*variable.dimensions, *str(variable.attrs.get(COORDINATES, "")).split()]
    return [name for name in variables if name in listed]


def _described(name: str, variable: Any) -> dict[str, Any]:
    """Return the description of a variable, as JSON can hold it.

    Its attributes are those that are not about how numbers are stored.
    """
    attributes = dict(variable.attrs)
    packed = [key for key in PACKING if key in attributes]
    if packed:
        raise RefusedError(
            f"has {name} packed as smaller numbers ({', '.join(packed)}), which recipe does not"
            " unpack; write it unpacked"
        )
    dtype = _dtype(variable)
    return {
        "name": name,
        "dims": [str(d) for d in variable.dimensions],
        "shape": list(variable.shape),
        "attributes": _plain({k: v for k, v in attributes.items() if not _of_storage(k, v)}),
        "dtype": dtype,
        "text": None if dtype is not None else [_plain(x) for x in _texts(variable)],
    }


def _of_storage(key: str, value: Any) -> bool:
    """Return True for an attribute that says how numbers are stored."""
    return key in {COORDINATES, *MISSING} or (key == "dtype" and str(value) == "bool")


def _dtype(variable: Any) -> str | None:
    """Return the type of the numbers as they are sent; None for text.

    xarray writes what is true or false as small integers with the attribute dtype, and missing
    numbers as a number that an attribute names. NaN takes the place of these, in a float.
    """
    kind, size, attributes = variable.dtype.kind, variable.dtype.itemsize, variable.attrs
    if kind not in "biufSU":
        return None
    if kind in "iu" and any(key in attributes for key in MISSING):
        return "<f4" if size <= 2 else "<f8"
    if kind in "iu" and "dtype" in attributes and str(attributes["dtype"]) == "bool":
        return "|b1"
    return str(variable.dtype.str)


def _texts(variable: Any) -> list[Any]:
    import numpy

    texts: list[Any] = numpy.asarray(variable[...], dtype=object).ravel().tolist()
    return [text if isinstance(text, str | bytes) else str(text) for text in texts]


def _blocks(variable: Any, dtype: str | None) -> Iterator[Any]:
    """Yield the bytes of a variable, some chunks of the first axis at a time, as chunks are
    unpacked whole.
    """
    import numpy

    if dtype is None or 0 in variable.shape:
        return
    named = [variable.attrs[key] for key in MISSING if key in variable.attrs]
    missing = [number for each in named for number in numpy.ravel(each) if not math.isnan(number)]
    for part in _parts(variable):
        numbers = numpy.asarray(variable[part])
        sent = numpy.ascontiguousarray(numbers, dtype)
        if missing and sent.dtype.kind == "f":
            sent[numpy.isin(numbers, missing)] = numpy.nan
        yield sent.tobytes()


def _parts(variable: Any) -> Iterator[Any]:
    """Yield slices of the first axis that hold so many bytes; a number alone is one part."""
    if not variable.shape:
        yield ...
        return
    rows, chunk = variable.shape[0], (variable.chunks or (1,))[0]
    a_row = math.prod(variable.shape[1:]) * variable.dtype.itemsize
    step = max(1, BLOCK_BYTES // max(1, a_row * chunk)) * chunk
    for start in range(0, rows, step):
        yield slice(start, start + step)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
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
    import h5netcdf  # noqa: F401

    sys.stdout.buffer.write(READY)  # imports may take long, which is no fault of the file
    sys.stdout.buffer.flush()
    main(sys.argv[1], sys.stdout.buffer, json.loads(sys.argv[2]))
