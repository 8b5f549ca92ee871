"""Find recipes, updates, kernels and posteriors: in a file of the user, or in the catalog by
name.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pkgutil
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import catalog
import catalog.audits
import catalog.posteriors
from recipe import (
    DecimalWarning,
    Dense,
    Discretisation,
    Kernel,
    LabelledPosterior,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Update,
    discretised,
)
from recipe.kernel import MetropolisedMap, MetropolisedPath, MetropolisHastings, Repeat, compose
from recipe.language.did_you_mean import did_you_mean
from recipe.laws.above_zero import SupportWarning
from recipe.scheme import PRINTED
from recipe_cli.errors import TOO_DEEP, one_line, printable
from recipe_cli.slips import slip_of
from recipe_cli.terminal.printing import print_line

ENDLESS_CALLS = 100  # of one function inside of itself, when Python stops a recursion
NOTES = (DecimalWarning, SupportWarning)  # warnings about a declaration that are shown
MAX_FILE_BYTES = 50_000_000  # of a recipe file: to compile it, Python needs a hundred times this


@dataclass(frozen=True)
class Declaration:
    """A recipe, an update, a discrete step of either, a kernel, or data with labels.

    Attributes:
        name: the name that it is bound to.
        file: the file that declares it; for an entry of the catalog ``catalog/NAME.py``.
        declared: the object itself.
        file_argument: the argument that selects the file on the command line: its path, or the
            name of a file of the catalog.
    """

    name: str
    file: str
    declared: Recipe | Update | Discretisation | Kernel | LabelledPosterior
    file_argument: str

    @property
    def where(self) -> str:
        """The argument that selects this declaration on the command line, such as
        ``my.py:sampler``.
        """
        return f"{self.file_argument}:{self.name}"


@dataclass(frozen=True)
class UnfitDeclaration:
    """A recipe that a scheme does not fit, with the reason."""

    name: str
    file: str
    error: RecipeError


def declarations(where: str) -> list[Declaration]:
    """Return the recipes, updates and kernels of ``FILE``, ``FILE:NAME``, the dotted name of code,
    or a catalog name.

    Raises:
        RecipeError: if there is no such file or name, or the file cannot be run.
    """
    path, _, wanted = _parts(where)
    if _is_path(path):
        found = _in_module(_run_file(Path(path)), path, path)
        if not found:
            raise RecipeError(_nothing_declared(path))
    elif _is_dotted(path):
        found = _in_code(path)
    else:
        found = _in_catalog(path, wanted)
    return _only(found, wanted, path) if wanted else found


def discrete_steps(where: str, scheme: str) -> list[Declaration | UnfitDeclaration]:
    """Return the discrete steps of the recipes in FILE by a scheme.

    Args:
        where: ``FILE``, ``FILE:NAME`` or a catalog name.
        scheme: the name of a scheme. ``printed`` takes the rules as their papers print them.

    Returns:
        A step for each recipe that the scheme fits, and an ``UnfitDeclaration`` for each other one.

    Raises:
        RecipeError: as ``declarations`` does, and if the scheme fits no recipe.
    """
    found = declarations(where)
    wanted = [d for d in found if _can_be_discretised(d.declared, scheme)]
    if not wanted:
        what = "printed rule" if scheme.lower() == PRINTED else "recipe"
        raise RecipeError(
            f"{where} has no {what} to discretise; it defines {', '.join(d.name for d in found)}"
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
    """Return the discrete step of a declaration, or the reason why the scheme does not fit it."""
    assert isinstance(declaration.declared, Recipe | Update)
    try:
        made = discretised(declaration.declared, scheme)
    except RecipeError as error:
        return UnfitDeclaration(declaration.name, declaration.file, error)
    return replace(declaration, name=f"{declaration.name}, {scheme}", declared=made)


def single_declaration(found: Sequence[Declaration]) -> Declaration:
    """Return the only declaration of a list, which a certificate is about.

    Raises:
        RecipeError: if there are several.
    """
    if len(found) == 1:
        return found[0]
    names = ", ".join(d.name for d in found)
    raise RecipeError(
        f"a certificate is about one recipe, and there are {names}: choose one, as in"
        f" {found[0].where}"
    )


def concrete_declaration(where: str) -> Declaration:
    """Return the one recipe, update or kernel that can be compiled.

    It can be compiled if no abstract function but potentials and matrices is left in it. A file of
    the catalog may declare an abstract recipe beside a concrete instance whose name begins with the
    name of the recipe: then the instance is returned, and a note says so.

    Raises:
        RecipeError: if there is none, or if there are several.
    """
    found = [d for d in declarations(where) if not isinstance(d.declared, LabelledPosterior)]
    if not found:
        raise RecipeError(
            f"{where} defines data with labels alone, and no sampler: `recipe verify {where}`"
            f" judges them, and `recipe labels {where}` samples them"
        )
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
    raise RecipeError(f"{where} defines {names}: choose one, as in {concrete[0].where}")


def labelled_declaration(where: str) -> Declaration:
    """Return the one ``LabelledPosterior`` of FILE, or the one called NAME of FILE:NAME.

    Raises:
        RecipeError: if there is none, or if there are several.
    """
    found = [d for d in declarations(where) if isinstance(d.declared, LabelledPosterior)]
    if not found:
        raise RecipeError(
            f"{where} defines no LabelledPosterior, the joint law of a datum and its labels; a"
            " posterior without labels is for `recipe sample`"
        )
    if len(found) > 1:
        names = ", ".join(d.name for d in found)
        raise RecipeError(f"{where} defines {names}: choose one, as in {found[0].where}")
    return found[0]


def value_beside(declaration: Declaration, name: str) -> Any:
    """Return what a name stands for in the file that declares something.

    Raises:
        RecipeError: if the file gives it no value.
    """
    module = sys.modules.get(_module_name(Path(declaration.file_argument)))
    if module is None or name.startswith("_") or not hasattr(module, name):
        raise RecipeError(
            f"{name} is neither a number nor an expression of {declaration.file}: give a number, or"
            f" add a line {name} = ... to the file"
        )
    return getattr(module, name)


def _unbound(declaration: Declaration) -> list[Any]:
    """Return the abstract functions of a declaration that must be bound before it can be
    compiled.
    """
    return [a for a in declaration.declared.abstract if not isinstance(a, Potential | Dense)]


def catalog_entries() -> list[Declaration]:
    """Return every sampler of the catalog, file by file, without the audits."""
    return [entry for name in _catalog_files() for entry in _of_catalog(name)]


def _catalog_files() -> list[str]:
    return sorted(m.name for m in pkgutil.iter_modules(catalog.__path__) if not m.ispkg)


def _of_catalog_file(name: str) -> list[Declaration]:
    """Return the declarations of the catalog file with this name; none if there is no such file."""
    return _of_catalog(name) if name in _catalog_files() else []


def _of_catalog(module: str) -> list[Declaration]:
    return _in_module(
        importlib.import_module(f"catalog.{module}"),
        f"catalog/{module.replace('.', '/')}.py",
        module.rpartition(".")[2],
    )


def audit_names() -> list[str]:
    """Return the names of the audits in the catalog, one for each source."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.audits.__path__))


