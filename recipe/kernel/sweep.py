"""The rules of one sweep, and the state after them as a power series in the root of the step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sympy import Abs, Dummy, Expr, Symbol, expand, sign

from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.kernel.part import Move, Part, Repeat, RepeatForEvery, parts_in
from recipe.kernel.series import Directions, RootStepSeries, put_in, unmoved, written_out
from recipe.language.assumed import ParameterCondition
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.expectation import NOISE
from recipe.language.fold import Fold, FoldSign
from recipe.language.free_symbols import UnusedNames
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import name_of

MAX_RULES_PER_SWEEP = 200  # the longest sweep that averaged(...) expands


@dataclass(frozen=True)
class Sweep:
    """The rules of a sweep, in the order in which they are carried out.

    Attributes:
        state, step, target, where: those of the kernel.
        before, repeated, after: the rules; ``repeated`` is carried out ``times`` times.
        times: a symbol that stands for every number of repetitions; None where nothing is repeated
            so.
    """

    state: tuple[Block, ...]
    step: Symbol
    target: Expr
    before: tuple[Update, ...]
    repeated: tuple[Update, ...]
    after: tuple[Update, ...]
    times: Symbol | None
    where: tuple[ParameterCondition, ...]

    def unrolled(self, count: int) -> tuple[Update, ...]:
        """All rules, with ``count`` repetitions."""
        return self.before + count * self.repeated + self.after


def sweep_of(parts: Sequence[object]) -> Sweep:
    """The sweep that consists of some parts.

    Raises:
        RecipeError: where they make no kernel, or one of them has no expansion in the step.
    """
    every = [k for k, part in enumerate(parts) if isinstance(part, RepeatForEvery)]
    if len(every) > 1:
        raise RecipeError(
            "two parts are repeated for every number; averaged(...) takes one such symbol, give the"
            " others a number"
        )
    k = every[0] if every else len(parts)
    symbolic = parts[k] if every else None
    inner = symbolic.parts if isinstance(symbolic, RepeatForEvery) else ()
    listed = [
        [p for part in some for p in parts_in(part)] for some in (parts[:k], inner, parts[k + 1 :])
    ]
    kernel = Kernel([p for some in listed for p in some])
    if kernel.step is None:
        raise RecipeError("no part of the sweep has a step size, so that there is no limit to take")
    before, repeated, after = (tuple(u for p in some for u in _rules_of(p)) for some in listed)
    times = symbolic.times if isinstance(symbolic, RepeatForEvery) else None
    return Sweep(
        kernel.state, kernel.step, kernel.target, before, repeated, after, times, kernel.where
    )


def _rules_of(part: Part) -> Iterator[Update]:
    """Yield the rules of a part, as often as it repeats them."""
    if isinstance(part, Move):
        _check_smooth(part.update)
        yield part.update
    elif isinstance(part, Repeat) and isinstance(part.times, int):
        inner = [u for p in part.parts for u in _rules_of(p)]
        if part.times * len(inner) > MAX_RULES_PER_SWEEP:
            raise RecipeError(
                f"times={part.times}: averaged(...) follows at most {MAX_RULES_PER_SWEEP} rules;"
                " give a symbol"
            )
        yield from part.times * inner
    elif isinstance(part, Repeat):
        raise RecipeError(
            f"times={part.times} is drawn; averaged(...) takes one number, or a symbol for every"
            " number"
        )
    else:
        raise RecipeError(
            "averaged(...) expands a sweep in its step, and a Metropolis test has no such expansion"
        )


def _check_smooth(update: Update) -> None:
    for block, e in update.rule:
        odd = next(iter(e.atoms(Abs, sign, Fold, FoldSign, NoncentralChiSquared)), None)
        if odd is not None:
            raise OutsideLanguageError(
                f"the rule of {block} is outside of what averaged(...) expands: {odd} is not smooth"
            )


def follow(sweep: Sweep, count: int) -> dict[Block, RootStepSeries]:
    """The state after the sweep as a function of the state before it, for ``count`` repetitions.

    Each rule draws noise of its own every time it is carried out.
    """
    s = Dummy("s", positive=True)
    names = UnusedNames(e for u in sweep.unrolled(1) for e, _ in u.written())
    directions = Directions.for_state(sweep.state, names)
    rules = {u: written_out(u, s) for u in dict.fromkeys(sweep.unrolled(1))}
    if sweep.times is not None:
        _check_small(sweep, rules)
    state = unmoved(sweep.state)
    for update in sweep.unrolled(count):
        draws: dict[str, str] = {}
        moved = {}
        for block, rule in rules[update]:
            after = put_in(_with_noise_of_its_own(rule, draws, names), state, directions)
            if update.sequential:
                state = {**state, block: after}
            moved[block] = after
        state = {**state, **moved}
    return state


def _check_small(
    sweep: Sweep, rules: dict[Update, tuple[tuple[Block, RootStepSeries], ...]]
) -> None:
    """Require that every rule which is repeated L times is the identity as the step vanishes."""
    for block, rule in (pair for update in sweep.repeated for pair in rules[update]):
        if expand(rule.at(0) - block) != 0:
            raise RecipeError(
                f"what is repeated {sweep.times} times must move every block by little, and at"
                f" {sweep.step} = 0 it makes {block} {rule.at(0)}; give a number in the place of"
                f" {sweep.times}"
            )


def _with_noise_of_its_own(
    rule: RootStepSeries, draws: dict[str, str], names: UnusedNames
) -> RootStepSeries:
    """The rule with its noise renamed; one name within an update stays one draw."""

    def renamed(n: int) -> Expr:
        e = rule.at(n)
        return e.xreplace({w: _renamed(w, draws, names) for w in e.atoms(*NOISE)})

    return RootStepSeries(renamed)


def _renamed(w: Noise | ScalarNoise, draws: dict[str, str], names: UnusedNames) -> Symbol:
    old = name_of(w)
    if old not in draws:
        draws[old] = names.fresh(f"{old}_{len(draws)}")
    if isinstance(w, ScalarNoise):
        return ScalarNoise(draws[old])
    return Noise(draws[old], like=w, covariance=w.covariance).at(w.label)  # type: ignore[arg-type]
