"""Find recipes, updates and kernels: in a file of the user, in code by its dotted name, or in the
catalog by name.
"""

from __future__ import annotations

import sys
from pathlib import Path

from recipe import Posterior, RecipeError
from recipe.language.did_you_mean import did_you_mean
from recipe_cli.declarations.argument import as_path, is_dotted, is_path, parts_of
from recipe_cli.declarations.declaration import Declaration, declarations_of
from recipe_cli.declarations.of_catalog import (
    audit_names,
    catalog_entries,
    catalog_files,
    entries_of,
    entries_of_file,
)
from recipe_cli.declarations.run_file import module_name, run_file


def declarations(where: str) -> list[Declaration]:
    """Return the recipes, updates and kernels of ``FILE``, ``FILE:NAME``, the dotted name of code,
    or a catalog name.

    Raises:
        RecipeError: if there is no such file or name, or the file cannot be run.
    """
    path, _, wanted = parts_of(where)
    if is_path(path):
        found = declarations_of(run_file(Path(path)), path, path)
        if not found:
            raise RecipeError(_nothing_declared(path))
    elif is_dotted(path):
        found = _in_code(path)
    else:
        found = _in_catalog(path, wanted)
    return _only(found, wanted, path) if wanted else found


def audit_declarations(where: str) -> list[Declaration]:
    """Return the rules of FILE, of FILE:NAME, or of an audit in the catalog: ``AUDIT`` or
    ``AUDIT:NAME``.

    Raises:
        RecipeError: as ``declarations`` does.
    """
    name, _, wanted = where.partition(":")
    if name not in audit_names():
        if not (is_path(name) or is_dotted(name) or name in catalog_files()):
            _refuse_misspelt_audit(name)
        return declarations(where)
    found = entries_of(f"audits.{name}")
    return _only(found, wanted, name) if wanted else found


def _in_code(dotted: str) -> list[Declaration]:
    """Return the rules that are read out of the code with a dotted name."""
    from recipe.lifting.adapters.find import lifted_by_name  # it imports numpy

    if Path(dotted).is_file():
        raise RecipeError(f"{dotted} is a file whose name does not end in .py")
    rules = lifted_by_name(dotted)
    return [Declaration(name, dotted, rule, dotted) for name, rule in rules.items()]


def _in_catalog(name: str, wanted: str) -> list[Declaration]:
    """Return the entry with this name, or all entries of the catalog file with this name.

    Most entries have the name of their file. Then no other file is imported, which would take half
    a second.

    Args:
        name: the name of a file or of an entry.
        wanted: the name of one entry of the file; empty for all of them.
    """
    of_file = entries_of_file(name)
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
        f" catalog, and a path ends in .py or has a folder in it{as_path(name)}"
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


def _refuse_misspelt_audit(name: str) -> None:
    """Raise RecipeError about a name that is like the name of an audit and of no sampler."""
    meant = did_you_mean(name, audit_names())
    if meant and name not in [e.name for e in catalog_entries()]:
        raise RecipeError(
            f"there is no audit {name} in the catalog; {meant}`recipe audit --all`"
            f" audits {', '.join(audit_names())}"
        )


def _meant(name: str) -> str:
    """Return a question about the name of a sampler that is misspelt or lacks its ending."""
    if Path(f"{name}.py").is_file():
        return f"did you mean {name}.py? "
    if name.lower() == "nuts":
        return "did you mean hmc_kernel, whose trajectories have a random length? "
    return did_you_mean(name, [*catalog_files(), *(e.name for e in catalog_entries())])


def _nothing_declared(path: str) -> str:
    """Return the complaint about a file without a sampler."""
    module = sys.modules[module_name(Path(path))]
    posteriors = [name for name, value in vars(module).items() if isinstance(value, Posterior)]
    meant = (
        f"; it defines the posterior {posteriors[0]}: recipe sample SAMPLER --posterior {path}"
        if posteriors
        else ""
    )
    return f"{path} defines no Recipe and no Update and no Kernel at module level{meant}"