def audit_declarations(where: str) -> list[Declaration]:
    """Return the rules of FILE, of FILE:NAME, or of an audit in the catalog: ``AUDIT`` or
    ``AUDIT:NAME``.

    Raises:
        RecipeError: as ``declarations`` does.
    """
    name, _, wanted = where.partition(":")
    if name not in audit_names():
        if not (_is_path(name) or _is_dotted(name) or name in _catalog_files()):
            _refuse_misspelt_audit(name)
        return declarations(where)
    found = _of_catalog(f"audits.{name}")
    return _only(found, wanted, name) if wanted else found


def _refuse_misspelt_audit(name: str) -> None:
    """Raise RecipeError about a name that is like the name of an audit and of no sampler."""
    meant = did_you_mean(name, audit_names())
    if meant and name not in [e.name for e in catalog_entries()]:
        raise RecipeError(
            f"there is no audit {name} in the catalog; {meant}`recipe audit --all`"
            f" audits {', '.join(audit_names())}"
        )


def posterior_in(where: str) -> Posterior:
    """Return the one ``Posterior`` of a file, the one called NAME of ``FILE:NAME``, or the one of
    the catalog with this name.

    Raises:
        RecipeError: if there is none, or if there are several.
    """
    path, _, wanted = _parts(where)
    if path in posterior_names():
        module = importlib.import_module(f"catalog.posteriors.{path}")
    elif _is_path(path):
        module = _run_file(Path(path))
    else:
        raise RecipeError(_no_posterior(path))
    found = {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, Posterior) and (not wanted or n == wanted)
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        named = "posterior" if "posterior" in found else next(reversed(found))
        raise RecipeError(
            f"{path} defines the posteriors {', '.join(found)}: choose one, as in {path}:{named}"
        )
    there = [n for n, v in vars(module).items() if isinstance(v, Posterior)]
    if there:
        raise RecipeError(
            f"{path} defines no Posterior called {wanted}; {did_you_mean(wanted, there)}it defines"
            f" {', '.join(there)}"
        )
    raise RecipeError(f"{path} defines no Posterior at module level")


