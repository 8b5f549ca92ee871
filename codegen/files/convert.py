"""Arrays gathered in memory, or converted into a folder that holds either a whole conversion or
nothing.

Everything is written into a hidden folder beside the requested one, forced to the disk, and moved
to its name in one step. A process that is killed leaves nothing that looks complete, and the next
process clears up after it. That deletes only what a conversion writes, and neither reads nor writes
through a link.
"""

from __future__ import annotations

import gzip
import json
import lzma
import operator
import os
import stat
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
from filelock import lock_descriptor

from codegen.system.memory import require_memory
from recipe.files.atomic_write import force_names_to_disk, force_to_disk, open_regular
from recipe.language.errors import RecipeError

FORMAT_VERSION = 1
RECORD = "conversion.json"

Arrays = dict[str, np.ndarray]


def memory_mapped(path: str | os.PathLike[str]) -> np.ndarray:
    """Return the array of numbers in a .npy file, memory-mapped and read-only; nothing is ever
    unpickled.

    Args:
        path: the file, as ``numpy.save`` writes it.

    Returns:
        The array, in the shape and type that the file says: floating-point numbers, integers or
            booleans.

    Raises:
        RecipeError: if there is no such file, it is damaged or cut short, or it holds anything but
            real numbers.
    """
    file = as_path(path, "path")
    require_regular(file)
    with named(file):
        try:
            array = np.lib.format.open_memmap(file, mode="r")
        except OSError:
            raise
        except Exception as error:
            # whatever a damaged header does to numpy's parser of it, TokenError and RecursionError
            # included
            raise RecipeError(
                f"{file} is not a whole .npy file of numbers ({first_line(error)}); write it again"
            ) from None
    if array.dtype.kind not in "fiub":
        raise RecipeError(
            f"{file} holds the type {array.dtype}, not real numbers; write it again as float64"
        )
    return array


def as_path(value: Any, where: str) -> Path:
    """Return the value of an argument as a path.

    Raises:
        RecipeError: where it is not a path; ``where`` is the name of the argument.
    """
    try:
        return Path(value)
    except TypeError:
        raise RecipeError(f"{where}={value!r} must be the path of a file or a folder") from None


