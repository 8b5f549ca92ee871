"""Finding recipes, updates, kernels and posteriors: in a user's file, or in the catalog by name."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import catalog
import catalog.audits
from recipe import (
    DecimalWarning,
    Dense,
    Discretisation,
    Kernel,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Update,
    discretised,
)
from recipe.kernel import MetropolisedMap, MetropolisedPath, MetropolisHastings, Repeat, compose
from recipe.scheme import PRINTED
from recipe_cli.errors import TOO_DEEP, one_line
from recipe_cli.terminal.printing import print_line

MAX_FILE_BYTES = 50_000_000  # of a recipe file: Python takes a hundred times as much to compile it


@dataclass(frozen=True)
class Declaration:
    """A recipe, an update, a discrete step of either, or a kernel, by the name that it is bound to
    and the file it stands in.
    """

    name: str
    file: str
    declared: Recipe | Update | Discretisation | Kernel

    @property
    def where(self) -> str:
        """What is typed to mean this one."""
        return self.file if ":" in self.file else f"{self.file}:{self.name}"


@dataclass(frozen=True)
class UnfitDeclaration:
    """A recipe that a scheme does not fit, and why."""

    name: str
    file: str
    error: RecipeError


def declarations(where: str) -> list[Declaration]:
    """The recipes, updates and kernels of ``FILE``, ``FILE:NAME`` or a catalog name.

    Raises:
        RecipeError: in one sentence, where there is no such file or name, or the file cannot be
            run.
    """
    path, _, wanted = where.partition(":") if not Path(where).exists() else (where, "", "")
    if path.endswith(".py") or Path(path).is_file():
        found = _in_module(_run_file(Path(path)), path)
        if not found:
            raise RecipeError(
                f"{path} defines no Recipe and no Update and no Kernel at module level"
            )
    else:
        found = _in_catalog(path, wanted)
    return _only(found, wanted, path) if wanted else found


def discrete_steps(where: str, scheme: str) -> list[Declaration | UnfitDeclaration]:
    """The discrete steps of the recipes in FILE by a scheme; ``printed`` takes the rules that are
    printed there, as they stand.

    Raises:
        RecipeError: as ``declarations``, and where the scheme does not fit.
    """
    found = declarations(where)
    wanted = [d for d in found if _can_be_discretised(d.declared, scheme)]
    if not wanted:
        what = "printed rule" if scheme.lower() == PRINTED else "recipe"
        raise RecipeError(
            f"{where} has no {what} to take a step of; it defines"
            f" {', '.join(d.name for d in found)}"
        )
    made = [_step(d, scheme) for d in wanted]
    if all(isinstance(step, UnfitDeclaration) for step in made):
        raise RecipeError(
            "; ".join(
                f"{step.name}: {step.error}" for step in made if isinstance(step, UnfitDeclaration)
            )
        )
    return made


def _can_be_discretised(declared: Any, scheme: str) -> bool:
    printed = scheme.lower() == PRINTED
    if isinstance(declared, Recipe):
        return not printed or declared.update is not None
    return isinstance(declared, Update) and printed


def _step(declaration: Declaration, scheme: str) -> Declaration | UnfitDeclaration:
    """The step, or why there is none: what does not fit one recipe of a file costs the others
    nothing.
    """
    assert isinstance(declaration.declared, Recipe | Update)
    try:
        made = discretised(declaration.declared, scheme)
    except RecipeError as error:
        return UnfitDeclaration(declaration.name, declaration.file, error)
    return replace(declaration, name=f"{declaration.name}, {scheme}", declared=made)


def single_declaration(found: Sequence[Declaration]) -> Declaration:
    """The one declaration that a certificate is to be about."""
    if len(found) == 1:
        return found[0]
    names = ", ".join(d.name for d in found)
    raise RecipeError(
        f"a certificate is about one recipe, and there are {names}: say which,"
        f" {found[0].file}:{found[0].name}"
    )


def concrete_declaration(where: str) -> Declaration:
    """The one recipe or update that can be compiled: every abstract function but potentials has a
    meaning.

    Where a file of the catalog has an abstract recipe and a concrete instance, called so and more,
    that one is meant.
    """
    found = declarations(where)
    if len(found) == 1 and _unbound(found[0]):
        beside = [
            d
            for d in _of_catalog_file(Path(found[0].file).stem)
            if d.name.startswith(found[0].name)
        ]
        found = beside if found[0] in beside else found
    concrete = [d for d in found if not _unbound(d)]
    if len(concrete) == 1:
        if found[0] is not concrete[0]:
            print_line(
                f"note: {found[0].name} has no values for {_unbound(found[0])[0]}; this is"
                f" {concrete[0].name}",
                err=True,
            )
        return concrete[0]
    if not concrete:
        raise RecipeError(
            f"{where}: {_unbound(found[0])[0]} has no meaning yet; bind it, bind({found[0].name},"
            " {...})"
        )
    names = ", ".join(d.name for d in concrete)
    raise RecipeError(f"{where} defines {names}: say which, {concrete[0].file}:{concrete[0].name}")


def _unbound(declaration: Declaration) -> list[Any]:
    return [a for a in declaration.declared.abstract if not isinstance(a, Potential | Dense)]


def catalog_entries() -> list[Declaration]:
    """Every sampler in the catalog, by file; the audits are apart."""
    return [entry for name in _catalog_files() for entry in _of_catalog(name)]


def _catalog_files() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(catalog.__path__) if not m.ispkg)


def _of_catalog_file(name: str) -> list[Declaration]:
    """What the file of the catalog of that name declares; nothing where there is none."""
    return _of_catalog(name) if name in _catalog_files() else []


def _of_catalog(module: str) -> list[Declaration]:
    return _in_module(
        importlib.import_module(f"catalog.{module}"), f"catalog/{module.replace('.', '/')}.py"
    )


def audit_names() -> list[str]:
    """The names of the audits in the catalog, one a source."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.audits.__path__))


