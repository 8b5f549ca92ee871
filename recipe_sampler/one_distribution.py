"""Importing this module checks that our packages come from one distribution.

Other distributions of the package index are called ``recipe``, ``verify``, ``codegen`` and
``catalog``: installing one overwrites our ``__init__.py``, and removing it deletes ours. A folder
of the user, or an older checkout, may stand before ours on the path. Each of our packages imports
this module first, and the mention of its name shows that an ``__init__.py`` is ours. The packages
are looked up and not imported.

A module ``catalog`` of the user, such as a part of a web site, may hide ours until somebody asks
for the catalog: the other packages do not import it.

Imports the standard library alone, and little of it, as it is part of every start.
"""

from __future__ import annotations

import os
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

DISTRIBUTION = "recipe-sampler"
PACKAGES = ("recipe", "verify", "codegen", "catalog", "recipe_cli")
CATALOG = "catalog"
MARK = b"recipe_sampler.one_distribution"  # in each __init__.py of ours
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class MixedPackagesError(ImportError):
    """One of our packages is missing, or another one has its name."""


def require_one_distribution() -> None:
    """Check that each of our packages is found beside this one, and is ours; ``catalog`` may be
    hidden by a module that lies elsewhere.

    Raises:
        MixedPackagesError: naming the first that is not, and the repair.
    """
    for name in PACKAGES:
        _require(name, may_be_hidden=name == CATALOG)


def require_catalog() -> None:
    """Check that the package ``catalog`` that is found is ours.

    Raises:
        MixedPackagesError: naming the module that hides it, and the repair.
    """
    _require(CATALOG)


def _require(name: str, may_be_hidden: bool = False) -> None:
    try:
        spec = find_spec(name)
    except ValueError:  # somebody has put a module of this name into sys.modules by hand
        return
    if may_be_hidden and spec is not None and not _is_ours_by_place(spec):
        return
    complaint = _complaint(name, spec)
    if complaint is not None:
        raise MixedPackagesError(complaint, name=name, path=None if spec is None else spec.origin)


def _complaint(name: str, spec: ModuleSpec | None) -> str | None:
    """Return what is wrong with the package that is found under a name, in one sentence; None if it
    is ours.
    """
    if spec is None:
        return f"{DISTRIBUTION} is damaged: its package {name} is missing; {_repair()}"
    if spec.origin is None:
        places = ", ".join(spec.submodule_search_locations or ()) or "an unknown place"
        return (
            f"{DISTRIBUTION} is damaged: the package {name} in {places} has no __init__.py, as when"
            f" a distribution with a package of the same name was removed; {_repair()}"
        )
    folder = os.path.dirname(spec.origin)
    if spec.submodule_search_locations is None:
        return (
            f"{spec.origin} hides the package {name} of {DISTRIBUTION}: rename this file, or take"
            " its folder off the path"
        )
    if not _is_beside_this(folder):
        return _of_another_place(name, folder)
    content = _content(spec)
    if content is None or MARK in content:
        return None
    owner = _owner(name, spec.origin)
    if owner is None:
        return (
            f"{spec.origin} is not of {DISTRIBUTION}, whose package {name} it has overwritten;"
            f" {_repair()}"
        )
    return (
        f"the distribution {owner} has overwritten the package {name} of {DISTRIBUTION} in"
        f" {folder}; {_repair(owner)}"
    )


def _is_ours_by_place(spec: ModuleSpec) -> bool:
    """Whether a package lies beside this one, be it ours or one that has taken its place."""
    return any(_is_beside_this(folder) for folder in spec.submodule_search_locations or ())


def _is_beside_this(folder: str) -> bool:
    parent = os.path.dirname(folder)
    return parent == ROOT or os.path.realpath(parent) == os.path.realpath(ROOT)


def _content(spec: ModuleSpec) -> bytes | None:
    """Return the bytes of the file of a package, wherever its loader has them; None where it has
    none, as in a frozen program, whose packages nobody overwrites.
    """
    try:
        return bytes(spec.loader.get_data(spec.origin))  # type: ignore[union-attr]
    except (AttributeError, OSError):
        return None


def _of_another_place(name: str, folder: str) -> str:
    owner = _owner(name, os.path.join(folder, "__init__.py"))
    if owner is not None:
        return (
            f"the package {name} in {folder} is of the distribution {owner}, and hides the package"
            f" {name} of {DISTRIBUTION} in {ROOT}; {_repair(owner)}"
        )
    return (
        f"the folder {folder} hides the package {name} of {DISTRIBUTION} in {ROOT}: rename this"
        " folder, or take the folder around it off the path (the working directory, PYTHONPATH)"
    )


def _repair(owner: str | None = None) -> str:
    removed = f"pip uninstall {owner}; " if owner else ""
    return f"repair it by: {removed}pip install --force-reinstall {_origin()}"


def _origin() -> str:
    """Return what pip installs us from: the wheel or folder that it has noted, or our name."""
    from importlib.metadata import PackageNotFoundError, distribution
    from json import loads
    from shlex import quote
    from urllib.request import url2pathname

    try:
        noted = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        noted = None
    url = loads(noted)["url"] if noted else DISTRIBUTION
    return quote(url2pathname(url.removeprefix("file://")) if url.startswith("file:") else url)


def _owner(name: str, file: str) -> str | None:
    """Return the distribution, not ours, that says it has installed a file; None if none does."""
    from importlib.metadata import distributions

    for distribution in distributions():
        called = distribution.metadata["Name"]
        if called is None or called.lower().replace("_", "-") == DISTRIBUTION:
            continue
        for entry in distribution.files or ():
            if entry.parts == (name, "__init__.py") and os.path.realpath(
                str(distribution.locate_file(entry))
            ) == os.path.realpath(file):
                return str(called)
    return None


require_one_distribution()
