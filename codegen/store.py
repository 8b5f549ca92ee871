"""Generated modules on disk: content-hashed names, checked before they are written, written whole or not at all."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import platformdirs

from codegen.whole import whole_file
from recipe.errors import RecipeError

IMPORTS = {"math", "numpy", "numba", "operator", "typing"}
FROM = {
    "numba.extending": {"intrinsic", "lower_builtin", "lower_cast", "models", "register_model", "type_callable"},
    "llvmlite": {"ir"},
}
FORBIDDEN = {"eval", "exec", "compile", "open", "getattr", "setattr", "delattr", "globals", "locals", "vars", "input", "breakpoint"}


def hash_of(source: str) -> str:
    """The content hash of a module's text."""
    return hashlib.sha256(source.encode()).hexdigest()


def checked(source: str) -> str:
    """The text, if it is Python that imports only numpy, numba, math and typing, and reaches for nothing private."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError) as error:
        raise RecipeError(f"the module text is not Python: {error}") from None
    for node in ast.walk(tree):
        guilty = _guilty(node)
        if guilty:
            line = getattr(node, "lineno", 0)
            raise RecipeError(f"line {line} of the module text uses {guilty}, which no generated module does; generate it again")
    return source


def _guilty(node: ast.AST) -> str | None:
    match node:
        case ast.Import(names=names):
            return next((n.name for n in names if n.name not in IMPORTS), None)
        case ast.ImportFrom(module=module, names=names):
            allowed = module in IMPORTS or {n.name for n in names} <= FROM.get(str(module), set())
            return None if allowed else str(module)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in FORBIDDEN or name.startswith("__"):
            return name
        case ast.ClassDef(bases=bases) if [ast.unparse(b) for b in bases] not in (["NamedTuple"], ["types.Type"]):
            return f"the class {node.name}"
    return None


def directory() -> Path:
    """Where modules live: ``RECIPE_CACHE``, or the user's cache directory; a temporary one where neither can be written."""
    chosen = os.environ.get("RECIPE_CACHE")
    path = Path(chosen) if chosen else platformdirs.user_cache_path("recipe-sampler") / "modules"
    try:
        path.mkdir(parents=True, exist_ok=True)
        if os.access(path, os.W_OK):
            return path
    except OSError as error:
        if chosen:
            raise RecipeError(f"RECIPE_CACHE={chosen} is not a directory that can be made: {error.strerror}") from None
    if chosen:
        raise RecipeError(f"RECIPE_CACHE={chosen} cannot be written; choose another directory")
    return Path(tempfile.mkdtemp(prefix="recipe-sampler-"))


def write(path: Path, text: str) -> None:
    """Write a file so that a reader sees either none of it or all of it.

    Raises:
        RecipeError: where the path cannot be written.
    """
    with whole_file(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def load(name: str, source: str) -> ModuleType:
    """Import a module text from the store, where it is written first if it is not there."""
    stem = f"{name}_{hash_of(source)[:12]}"
    known = sys.modules.get(stem)
    if known is not None:
        return known
    path = directory() / f"{stem}.py"
    if not path.exists() or path.read_text(encoding="utf-8") != source:
        write(path, checked(source))
    return _imported(stem, path)


def _imported(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RecipeError(f"{path} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
