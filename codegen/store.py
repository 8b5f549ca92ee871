"""Generated modules on disk: content-hashed names, checked before they are written, written whole or not at all.

The text of a module is a function of everything that it was made from: the declaration, the scheme, the options, the versions of
this program and of sympy. Its hash is the key; `codegen.machine_code` adds what else decides the machine code.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.abc import SourceLoader
from pathlib import Path
from types import ModuleType

import platformdirs

from codegen.gate import checked
from codegen.machine_code import keep_machine_code
from codegen.whole import whole_file
from recipe.errors import RecipeError


def hash_of(source: str) -> str:
    """The content hash of a module's text."""
    return hashlib.sha256(source.encode()).hexdigest()


def place() -> Path:
    """Where modules are looked for: ``RECIPE_CACHE``, or the user's cache directory. It need not be there."""
    chosen = os.environ.get("RECIPE_CACHE")
    return Path(chosen).absolute() if chosen else platformdirs.user_cache_path("recipe-sampler") / "modules"


def directory() -> Path:
    """The same, made if need be; where the user's cache directory cannot be written, one that goes when this process ends.

    Raises:
        RecipeError: where ``RECIPE_CACHE`` cannot be made or written.
    """
    path, chosen = place(), os.environ.get("RECIPE_CACHE")
    try:
        path.mkdir(parents=True, exist_ok=True)
        if os.access(path, os.W_OK):
            return path
    except OSError as error:
        if chosen:
            raise RecipeError(f"RECIPE_CACHE={chosen} is not a directory that can be made: {error.strerror}") from None
    if chosen:
        raise RecipeError(f"RECIPE_CACHE={chosen} cannot be written; choose another directory")
    return Path(_of_this_process().name)


@functools.cache
def _of_this_process() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="recipe-sampler-")


def write(path: Path, text: str) -> None:
    """Write a file so that a reader sees either none of it or all of it.

    Raises:
        RecipeError: where the path cannot be written.
    """
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


_one_at_a_time = threading.Lock()
ATTEMPTS = 3


def load(name: str, source: str) -> ModuleType:
    """Import a module text from the store, where it is written first if it is not there, or damaged.

    The time of the file is when it was last used.
    """
    text_hash = hash_of(source)
    stem = f"{name}_{text_hash[:12]}"
    with _one_at_a_time, _refusals():
        known = sys.modules.get(stem)
        if known is not None:
            return known
        path = directory() / f"{stem}.py"
        for attempt in range(ATTEMPTS):
            _written(path, source)
            try:
                module = _imported(stem, path, source)
                break
            except (OSError, RuntimeError):
                if path.exists() or attempt == ATTEMPTS - 1:
                    raise  # otherwise another process has cleared the store in between
        keep_machine_code(module, path, text_hash)
        return module


@contextmanager
def _refusals() -> Iterator[None]:
    """Whatever the system says of the folder, as one sentence; RuntimeError is Numba's, of a folder in which it cannot write."""
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecipeError(f"the modules in {place()} cannot be used: {reason}; choose another folder by RECIPE_CACHE") from None


def _written(path: Path, source: str) -> None:
    checked(source)
    if not _holds(path, source):
        write(path, source)
    with suppress(OSError):
        os.utime(path)


def _holds(path: Path, source: str) -> bool:
    try:
        return path.read_text(encoding="utf-8") == source
    except (OSError, UnicodeDecodeError):
        return False


class _Checked(SourceLoader):
    """Imports the text that was checked, and nothing that somebody may have put in its place meanwhile; keeps no bytecode."""

    def __init__(self, path: Path, source: str) -> None:
        self.path, self.source = path, source

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str | bytes) -> bytes:  # type: ignore[override]
        return self.source.encode()


def _imported(name: str, path: Path, source: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path, loader=_Checked(path, source))
    if spec is None or spec.loader is None:
        raise RecipeError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
