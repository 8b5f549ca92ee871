"""Choose the one declaration that a command is about."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from recipe import Dense, LabelledPosterior, Potential, RecipeError
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.declarations.find import declarations
from recipe_cli.declarations.of_catalog import entries_of_file
from recipe_cli.terminal.printing import print_line


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
            d for d in entries_of_file(Path(found[0].file).stem) if d.name.startswith(found[0].name)
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


def _unbound(declaration: Declaration) -> list[Any]:
    """Return the abstract functions of a declaration that must be bound before it can be
    compiled.
    """
    return [a for a in declaration.declared.abstract if not isinstance(a, Potential | Dense)]