def source_of(declaration: Declaration) -> str:
    """Return the text of the file that declares a sampler; empty if it cannot be read."""
    path = declaration.file
    if not _is_path(declaration.file_argument):
        spec = importlib.util.find_spec(f"catalog.{Path(path).stem}")
        path = spec.origin if spec is not None and spec.origin is not None else path
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""


def posterior_names() -> list[str]:
    """Return the names of the posteriors in the catalog."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.posteriors.__path__) if not m.ispkg)


def posterior_summary(name: str) -> str:
    """Return the first paragraph that the file of a posterior in the catalog says of itself.

    The file is read and not run: its data take longer to read than all of the catalog.
    """
    spec = importlib.util.find_spec(f"catalog.posteriors.{name}")
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    paragraph = (ast.get_docstring(ast.parse(text)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")


def _parts(where: str) -> tuple[str, str, str]:
    """Return the path or catalog name of an argument, a colon, and the name of a declaration, which
    is empty if there is none.
    """
    return (where, "", "") if Path(where).exists() else where.partition(":")


def _is_path(text: str) -> bool:
    """Whether this is a path: it ends in .py or has a folder in it. All else is a name of the
    catalog, whatever is in the working directory.
    """
    return text.endswith(".py") or os.sep in text


def _is_dotted(text: str) -> bool:
    """Whether this is the dotted name of code, such as ``blackjax.sgmcmc.sgld``."""
    parts = text.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def _in_code(dotted: str) -> list[Declaration]:
    """Return the rules that are read out of the code with a dotted name."""
    from recipe.lifting.adapters.find import lifted_by_name  # it imports numpy

    if Path(dotted).is_file():
        raise RecipeError(f"{dotted} is a file whose name does not end in .py")
    rules = lifted_by_name(dotted)
    return [Declaration(name, dotted, rule, dotted) for name, rule in rules.items()]


def _no_posterior(name: str) -> str:
    """Return the complaint about a name that is neither a path nor in the catalog."""
    return (
        f"{name} is not a posterior of the catalog;"
        f" {did_you_mean(name, posterior_names())}`recipe list` shows them, and a path ends in"
        f" .py or has a folder in it{_as_path(name)}"
    )


def _meant(name: str) -> str:
    """Return a question about the name of a sampler that is misspelt or lacks its ending."""
    if Path(f"{name}.py").is_file():
        return f"did you mean {name}.py? "
    if name.lower() == "nuts":
        return "did you mean hmc_kernel, whose trajectories have a random length? "
    return did_you_mean(name, [*_catalog_files(), *(e.name for e in catalog_entries())])


def _as_path(name: str) -> str:
    """Return how a file of the working directory with this name is written as a path, if there is
    one.
    """
    return f", here ./{name}" if Path(name).is_file() else ""


def _nothing_declared(path: str) -> str:
    """Return the complaint about a file without a sampler."""
    module = sys.modules[_module_name(Path(path))]
    posteriors = [name for name, value in vars(module).items() if isinstance(value, Posterior)]
    meant = (
        f"; it defines the posterior {posteriors[0]}: recipe sample SAMPLER --posterior {path}"
        if posteriors
        else ""
    )
    return f"{path} defines no Recipe and no Update and no Kernel at module level{meant}"


def _in_module(module: ModuleType, file: str, file_argument: str) -> list[Declaration]:
    """Return what a module binds to public names.

    A Metropolis test or a repetition that belongs to no kernel of the module counts as a kernel
    with one part.
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
        if issubclass(type(value), Recipe | Update | Kernel | LabelledPosterior):
            seen[id(value)] = Declaration(name, file, value, file_argument)
        elif (
            issubclass(
                type(value), MetropolisHastings | MetropolisedMap | MetropolisedPath | Repeat
            )
            and id(value) not in used
        ):
            seen[id(value)] = Declaration(name, file, compose(value), file_argument)
    return list(seen.values())


