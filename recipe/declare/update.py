"""``Update``: an update rule as a paper or a library prints it, without its D and Q."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Dummy, Expr, S, Symbol

from recipe.declare.posterior import Posterior
from recipe.declare.units import Units, in_units, put_units, read_units
from recipe.declare.where import read_conditions
from recipe.language.abstract import Potential
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.checks.forms import RULE_FORMS
from recipe.language.checks.validate import (
    check_component,
    check_no_matrix,
    check_number,
    check_state,
    check_symbols,
    checked_words,
    read,
)
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import RecipeError
from recipe.language.free_symbols import abstract_of, parameters_of
from recipe.language.names import checked_name
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic, name_of


@dataclass(frozen=True, init=False)
class Update:
    """One step of a sampler as a paper or a library prints it, and the law ``exp(-target)`` that it
    claims to leave stationary.

    Args:
        step: the step size, a plain symbol such as ``Symbol("epsilon", positive=True)``.
        rule: the new value of each block, an expression of its generic coordinate. A ``dict`` is
            simultaneous: every right-hand side sees the old values. A list of pairs is sequential:
            later right-hand sides see new values, and a block may occur more than once. A block
            that does not move is written ``{theta: theta}``.
        target: minus the log density, a number, up to a constant.
        observe: the recorded value of some blocks, where the chain records other values than its
            state; an expression for each, with noise of its own. The chain goes on from the state.
        units: blocks that the rule measures in units of the step, ``{v: h}`` where v is h times a
            momentum. The target may then contain the step beside such a block,
            ``total(v**2)/(2*h**2)``. In the update that is built, v is measured in these units.
        name: the name in reports.
        source: the citation.
        expect: the verdict that an audit expects: ``"proved"``, ``"refuted"`` or ``"undecided"``.
        where: conditions between parameters, as for a ``Recipe``; the rule of a recipe and its
            steps have the conditions of the recipe.

    Attributes:
        step, name, source, expect: as given; None where they were not.
        where: the conditions as a tuple of ``ParameterCondition``.
        rule: pairs of a block and its new value, in the order of the assignments.
        sequential: True if ``rule`` was a list.
        target: the target, with blocks in their units.
        observe, units: pairs of what was given, as a tuple.
        limit_only: True if the update stands for its limit alone, as the result of ``averaged``
            does, and no step of it is ever carried out.
        posteriors: the posteriors behind abstract potentials, as pairs; ``bind`` sets them.

    Raises:
        RecipeError: naming the block or the expression at fault and the repair.

    Example:
        >>> from sympy import Symbol, sqrt
        >>> from recipe import Noise, Potential, Update, Vector, grad
        >>> theta, eps = Vector("theta"), Symbol("epsilon", positive=True)
        >>> U, w = Potential("U", theta), Noise("w", like=theta)
        >>> sgld = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * eps) * w}, target=U)
    """

    step: Symbol
    rule: tuple[tuple[Block, Expr], ...]
    sequential: bool
    target: Expr
    observe: tuple[tuple[Block, Expr], ...]
    units: Units
    limit_only: bool
    name: str | None
    source: str | None
    expect: str | None
    where: tuple[ParameterCondition, ...]
    posteriors: tuple[tuple[Potential, Posterior], ...]

    def __init__(
        self,
        step: Any,
        rule: Any,
        target: Any,
        *,
        observe: Mapping[Block, Any] | None = None,
        units: Mapping[Block, Any] | None = None,
        name: str | None = None,
        source: str | None = None,
        expect: str | None = None,
        where: Iterable[Any] = (),
    ) -> None:
        if type(step) not in (Symbol, Dummy):
            raise RecipeError(
                f"step={step!r} must be a plain symbol, such as Symbol('epsilon', positive=True)"
            )
        checked_name(step.name)
        if expect not in (None, "proved", "refuted", "undecided"):
            raise RecipeError(f"expect={expect!r} must be 'proved', 'refuted' or 'undecided'")
        pairs, sequential = _pairs(rule)
        written = [(block, read(e, f"the rule of {block}", RULE_FORMS)) for block, e in pairs]
        measured = read_units(units, pairs, step)
        recorded = [(block, read(e, _observed(block))) for block, e in (observe or {}).items()]
        values = {
            "step": step,
            "rule": tuple(in_units(written, measured)),
            "sequential": sequential,
            "target": put_units(read(target, "target"), measured, "target"),
            "observe": tuple(in_units(recorded, measured)),
            "units": measured,
            "limit_only": False,
            "name": checked_words(name, "name"),
            "source": checked_words(source, "source"),
            "expect": expect,
            "where": read_conditions(where),
            "posteriors": (),
        }
        for field, value in values.items():
            object.__setattr__(self, field, value)
        self._check()

    @property
    def state(self) -> tuple[Block, ...]:
        """The blocks that the rule moves, in the order of their first occurrence."""
        return tuple(dict.fromkeys(block for block, _ in self.rule))

    def _check(self) -> None:
        check_no_matrix(self.target, "target")
        check_number(self.target, "target")
        if self.step in self.target.free_symbols:
            units = (
                ""
                if self.units
                else f" (where a momentum v is scaled by the step, say units={{v: {self.step}}})"
            )
            raise RecipeError(
                f"the target {self.target} contains the step {self.step}; a law is the same for"
                f" every step{units}"
            )
        for block, e, where in self._values():
            check_no_matrix(e, where)
            check_component(e, block, where)
        self._check_every_block_has_a_rule()
        check_symbols(
            [*self.written(), *((c.e, "where") for c in self.where)],
            self.state,
            allowed=(Noise, ScalarNoise),
            argument="rule",
        )
        self._check_observe_has_noise_of_its_own()
        self._check_draws()

    def _values(self) -> list[tuple[Block, Expr, str]]:
        """Every block with its new or recorded value and the place of that value in messages."""
        rules = [(block, e, f"the rule of {block}") for block, e in self.rule]
        return rules + [(block, e, _observed(block)) for block, e in self.observe]

    def written(self) -> list[tuple[Expr, str]]:
        """Return every expression that was written, each with its place."""
        return [(self.target, "target"), *((e, where) for _, e, where in self._values())]

    def _check_every_block_has_a_rule(self) -> None:
        names, images = {b.name for b in self.state}, {b.image for b in self.state}
        for e in (*(e for e, _ in self.written()), *(block for block, _ in self.observe)):
            for s in sorted(e.atoms(Vector, Scalar), key=str):
                name = s.base if isinstance(s, Vector) else s.name
                if name not in names and generic(s) not in images:
                    raise RecipeError(
                        f"the update has no rule for the block {name}; if it does not move, say"
                        f" {name}: {name}"
                    )

    def _check_observe_has_noise_of_its_own(self) -> None:
        moving = {name_of(w) for _, e in self.rule for w in e.atoms(Noise, ScalarNoise)}
        for block, e in self.observe:
            shared = sorted(moving & {name_of(w) for w in e.atoms(Noise, ScalarNoise)})
            if shared:
                raise RecipeError(
                    f"{_observed(block)} = {e} has the noise {shared[0]} of the rule, and what is"
                    " recorded is drawn with noise of its own; give it another name there, such as"
                    f" {shared[0]}_recorded"
                )

    def _check_draws(self) -> None:
        """Require that a noise which names a ``NoncentralChiSquared`` draw stands in one
        assignment, in this draw only.
        """
        draws = {
            name_of(x.noise): (x, where)
            for _, e, where in self._values()
            for x in e.atoms(NoncentralChiSquared)
        }
        for name, (x, where) in sorted(draws.items()):
            inside = {name_of(w) for a in (x.df, x.nonc) for w in a.atoms(Noise, ScalarNoise)}
            if inside:
                raise RecipeError(
                    f"{where}: the parameters of {x} contain the noise {min(inside)}; its law may"
                    " depend on the state only"
                )
            uses = [
                e
                for _, e, _ in self._values()
                if name in {name_of(w) for w in e.atoms(Noise, ScalarNoise)}
            ]
            apart = uses[0].xreplace({x: S.One})
            if len(uses) > 1 or name in {name_of(w) for w in apart.atoms(Noise, ScalarNoise)}:
                raise RecipeError(
                    f"{where}: the noise {name} names the draw {x} and stands elsewhere as well;"
                    " give that another name"
                )

    def __str__(self) -> str:
        # printing imports this file
        from recipe.printing.derivation import update_text

        return update_text(self)

    def __repr__(self) -> str:
        from recipe.printing.summary import update_summary

        return update_summary(self)

    def _repr_latex_(self) -> str:
        from recipe.printing.derivation import update_latex

        return update_latex(self)

    @property
    def meant(self) -> tuple[tuple[str, Update], ...]:
        """Rules that may have been meant, each with what must be mended for it. One that was read
        out of code may have some (``lift``); a rule that was written down has none.
        """
        return ()

    @property
    def parameters(self) -> tuple[Symbol, ...]:
        """The free parameters, those of its conditions included, sorted by name; the step size is
        not one of them.
        """
        found = parameters_of([*(e for e, _ in self.written()), *(c.e for c in self.where)])
        return tuple(s for s in found if s != self.step)

    @property
    def abstract(self) -> tuple[Any, ...]:
        """The abstract functions and constant matrices in the update, sorted by name."""
        return abstract_of(e for e, _ in self.written())


def _observed(block: Block) -> str:
    return f"observe[{block}]"


def _pairs(rule: Any) -> tuple[list[tuple[Block, Any]], bool]:
    """Return the assignments of a rule, and True if they are sequential."""
    sequential = not isinstance(rule, Mapping)
    try:
        pairs = [(block, e) for block, e in (rule if sequential else rule.items())]
    except (TypeError, ValueError):
        raise RecipeError(
            "rule= must be a dict {block: new value} or a list of pairs [(block, new value), ...]"
        ) from None
    check_state(tuple(dict.fromkeys(block for block, _ in pairs)), "rule")
    return pairs, sequential
