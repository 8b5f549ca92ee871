"""Generated modules on disk: named by a hash of their content, checked before they are written, and
written whole or not at all.

The text of a module is a function of everything that it was made from: the declaration, the scheme,
the options, the versions of this program and of sympy. The hash of the text is the key;
`codegen.store.machine_code` adds what else decides the machine code. The folder belongs to the user
alone (`codegen.files.private_files`), as the machine code in it is run.
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
from dataclasses import dataclass
from importlib.abc import SourceLoader
from pathlib import Path
from types import ModuleType

import platformdirs

from codegen.files.private_files import (
    make_private,
    private_content,
    require_private,
    write_private,
)
from codegen.store.allowlist import checked
from codegen.store.common_functions import take_functions
from codegen.store.machine_code import folder_of, keep_machine_code
from recipe.language.errors import RecipeError


def hash_of(source: str) -> str:
    """Return the SHA-256 of a module's text, in hexadecimal digits."""
    return hashlib.sha256(source.encode()).hexdigest()


def place() -> Path:
    """Return the folder of the modules, ``RECIPE_CACHE`` or the user's cache directory; it need not
    exist.
    """
    chosen = os.environ.get("RECIPE_CACHE")
    return (
        Path(chosen).absolute()
        if chosen
        else platformdirs.user_cache_path("recipe-sampler") / "modules"
    )


def directory() -> Path:
    """Return the folder of the modules, which is made if it does not exist.

    Where the user's cache directory cannot be written, it is a temporary folder that is deleted
    when this process ends.

    Raises:
        RecipeError: where ``RECIPE_CACHE`` cannot be made or written, or somebody else can write
            into the folder.
    """
    path = _writable(place())
    require_private(path)
    compiled = folder_of(path / "any.py")
    with suppress(OSError):  # before Numba makes it, with the mode that the umask leaves
        make_private(compiled)
    if os.path.lexists(compiled):
        require_private(compiled)
    return path


def _writable(path: Path) -> Path:
    """Return the path without links in it, or a temporary folder in its place."""
    chosen = os.environ.get("RECIPE_CACHE")
    try:
        make_private(path)
        if os.access(path, os.W_OK):
            return path.resolve()
    except (OSError, RuntimeError) as error:
        if chosen:
            reason = getattr(error, "strerror", None) or error
            raise RecipeError(
                f"RECIPE_CACHE={chosen} is not a directory that can be made: {reason}"
            ) from None
    if chosen:
        raise RecipeError(f"RECIPE_CACHE={chosen} cannot be written; choose another directory")
    try:
        return Path(_of_this_process().name).resolve()
    except OSError:
        raise RecipeError(
            f"neither {path} nor a temporary folder can be written; set RECIPE_CACHE to a folder"
            " that can"
        ) from None


@functools.cache
def _of_this_process() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="recipe-sampler-")


_one_at_a_time = threading.Lock()
COMMON = "common"  # the first part of the name of the module that others take functions from
DENSITY = "density"  # the same of the module of a density
MAX_ATTEMPTS = 3  # to import a module that another process deletes meanwhile


@dataclass(frozen=True)
class Common:
    """The module that others take functions from, which are compiled once for all of them.

    Attributes:
        text: its text.
        names: the functions that may be taken, where the text is the same.
    """

    text: str
    names: frozenset[str]


def load(
    name: str, source: str, common: Common | None = None, density: Common | None = None
) -> ModuleType:
    """Import a module text from the store, where it is written first if it is missing or damaged.

    The modification time of the file says when it was last used.

    Args:
        name: the first part of the name of its file.
        source: its text.
        common: the module to take functions from; None to take none.
        density: the part of the text that is a module of its own, which a pilot run may have
            compiled already; None where there is none.

    Raises:
        RecipeError: where the text has a statement that no module has, or the store cannot be used.
    """
    shared = [] if common is None else [(common, load(COMMON, common.text))]
    shared += [] if density is None else [(density, load_density(density))]
    return _loaded(name, source, shared)


def load_density(density: Common) -> ModuleType:
    """Import the module of a density, whose functions Python calls and other modules take.

    Args:
        density: its text, and these functions.

    Raises:
        RecipeError: as ``load``.
    """
    return _loaded(DENSITY, density.text, [], density.names)


def _loaded(
    name: str,
    source: str,
    shared: list[tuple[Common, ModuleType]],
    taken: frozenset[str] = frozenset(),
) -> ModuleType:
    text_hash = hash_of(source)
    stem = f"{name}_{text_hash[:12]}"
    with _one_at_a_time, _refusals():
        known = sys.modules.get(stem)
        if known is not None:
            return known
        path = directory() / f"{stem}.py"
        for attempt in range(MAX_ATTEMPTS):
            _written(path, source)
            try:
                module = _imported(stem, path, source)
                break
            except (OSError, RuntimeError):
                if path.exists() or attempt == MAX_ATTEMPTS - 1:
                    raise  # otherwise another process has cleared the store in between
        # machine code names the module that its functions were taken from
        code_hash = hash_of("".join([source, *(of.text for of, _ in shared)]))
        keep_machine_code(module, path, code_hash, of_device=name == COMMON, taken=taken)
        for of, other in shared:
            take_functions(module, source, other, of.text, of.names)
        return module


@contextmanager
def _refusals() -> Iterator[None]:
    """Turn errors of the file system into one sentence; a RuntimeError is Numba's, about a folder
    in which it cannot write.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RecipeError(
            f"the modules in {place()} cannot be used: {reason}; choose another folder by"
            " RECIPE_CACHE"
        ) from None


def _written(path: Path, source: str) -> None:
    checked(source)
    if not _holds(path, source):
        write_private(path, source.encode())
    with suppress(OSError):
        os.utime(path)


def _holds(path: Path, source: str) -> bool:
    return private_content(path) == source.encode()


class _CheckedText(SourceLoader):
    """Imports the text that was checked, even if somebody has changed the file meanwhile; keeps no
    bytecode.
    """

    def __init__(self, path: Path, source: str) -> None:
        self.path, self.source = path, source

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str | bytes) -> bytes:  # type: ignore[override]
        return self.source.encode()


def _imported(name: str, path: Path, source: str) -> ModuleType:
    """Run the checked text as a module of this name."""
    spec = importlib.util.spec_from_file_location(name, path, loader=_CheckedText(path, source))
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
