"""``Kernel``: one sweep of a Markov chain, part after part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Symbol

from recipe.declare.posterior import Posterior
from recipe.declare.update import Update
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Part,
    leaves_of,
    parts_in,
    updates_of,
)
from recipe.language.abstract import Potential
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block
from recipe.language.checks.validate import checked_words
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of


@dataclass(frozen=True, init=False)
class Kernel:
    """One sweep of a Markov chain: parts that are carried out one after another. The state after
    the last part is a draw.

    Args:
        parts: a sequence of ``step(...)``, ``refresh(...)``, ``flip(...)``, ``metropolis(...)``,
            ``repeat(...)``, or whole kernels.
        name: the name in reports.
        source: the citation.
        expect: the verdict that an audit expects: ``"proved"``, ``"refuted"`` or ``"undecided"``.
        posteriors: the posteriors behind abstract potentials; ``bind`` sets them.

    Attributes:
        state: the blocks, which all parts move.
        target: minus the log density of the law that all parts are said to leave invariant.
        parts, posteriors: as given, as a tuple; the parts of a kernel in ``parts`` take its place.
        name, source, expect: as given; None where they were not.

    Raises:
        RecipeError: where parts move different blocks, have different targets or steps of different
            names, record another value than their state, or draw noise that is not normal.
    """

    state: tuple[Block, ...]
    target: Expr
    parts: tuple[Part, ...]
    name: str | None
    source: str | None
    expect: str | None
    posteriors: tuple[tuple[Potential, Posterior], ...]

    def __init__(
        self,
        parts: Iterable[Any],
        *,
        name: str | None = None,
        source: str | None = None,
        expect: str | None = None,
        posteriors: Mapping[Potential, Posterior] | None = None,
    ) -> None:
        if expect not in (None, "proved", "refuted", "undecided"):
            raise RecipeError(f"expect={expect!r} must be 'proved', 'refuted' or 'undecided'")
        listed = tuple(p for part in parts for p in parts_in(part))
        if not listed:
            raise RecipeError(
                "a kernel needs at least one part: step(...), refresh(...), flip(...),"
                " metropolis(...), repeat(...)"
            )
        rules = [u for part in listed for u in updates_of(part)]
        _check_one_target(rules)
        _check_records_its_state(rules)
        _check_noise_is_normal(rules)
        values = {
            "state": _common_state(rules),
            "target": rules[0].target,
            "parts": listed,
            "name": checked_words(name, "name"),
            "source": checked_words(source, "source"),
            "expect": expect,
            "posteriors": tuple((posteriors or {}).items()),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        _ = self.step

    def __str__(self) -> str:
        # printing imports this file
        from recipe.printing.derivation import kernel_text

        return kernel_text(self)

    def __repr__(self) -> str:
        from recipe.printing.summary import kernel_summary

        return kernel_summary(self)

    @property
    def step(self) -> Symbol | None:
        """The symbol of the step size that all parts share; None where no part has one."""
        found = {
            u.step
            for part in self.parts
            for u in updates_of(part)
            if any(u.step in e.free_symbols for _, e in u.rule)
        }
        if len(found) > 1:
            names = ", ".join(sorted(map(str, found)))
            raise RecipeError(
                f"the parts of a kernel have the step sizes {names}: use one symbol, or a multiple"
                " of it"
            )
        return next(iter(found), None)

    def written(self) -> list[tuple[Expr, str]]:
        """Return every expression in the kernel, each with its place."""
        found: dict[tuple[Expr, str], None] = {(self.target, "target"): None}
        for u in (u for part in self.parts for u in updates_of(part)):
            found |= dict.fromkeys((e, f"the rule of {block}") for block, e in u.rule)
        return list(found)

    @property
    def where(self) -> tuple[ParameterCondition, ...]:
        """The conditions between parameters that its rules are declared under, all of them."""
        rules = (u for part in self.parts for u in updates_of(part))
        return tuple(dict.fromkeys(c for u in rules for c in u.where))

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters, those of its conditions included, sorted by name; the step size is
        not one of them.
        """
        found = parameters_of([*(e for e, _ in self.written()), *(c.e for c in self.where)])
        return tuple(s for s in found if s != self.step)

    @property
    def abstract(self) -> tuple[Any, ...]:
        """The abstract functions and constant matrices in the kernel, sorted by name."""
        return abstract_of(e for e, _ in self.written())

    def has_metropolis(self) -> bool:
        """Return True if a part accepts or rejects."""
        tests = MetropolisHastings | MetropolisedMap | MetropolisedPath
        return any(isinstance(p, tests) for part in self.parts for p in leaves_of(part))


def compose(
    *parts: Any, name: str | None = None, source: str | None = None, expect: str | None = None
) -> Kernel:
    """Return the kernel that carries out parts in this order.

    Args:
        *parts: ``step(...)``, ``refresh(...)``, ``flip(...)``, ``metropolis(...)``,
            ``repeat(...)``, or whole kernels.
        name: the name in reports.
        source: the citation.
        expect: the verdict that an audit expects.

    Raises:
        RecipeError: as ``Kernel``.

    Example:
        >>> from sympy import Matrix
        >>> from recipe import Potential, Recipe, Vector, compose, metropolis, refresh, total
        >>> theta = Vector("theta")
        >>> r = Vector("r", like=theta)
        >>> H = Potential("U", theta) + total(r**2) / 2
        >>> flow = Recipe((theta, r), H, D=Matrix([[0, 0], [0, 0]]), Q=Matrix([[0, -1], [1, 0]]))
        >>> hmc = compose(refresh(flow, r), metropolis(flow, "leapfrog", times=10, flip=r))
    """
    return Kernel(parts, name=name, source=source, expect=expect)


def _check_one_target(rules: list[Update]) -> None:
    first = rules[0].target
    other = next((u.target for u in rules if u.target != first), None)
    if other is not None:
        raise RecipeError(
            f"the parts of a kernel have the targets {first} and {other}; all must leave one law"
            " invariant"
        )


def _check_records_its_state(rules: list[Update]) -> None:
    observing = next((b for u in rules for b, _ in u.observe), None)
    if observing is not None:
        raise RecipeError(
            f"a part records another value of {observing} than the state has, and a kernel records"
            " its state"
        )


def _check_noise_is_normal(rules: list[Update]) -> None:
    for u in rules:
        for block, e in u.rule:
            draw = min(e.atoms(NoncentralChiSquared), key=str, default=None)
            if draw is not None:
                raise RecipeError(
                    f"the rule of {block} has the draw {draw}, and the noise of a kernel's parts is"
                    " normal"
                )


def _common_state(rules: list[Update]) -> tuple[Block, ...]:
    """The blocks that all parts move, in the order of a simultaneous rule where there is one.

    A sequential rule may begin with any block.
    """
    whole = next((u for u in rules if not u.sequential), rules[0]).state
    for u in rules:
        if set(u.state) != set(whole):
            ours, theirs = (", ".join(b.name for b in s) for s in (whole, u.state))
            raise RecipeError(
                f"the parts of a kernel move the blocks ({ours}) and ({theirs}); if one does not"
                " move, say theta: theta"
            )
    return whole
