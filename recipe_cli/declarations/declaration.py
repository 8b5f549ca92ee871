"""A declaration with the name and the file that it has, and all of those in a module."""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType

from recipe import Discretisation, Kernel, LabelledPosterior, Recipe, RecipeError, Update
from recipe.kernel import MetropolisedMap, MetropolisedPath, MetropolisHastings, Repeat, compose


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


def declarations_of(module: ModuleType, file: str, file_argument: str) -> list[Declaration]:
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
