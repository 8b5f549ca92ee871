"""Rules and kernels carried out in numpy, many chains at once: a plain second implementation of
what the compiler makes.

A part that accepts and rejects is carried out as its definition says. Random numbers are numpy's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sympy import Expr

from recipe import Kernel, NoncentralChiSquared, RecipeError, Scalar, Update
from recipe.kernel.part import MetropolisedMap, MetropolisHastings, Move, Part, Repeat, Times
from recipe.language.blocks import Block
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import generic, name_of
from verify.statistics.numbers.arrays import Array, Meanings, State
from verify.statistics.step.design import is_inside

ONE_NUMBER = Scalar("one")  # a block of length one, for expressions that have no coordinates


@dataclass(frozen=True)
class Runner:
    """An interpreter of steps with given numbers.

    Attributes:
        meanings: the values of the parameters and of the step size.
        rng: the source of all random numbers.
    """

    meanings: Meanings
    rng: np.random.Generator

    def update(self, update: Update, state: State) -> State:
        """Return the state after one step of a rule, with noise drawn afresh for every replica."""
        rows = len(next(iter(state.values())))
        noises = {generic(w) for _, e in update.rule for w in e.atoms(Noise, ScalarNoise)}
        drawn = {
            name_of(w): self.rng.standard_normal((rows, self.meanings.length_of(w)))
            for w in sorted(noises, key=str)
        }
        values = dict(state)
        for block, e in update.rule:
            seen = self.meanings.with_values({**(values if update.sequential else state), **drawn})
            values = {**values, block.name: self._value(e, seen, rows, block)}
        return values

    def _value(self, e: Expr, seen: Meanings, rows: int, block: Block) -> Array:
        """Return the value of an expression, in which each noncentral chi-squared draw is made; NaN
        where it has no law.
        """
        shape = rows, seen.length_of(block)
        for x in e.atoms(NoncentralChiSquared):
            df, nonc = (np.broadcast_to(seen.of(a, block), shape) for a in (x.df, x.nonc))
            right = (df > 0) & (nonc >= 0)
            value = np.where(
                right,
                self.rng.noncentral_chisquare(np.where(right, df, 1), np.where(right, nonc, 0)),
                np.nan,
            )
            seen, e = seen.with_values({name_of(x.noise): value}), e.xreplace({x: x.noise})
        return np.broadcast_to(seen.of(e, block), shape).copy()

    def parts(self, parts: tuple[Part, ...], state: State) -> State:
        """Return the state after the parts of a kernel, one after another."""
        for part in parts:
            state = self._part(part, state)
        return state

    def _part(self, part: Part, state: State) -> State:
        match part:
            case Move(update=update):
                return self.update(update, state)
            case MetropolisHastings():
                return self._tested(part, state)
            case MetropolisedMap():
                return self._mapped(part, state)
            case Repeat(parts=inner, times=times):
                return self._times(times, state, lambda s: self.parts(inner, s))
        raise RecipeError(
            "metropolis(..., around=...) cannot be carried out in numpy, because a rejection takes"
            " noise back: compare the kernel without around="
        )

    def _times(self, times: Times, state: State, once: Callable[[State], State]) -> State:
        """Repeat a function on the state; if the number of repetitions is random, each chain draws
        its own.
        """
        rows = len(next(iter(state.values())))
        low, high = times if isinstance(times, tuple) else (times, times)
        wanted = self.rng.integers(low, high + 1, (rows, 1))
        for k in range(high):
            state = select_rows(wanted > k, once(state), state)
        return state

    def _tested(self, part: MetropolisHastings, state: State) -> State:
        """Return the state after a proposal that is accepted or rejected."""
        new = self.update(part.proposal, state)
        pairs = [(name_of(x), name_of(y)) for x, y in part.partners]
        there = {**state, **{y: new[x] for x, y in pairs}}
        back = {**new, **{y: state[x] for x, y in pairs}}
        log_ratio = self._number(part.cost, there) - self._number(part.cost, back)
        return select_rows(self._accepted(log_ratio) & _inside(part.proposal, new), new, state)

    def _mapped(self, part: MetropolisedMap, state: State) -> State:
        """Return the state after a map that is accepted or rejected, with flips on rejection if it
        has them.
        """
        new = self._times(part.times, state, lambda s: self.update(part.map, s))
        log_ratio = self._number(part.map.target, state) - self._number(part.map.target, new)
        flipped = {name_of(b) for b in part.flips} if part.flip_on_rejection else set()
        kept = {name: -x if name in flipped else x for name, x in state.items()}
        return select_rows(self._accepted(log_ratio) & _inside(part.map, new), new, kept)

    def _number(self, e: Expr, state: State) -> Array:
        return self.meanings.with_values(state).of(e, ONE_NUMBER)

    def _accepted(self, log_ratio: Array) -> Array:
        """Accept with probability ``min(1, exp(log ratio))``, and never if the ratio is not a
        number.
        """
        return np.asarray(np.log(self.rng.random(log_ratio.shape)) < log_ratio)


def _inside(rule: Update, state: State) -> Array:
    return is_inside(rule.state, state)[:, None]


def select_rows(which: Array, new: State, old: State) -> State:
    """Return a state whose rows come from ``new`` where ``which`` is True, and from ``old``
    elsewhere.
    """
    return {name: np.where(which, new[name], old[name]) for name in old}


def carry_out_sweep(declared: Update | Kernel, state: State, runner: Runner) -> State:
    """Return the state after one step of a rule, or one sweep of a kernel."""
    return (
        runner.update(declared, state)
        if isinstance(declared, Update)
        else runner.parts(declared.parts, state)
    )
