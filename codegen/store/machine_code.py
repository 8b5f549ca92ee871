"""The machine code of a stored module, on disk: one file for each compiled function, signature and
way of compiling it.

Numba's own index is shared by all signatures and processors of a function, and is read, changed and
written in three steps. Two processes that compile at once can leave an entry that names the other's
machine code. It records the version of numba, but of no other library, and a damaged file
stops the program. Here the name of a file is a hash of everything that decides its content. So
there is no index, two writers of one file write the same content, and a file that does not end with
its own digest is ignored.

A digest finds damage, not malice: machine code is a pickle, and unpickling runs code. So a file is
read only where nobody but the user can have written it (`codegen.files.private_files`); it is read
once, and the bytes that were checked are those that are unpickled.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Collection
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps, loads
from numba.core.sigutils import normalize_signature

from codegen.files.private_files import private_content, write_private
from codegen.store import joined_late, plain_loops, records
from codegen.store.inner_functions import InnerCompiler
from codegen.store.joined_late import stays_function
from codegen.store.plain_loops import PlainLoopsCompiler

SUFFIX = ".machine"
DIGEST_BYTES = 32  # at the end of a file: the SHA-256 of all bytes before
SWITCHES = (
    "OPT",
    "LOOP_VECTORIZE",
    "SLP_VECTORIZE",
    "BOUNDSCHECK",
    "DEBUGINFO_DEFAULT",
    "ENABLE_PROFILING",
)


def folder_of(path: Path) -> Path:
    """Return the folder with the machine code of the module in this file."""
    return path.parent / "__pycache__"


def keep_machine_code(
    module: ModuleType,
    path: Path,
    code_hash: str,
    *,
    of_device: bool = False,
    taken: Collection[str] = (),
) -> None:
    """Let every cached function of the module use this cache, and compile no entry points that
    nobody calls.

    The entry points of a function, one for Python and one for C, take a third of the time of
    compiling a module. This program calls no device function from Python (which would then crash),
    and no function at all from C. A kernel that is not kept on disk is called by ``run``; it gets
    its entry point where Python calls it.

    Args:
        module: the module.
        path: the file of its text.
        code_hash: the hash of all texts that its machine code is made of.
        of_device: whether device functions are kept, too: those of the module that others take
            them from. In any other module they are part of the functions that call them.
        taken: the functions that both Python and other modules call: they are kept, and compiled
            functions take what was compiled for Python, if it was.
    """
    functions: list[Any] = [f for f in vars(module).values() if isinstance(f, Dispatcher)]
    for f in functions:
        f._compiler.pipeline_class = PlainLoopsCompiler
        f.targetoptions.update(
            no_cfunc_wrapper=True, no_cpython_wrapper="forceinline" in f.targetoptions
        )
        if of_device or f.__name__ in taken or isinstance(f._cache, FunctionCache):
            f._cache = MachineCode(f.py_func, path, code_hash, stays_function(f.targetoptions))
        if f.__name__ in taken:
            _call_as_it_is_compiled(f)
        elif of_device or isinstance(f._cache, FunctionCache):
            continue
        elif "nogil" not in f.targetoptions:
            _call_without_entry_point(f)


def _call_without_entry_point(f: Any) -> None:
    """Let compiled functions that call this one compile it as a part of themselves, without an
    entry point for Python.
    """
    inner = _inner(f)
    f.get_call_template, f.get_overload = inner.get_call_template, inner.get_overload


def _call_as_it_is_compiled(f: Any) -> None:
    """Let compiled functions take this one with its entry point where it has been compiled for
    Python, and compile it without where it has not.
    """
    inner, template, overload = _inner(f), f.get_call_template, f.get_overload

    def get_call_template(args: Any, kws: Any) -> Any:
        chosen = template if tuple(args) in f.overloads else inner.get_call_template
        return chosen(args, kws)

    def get_overload(signature: Any) -> Any:
        args, _ = normalize_signature(signature)
        return (overload if tuple(args) in f.overloads else inner.get_overload)(signature)

    f.get_call_template, f.get_overload = get_call_template, get_overload


def _inner(f: Any) -> Any:
    """The same function, as a part of its callers alone."""
    options = {**f.targetoptions, "no_cpython_wrapper": True}
    return type(f)(f.py_func, targetoptions=options, pipeline_class=InnerCompiler)


def ways_of_compiling() -> tuple[str, ...]:
    """Return everything that decides the machine code besides text, signature and processor:
    versions and switches.
    """
    versions = (
        sys.implementation.cache_tag,
        numba.__version__,
        llvmlite.__version__,
        np.__version__,
        _text_of(records),
        _text_of(plain_loops),
        _text_of(joined_late),
    )
    return (*versions, *(f"{name}={getattr(config, name, None)}" for name in SWITCHES))


class MachineCode(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, with files of its own."""

    def __init__(self, function: Any, path: Path, code_hash: str, joins_late: bool) -> None:
        super().__init__(function)
        self._cache_file = _Files(path, function.__qualname__, code_hash)
        self._joins_late = joins_late

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is not None:  # a library of Numba's own class
            found.library.joins_late = self._joins_late
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(OSError):  # a full or read-only disk: then it is compiled again next time
            super().save_overload(sig, data)


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """The files of one function, without an index: the name of each is a hash of all that decides
    its content.
    """

    def __init__(self, path: Path, function: str, code_hash: str) -> None:
        super().__init__(str(folder_of(path)), f"{path.stem}.{function}", code_hash)

    def flush(self) -> None:
        """Do nothing: there is no index to empty."""

    def save(self, key: Any, data: Any) -> None:
        """Write the compiled function to disk.

        Raises:
            OSError: where it cannot be written.
        """
        content: bytes = dumps(data)
        write_private(self._path(key), content + _digest(content))

    def load(self, key: Any) -> Any:
        """Return the compiled function; None where there is none, or it is damaged, or somebody
        else may have written it.
        """
        content = private_content(self._path(key))
        if content is None or len(content) <= DIGEST_BYTES:
            return None
        code, digest = content[:-DIGEST_BYTES], content[-DIGEST_BYTES:]
        return loads(code) if _digest(code) == digest else None

    def _path(self, key: Any) -> Path:
        return Path(self._cache_path, self._name(key))

    def _name(self, key: Any) -> str:
        """Return the file name: a hash of text, signature, processor with its features, and way of
        compiling.
        """
        signature, processor, _ = key
        parts = (
            self._source_stamp,
            self._index_name,
            repr(signature),
            repr(processor),
            *ways_of_compiling(),
        )
        digest = _digest(repr(parts).encode()).hex()[:32]
        return f"{self._index_name.removesuffix('.nbi')}.{digest}{SUFFIX}"


@cache
def _text_of(compiling: ModuleType) -> str:
    """A hash of a file that decides how arguments are laid out, or machine code is made."""
    return _digest(Path(str(compiling.__file__)).read_bytes()).hex()


def _digest(content: bytes) -> bytes:
    return hashlib.sha256(content).digest()