def audit_declarations(where: str) -> list[Declaration]:
    """The rules of FILE, of FILE:NAME, or of an audit in the catalog by its name, or by that and
    the name of a rule.

    Raises:
        RecipeError: as ``declarations``.
    """
    name, _, wanted = where.partition(":")
    if name not in audit_names() or Path(where).exists():
        return declarations(where)
    found = _of_catalog(f"audits.{name}")
    return _only(found, wanted, name) if wanted else found


def posterior_in(where: str) -> Posterior:
    """The one ``Posterior`` of a file, or the one called NAME of ``FILE:NAME``."""
    path, _, wanted = where.partition(":") if not Path(where).exists() else (where, "", "")
    module = _run_file(Path(path))
    found = {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, Posterior) and (not wanted or n == wanted)
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        raise RecipeError(
            f"{path} defines the posteriors {', '.join(found)}: say which,"
            f" {path}:{next(iter(found))}"
        )
    raise RecipeError(
        f"{path} defines no Posterior{f' called {wanted}' if wanted else ''} at module level"
    )


def _in_module(module: ModuleType, file: str) -> list[Declaration]:
    """What a module binds to public names; a Metropolis test or a repetition that no kernel of it
    has is a kernel of one part.
    """
    public = {name: value for name, value in vars(module).items() if not name.startswith("_")}
    used = {
        id(p)
        for value in public.values()
        if issubclass(type(value), Kernel | Repeat)
        for p in value.parts
    }
    seen: dict[int, Declaration] = {}
    for name, value in public.items():
        if id(value) in seen:
            continue
        if issubclass(type(value), Recipe | Update | Kernel):
            seen[id(value)] = Declaration(name, file, value)
        elif (
            issubclass(
                type(value), MetropolisHastings | MetropolisedMap | MetropolisedPath | Repeat
            )
            and id(value) not in used
        ):
            seen[id(value)] = Declaration(name, file, compose(value))
    return list(seen.values())


def _in_catalog(name: str, wanted: str) -> list[Declaration]:
    """The entry of that name, or all of the file of that name, of which one is ``wanted``.

    Most entries have the name of their file; then no other is imported, which would take half a
    second.
    """
    of_file = _of_catalog_file(name)
    found = (
        of_file
        if wanted and of_file
        else [e for e in of_file or catalog_entries() if e.name == name] or of_file
    )
    if found:
        return found
    if name in audit_names():
        raise RecipeError(
            f"{name} is no sampler, but an audit of rules found elsewhere: `recipe audit {name}`"
        )
    raise RecipeError(
        f"{name} is neither a file nor in the catalog; `recipe list` shows the catalog, and a file"
        " ends in .py"
    )


def _only(found: list[Declaration], wanted: str, path: str) -> list[Declaration]:
    chosen = [d for d in found if d.name == wanted]
    if not chosen:
        raise RecipeError(
            f"{path} defines no Recipe, Update or Kernel called {wanted}; it defines"
            f" {', '.join(d.name for d in found)}"
        )
    return chosen


def _run_file(path: Path) -> ModuleType:
    """Run a recipe file. It is the user's own Python program and is run as such."""
    if not path.is_file():
        raise RecipeError(
            f"{path} is not a regular file" if path.exists() else f"there is no file {path}"
        )
    if path.stat().st_size > MAX_FILE_BYTES:
        raise RecipeError(
            f"{path} has {path.stat().st_size} bytes; a recipe file has at most"
            f" {MAX_FILE_BYTES}, and reads its data"
        )
    name = f"_recipe_file_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RecipeError(f"{path} is not a Python file; a recipe file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always", DecimalWarning)
            spec.loader.exec_module(module)
        for text in dict.fromkeys(
            str(w.message) for w in said if issubclass(w.category, DecimalWarning)
        ):
            print_line(f"note: {text}", err=True)
    except (KeyboardInterrupt, MemoryError):
        # neither is a mistake in the file: somebody interrupts, or a limit of memory is reached
        raise
    except BaseException as error:
        raise RecipeError(f"{path}{_line_of(error, path)}: {_one_line(error)}") from None
    finally:
        sys.path.pop(0)
    return module


def _line_of(error: BaseException, path: Path) -> str:
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == path.absolute()
    ]
    return f", line {lines[-1]}" if lines else ""


def _one_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    return (
        one_line(error)
        if isinstance(error, RecipeError)
        else f"{type(error).__name__}: {one_line(error)}"
    )