def require_regular(path: Path) -> None:
    """Refuse a pipe, which may block for ever, and a device, which may have no end."""
    with named(path):
        if path.exists() and not (path.is_file() or path.is_dir()):
            raise RecipeError(f"{path} is not a regular file; write the data to one first")


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Turn an error that Python or a library raises about a file that is read into one sentence
    that names the file.
    """
    try:
        yield
    except RecipeError:
        raise
    except FileNotFoundError:
        raise RecipeError(f"there is no file {path}; correct the path") from None
    except PermissionError:
        raise RecipeError(f"{path} may not be read; change its permissions") from None
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise RecipeError(
            f"{path} is damaged or cut short ({first_line(error)}); get it again"
        ) from None
    except (
        OSError,
        ValueError,
        NotImplementedError,
    ) as error:  # pyarrow's own errors are kinds of these
        reason = getattr(error, "strerror", None) or first_line(error)
        raise RecipeError(
            f"{path} cannot be read: {reason}; correct the file or get it again"
        ) from None


def first_line(error: BaseException) -> str:
    """Return the first line of an error's text, to stand inside a sentence."""
    return (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")


def in_memory(batches: Iterable[Arrays]) -> Arrays:
    """Return the batches of each name as one array; there must be at least one batch."""
    held: dict[str, bytearray] = {}  # these grow in place: there is never a second copy of all
    widths: dict[str, tuple[int, ...]] = {}
    for batch in batches:
        needed = (
            sum(rows.nbytes for rows in batch.values()) + sum(map(len, held.values())) // 8
        )  # as they grow in steps
        require_memory(needed, "the next rows of the data", "give into=, a folder that holds them")
        for name, rows in batch.items():
            held.setdefault(name, bytearray()).extend(np.ascontiguousarray(rows).data.cast("B"))
            widths[name] = rows.shape[1:]
    return {name: np.frombuffer(held[name]).reshape(-1, *widths[name]) for name in held}


def in_folder(
    folder: Path,
    source: Path,
    names: Iterable[str],
    options: dict[str, Any],
    batches: Callable[[], Generator[Arrays, None, None]],
) -> Arrays:
    """Return the arrays of these names in the folder, memory-mapped; if the folder is empty or
    missing, they are written there first, from ``batches()``.

    Raises:
        RecipeError: where the folder holds anything else than this conversion of this source, or
            cannot be written.
    """
    record = {"version": FORMAT_VERSION, "source": _identity(source), "options": options}
    held = _existing_arrays(folder, names, record)
    if held is not None:
        return held
    try:
        with _moved_when_whole(folder) as partial, closing(batches()) as read:
            record["arrays"] = _written(partial, read)
            if _identity(source) != record["source"]:
                raise RecipeError(
                    f"{source} changed while it was read; read it again when nothing writes it"
                )
            with (partial / RECORD).open("x", encoding="utf-8") as out:
                json.dump(record, out, indent=1)
                force_to_disk(out)
    except OSError as error:  # of the folder alone: errors of the source are RecipeErrors by now
        reason = error.strerror or first_line(error)
        raise RecipeError(
            f"{folder} cannot be written: {reason}; make room there or choose another folder"
        ) from None
    return {name: memory_mapped(folder / f"{name}.npy") for name in names}


def _identity(source: Path) -> dict[str, Any]:
    with named(source):
        status = source.stat()
    return {"path": str(source.resolve()), "size": status.st_size, "mtime_ns": status.st_mtime_ns}


def _existing_arrays(
    folder: Path, names: Iterable[str], record: Mapping[str, Any]
) -> Arrays | None:
    """Return the arrays of this very conversion; None where the folder is empty or missing."""
    choose = "choose a folder that is empty or not there"
    try:
        there = sorted(os.listdir(folder))
        old = _record(folder / RECORD) if RECORD in there else None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecipeError(f"{folder} cannot be used: {error.strerror}; {choose}") from None
    except (ValueError, RecursionError):
        raise RecipeError(
            f"{folder / RECORD} is damaged; delete the folder to convert again"
        ) from None
    if not there:
        return None
    if not isinstance(old, dict):
        raise RecipeError(f"{folder} holds other files, such as {there[0]}; {choose}")
    for key in record:
        if old.get(key) != record[key]:
            raise RecipeError(
                f"{folder} holds another conversion, of another {key}; {choose}, or delete it"
            )
    arrays = {name: memory_mapped(_no_link(folder / f"{name}.npy")) for name in names}
    if old.get("arrays") != {name: _type_and_shape(array) for name, array in arrays.items()}:
        raise RecipeError(
            f"{folder} holds arrays that are not those of its {RECORD}; delete it to convert again"
        )
    return arrays


def _record(path: Path) -> Any:
    with open_regular(path) as file:
        return json.loads(file.read())


def _no_link(path: Path) -> Path:
    if path.is_symlink():
        raise RecipeError(
            f"{path} is a link and not the file that was written; delete the folder to convert"
            " again"
        )
    return path


def _type_and_shape(array: np.ndarray) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": list(array.shape)}


@contextmanager
def _moved_when_whole(folder: Path) -> Iterator[Path]:
    """Yield an empty hidden folder beside the folder, for this process alone; at the end it takes
    the folder's name, or is removed.
    """
    if folder.is_mount():
        raise RecipeError(f"{folder} is where a disk is mounted; choose a folder inside it")
    partial = folder.with_name(f".{folder.name}.partial-conversion")
    partial.mkdir(parents=True, exist_ok=True)
    if partial.is_symlink():  # O_NOFOLLOW would say that it is no folder
        raise RecipeError(
            f"{partial} is a link, and no folder of this program is; delete the link or choose"
            " another folder"
        )
    descriptor = os.open(partial, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _lock(descriptor, partial, folder)
        _empty(descriptor, partial)
        try:
            yield partial
            force_names_to_disk(partial)
            partial.rename(folder)
        except BaseException:
            with suppress(OSError, RecipeError):
                _empty(descriptor, partial)
                partial.rmdir()
            raise
    finally:
        os.close(descriptor)
    force_names_to_disk(folder.parent)


def _lock(descriptor: int, partial: Path, folder: Path) -> None:
    """Keep other processes out; the system releases the lock however this process ends."""
    busy = RecipeError(
        f"{folder} is being written by another process; wait for it, or choose another folder"
    )
    with suppress(OSError):  # without locks of the file system, the user avoids two processes
        if not lock_descriptor(descriptor, blocking=False):
            raise busy
    if not os.path.lexists(partial) or not os.path.samestat(os.fstat(descriptor), partial.lstat()):
        raise busy  # another process has just finished, and moved the folder


def _empty(descriptor: int, partial: Path) -> None:
    """Delete the leftovers of a killed conversion, once it is certain that the folder holds nothing
    else.
    """
    if os.fstat(descriptor).st_uid != os.geteuid():
        raise RecipeError(f"{partial} belongs to another user; choose another folder")
    left = os.listdir(descriptor)
    for name in left:
        regular = stat.S_ISREG(os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode)
        if not regular or not (name == RECORD or name.endswith(".npy")):
            raise RecipeError(
                f"{partial} holds {name}, which no conversion has written; move it away or choose"
                " another folder"
            )
    for name in left:
        os.unlink(name, dir_fd=descriptor)


def _written(folder: Path, batches: Iterable[Arrays]) -> dict[str, dict[str, Any]]:
    """Write the batches as one .npy file for each name; return their types and shapes."""
    files: dict[str, IO[bytes]] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    with ExitStack() as stack:
        for batch in batches:
            for name, rows in batch.items():
                if name not in files:
                    files[name] = stack.enter_context((folder / f"{name}.npy").open("xb"))
                    shapes[name] = (0, *rows.shape[1:])
                    _write_header(files[name], shapes[name])
                files[name].write(np.ascontiguousarray(rows).data)
                shapes[name] = (shapes[name][0] + len(rows), *rows.shape[1:])
        for name, file in files.items():
            file.seek(0)
            _write_header(file, shapes[name])
            force_to_disk(file)
    return {
        name: {"dtype": np.dtype(np.float64).str, "shape": list(shape)}
        for name, shape in shapes.items()
    }


def _write_header(file: IO[bytes], shape: tuple[int, ...]) -> None:
    """Write the .npy header, in which numpy leaves room for the number of rows: its length does not
    depend on this number.
    """
    description = {"descr": np.dtype(np.float64).str, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, description)


def as_column_count(columns: Any, of: str) -> int:
    """Return a number of columns that the user gave, a positive integer.

    Args:
        columns: what was given as ``columns=``.
        of: what stands in the columns, such as "features", for the message.

    Raises:
        RecipeError: for anything else.
    """
    try:
        count = operator.index(columns)
    except TypeError:
        count = 0
    if count < 1 or isinstance(columns, bool):
        raise RecipeError(f"columns={columns!r} must be the number of {of}, a positive integer")
    return count