def _in_catalog(name: str, wanted: str) -> list[Declaration]:
    """Return the entry with this name, or all entries of the catalog file with this name.

    Most entries have the name of their file. Then no other file is imported, which would take half
    a second.

    Args:
        name: the name of a file or of an entry.
        wanted: the name of one entry of the file; empty for all of them.
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
            f"{name} is an audit of published rules and no sampler: use `recipe audit {name}`"
        )
    raise RecipeError(
        f"{name} is neither a file nor in the catalog; {_meant(name)}`recipe list` shows the"
        f" catalog, and a path ends in .py or has a folder in it{_as_path(name)}"
    )


def _only(found: list[Declaration], wanted: str, path: str) -> list[Declaration]:
    """Return the declarations with this name."""
    chosen = [d for d in found if d.name == wanted]
    if not chosen:
        meant = did_you_mean(wanted, [d.name for d in found])
        raise RecipeError(
            f"{path} defines no Recipe, Update or Kernel called {wanted}; {meant}it defines"
            f" {', '.join(d.name for d in found)}"
        )
    return chosen


def _run_file(path: Path) -> ModuleType:
    """Run a recipe file, which is the user's own Python program, and return it as a module."""
    if not path.is_file():
        raise RecipeError(
            f"{path} is not a regular file" if path.exists() else f"there is no file {path}"
        )
    if path.stat().st_size > MAX_FILE_BYTES:
        raise RecipeError(
            f"{path} has {path.stat().st_size} bytes, and a recipe file may have at most"
            f" {MAX_FILE_BYTES}: keep its data in a file of their own"
        )
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise RecipeError(f"{path} is not a Python file; a recipe file ends in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent.resolve()))
    try:
        with warnings.catch_warnings(record=True) as caught:
            for kind in NOTES:
                warnings.simplefilter("always", kind)
            spec.loader.exec_module(module)
        for text in dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, NOTES)):
            print_line(f"note: {text}", err=True)
    except (KeyboardInterrupt, MemoryError):
        # Neither is a mistake in the file: the user interrupts, or a memory limit is reached.
        raise
    except BaseException as error:
        said = _endless_call(error, path) or _one_line(error)
        raise RecipeError(f"{path}{_line_of(error, path)}: {said}") from None
    finally:
        sys.path.pop(0)
    return module


def _module_name(path: Path) -> str:
    """Return the name under which Python keeps the module of a recipe file."""
    return f"_recipe_file_{path.stem}"


def _line_of(error: BaseException, path: Path) -> str:
    """Return the line of a file where an exception was raised, as text; empty if it is unknown."""
    if isinstance(error, SyntaxError):
        return f", line {error.lineno}" if error.lineno else ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename) == path.absolute()
    ]
    return f", line {lines[-1]}" if lines else ""


def _endless_call(error: BaseException, path: Path) -> str | None:
    """Return the sentence about a function of the file that calls itself again and again; None for
    any other exception.
    """
    if not isinstance(error, RecursionError):
        return None
    frames = traceback.extract_tb(error.__traceback__)
    calls = Counter(f.name for f in frames if Path(f.filename) == path.absolute())
    name, count = calls.most_common(1)[0] if calls else ("", 0)
    if count < ENDLESS_CALLS:
        return None
    return (
        f"{printable(name)} calls itself again and again, until Python stops it after {count}"
        " calls; give it a case in which it returns without a call"
    )


def _one_line(error: BaseException) -> str:
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, RecipeError):
        return one_line(error)
    slip = slip_of(error)
    return printable(slip) if slip is not None else f"{type(error).__name__}: {one_line(error)}"
