"""An obligation: what must hold of a sampler, how it is discharged, and how that is explained."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from recipe import Discretisation, Kernel, Recipe, Update
from verify.subject import KernelSubject, Subject
from verify.verdict import Outcome, Verdict


def of_diffusions(subject: Subject) -> bool:
    """An obligation of every recipe and every claim: of what a sampler is as its step vanishes."""
    return not of_steps(subject)


def of_steps(subject: Subject) -> bool:
    """An obligation of every discrete step."""
    return isinstance(subject.declared, Discretisation)


def of_kernels(subject: KernelSubject) -> bool:
    """An obligation of every kernel."""
    return isinstance(subject.declared, Kernel)


def of_recipes(subject: Subject) -> bool:
    """An obligation of recipes only."""
    return isinstance(subject.declared, Recipe)


def of_claims(subject: Subject) -> bool:
    """An obligation of claims only: of update rules with nothing said of D or Q."""
    return isinstance(subject.declared, Update)


@dataclass(frozen=True)
class Obligation:
    """One obligation, of a ``Subject`` or of a ``KernelSubject``.

    ``statement`` is the mathematics, ``explanation`` what a statistician wants to know about it.

    What is not ``required`` is shown, and does not enter the verdict on the whole unless a recipe
    or a user asks for it. Where one that is asked for does not apply, it holds if ``vacuous`` says
    why, and is undecided otherwise. Of a sampler that is reflected at an edge only what is
    ``of_reflected`` speaks; all others would reason about the rule without its folds. Of one that
    has an absolute value in it only what goes ``across_kinks`` speaks; all others take derivatives
    of every order for granted. What is asked only where an earlier obligation has a certain verdict
    says so in ``given``; what is ``constructive`` finds something and proves it, and that it finds
    nothing refutes nothing.
    """

    name: str
    statement: str
    explanation: str
    discharge: Callable[[Any], Outcome]
    applies: Callable[[Any], bool] = of_diffusions
    vacuous: str | None = None
    required: bool = True
    of_reflected: bool = False
    across_kinks: bool = False
    given: tuple[str, Verdict] | None = None
    constructive: bool = False
