"""The samplers and audits of the catalog."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from pathlib import Path

import catalog
import catalog.audits
from recipe_cli.declarations.argument import is_path
from recipe_cli.declarations.declaration import Declaration, declarations_of


def catalog_entries() -> list[Declaration]:
    """Return every sampler of the catalog, file by file, without the audits."""
    return [entry for name in catalog_files() for entry in entries_of(name)]


def audit_names() -> list[str]:
    """Return the names of the audits in the catalog, one for each source."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.audits.__path__))


def source_of(declaration: Declaration) -> str:
    """Return the text of the file that declares a sampler; empty if it cannot be read."""
    path = declaration.file
    if not is_path(declaration.file_argument):
        spec = importlib.util.find_spec(f"catalog.{Path(path).stem}")
        path = spec.origin if spec is not None and spec.origin is not None else path
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def catalog_files() -> list[str]:
    """Return the names of the files of samplers in the catalog."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.__path__) if not m.ispkg)


def entries_of_file(name: str) -> list[Declaration]:
    """Return the declarations of the catalog file with this name; none if there is no such file."""
    return entries_of(name) if name in catalog_files() else []


def entries_of(module: str) -> list[Declaration]:
    """Return the declarations of a module of the catalog, ``sghmc`` or ``audits.zhusuan``."""
    return declarations_of(
        importlib.import_module(f"catalog.{module}"),
        f"catalog/{module.replace('.', '/')}.py",
        module.rpartition(".")[2],
    )
