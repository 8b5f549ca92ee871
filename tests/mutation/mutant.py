"""What a mutant is, and what a judge says of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from recipe import Discretisation, Kernel, Recipe, RecipeError, Update

RECIPE, SCHEME, SOURCE, BUG = "recipe", "scheme", "source", "published bug"
GROUPS = (RECIPE, SCHEME, SOURCE, BUG)


@dataclass(frozen=True)
class Mutant:
    """A changed sampler.

    ``of`` names what was changed and ``change`` how: together they are its name. ``operator`` is
    the kind of change. ``declared`` is a declaration, or the text of a module where ``group`` is
    ``SOURCE``.
    """

    group: str
    of: str
    operator: str
    change: str
    declared: Recipe | Update | Discretisation | Kernel | str

    @property
    def name(self) -> str:
        """What a person reads, and a file of results has as key."""
        return f"{self.of}: {self.change}"


class Fate(Enum):
    """What became of a mutant."""

    PROOF = "killed by proof"
    TRANSLATION = "killed by translation"
    STATISTICS = "killed by statistics"
    EQUIVALENT = "proved equivalent"
    # and that the law is the only one, which was proved of the original, is open
    STATIONARY = "proved stationary"
    UNDECIDED = "undecided"  # so far: no judge has killed it, none has proved it equivalent
    SURVIVOR = "survivor"


@dataclass(frozen=True)
class Judgement:
    """The fate of a mutant with the reason: the obligation and its witness, the line of the text,
    the test.

    ``left_open`` says what proofs could not decide, where statistics had to judge.
    """

    fate: Fate
    why: str
    left_open: str | None = None


Change = tuple[
    str, str, Callable[[], Any]
]  # the operator, the change in words, and how the changed declaration is made


def mutants_of(group: str, of: str, original: Any, changes: Iterable[Change]) -> Iterator[Mutant]:
    """The mutants that are sentences of the language and differ from the original and from each
    other.
    """
    seen, names = [original], set()
    for operator, change, make in changes:
        try:
            declared = make()
        except RecipeError:
            continue
        if change not in names and all(declared != other for other in seen):
            seen.append(declared)
            names.add(change)
            yield Mutant(group, of, operator, change, declared)
