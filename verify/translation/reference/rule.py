"""The rule, executed on atoms, up to the next loop or test, which the text must have as well."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Symbol

from recipe.language.abstract import Dense, Partial, Potential
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import VARIANCES
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import GENERIC, Index, Indexed, generic, name_of
from recipe.language.total import Total, substitute
from verify.translation.parse.problems import unread
from verify.translation.reference.matcher import Judge, generic_symbols, replace_symbols
from verify.translation.reference.program import (
    MapTest,
    Mark,
    Moves,
    Operation,
    ProposalTest,
    Repeated,
)

State = dict[Block, Expr]


@dataclass
class RuleExecution:
    """The execution of a rule.

    Attributes:
        judge: the matcher.
        operations: the operations of the rule.
        state: the value of every block.
        estimated: True if the variance of an estimated gradient is the one after its last
            evaluation, as in ``run``; False if it is an input, as in ``step``.
        at: the index of the next operation.
        marked: the states at the beginnings of open tests.
        last: the last gradient evaluation of each potential.
    """

    judge: Judge
    operations: tuple[Operation, ...]
    state: State
    estimated: bool = True
    at: int = 0
    marked: list[State] = field(default_factory=list)
    last: dict[Potential, Any] = field(default_factory=dict)

    @property
    def domains_checked(self) -> bool:
        """True if ``invalid_block`` must check the domain after every step, as a condition on all
        coordinates of a block together.
        """
        return any(on_simplex(b) for b in self.state)

    def advance(self) -> Operation | None:
        """Execute moves, and return the next loop or test; None at the end of the rule."""
        while self.at < len(self.operations):
            operation = self.operations[self.at]
            self.at += 1
            match operation:
                case Moves():
                    self._move(operation)
                case Mark():
                    self.marked.append(dict(self.state))
                case _:
                    return operation
        return None

    def open(self) -> None:
        """Execute moves up to the next loop or test, so that the text can be compared with them."""
        if self.advance() is not None:
            self.at -= 1

    def inside(self, operation: Repeated) -> RuleExecution:
        """Return the execution of the body of a loop, at an arbitrary state after earlier
        repetitions.
        """
        state = {
            b: self.judge.value_of(b) if b in operation.moved else e for b, e in self.state.items()
        }
        return RuleExecution(self.judge, operation.operations, state, self.estimated)

    def _move(self, moves: Moves) -> None:
        values = [
            (b, self.taken(e, self.state, self.state, moves.noise)) for b, e in moves.rule if e != b
        ]
        self.state |= {b: self.judge.define(b, e) for b, e in values}

    def log_ratio(self, test: MapTest | ProposalTest) -> Expr:
        """Return the logarithm of the acceptance ratio of a test."""
        old, new = self.marked[-1], self.state
        if isinstance(test, MapTest):
            return self.taken(test.energy, old, old) - self.taken(test.energy, new, new)
        second = dict(test.partners)
        there = self.taken(test.cost, old, {**old, **{y: new[x] for x, y in second.items()}})
        back = self.taken(test.cost, new, {**new, **{y: old[x] for x, y in second.items()}})
        return there - back

    def rejected(self, test: MapTest | ProposalTest) -> State:
        """Return the state after a rejection."""
        old = self.marked[-1]
        flips = test.flips if isinstance(test, MapTest) else frozenset()
        gone_back = {b: -old[b] if b in flips else old[b] for b in test.moved}
        return {**self.state, **gone_back}

    def taken(self, e: Expr, where: State, values: Mapping[Any, Expr], noise: int = 0) -> Expr:
        """Return an expression at ``values``, with functions of whole blocks evaluated at the state
        ``where``.
        """
        e = replace_symbols(
            e,
            {
                s: _numbered_noise(s, noise)
                for s in generic_symbols(e)
                if isinstance(s, Noise | ScalarNoise)
            },
        )
        e = e.xreplace(
            {s: _from_white_noise(s) for s in e.atoms(Noise) if s.covariance is not None}
        )
        e = e.xreplace({p: self._partial(p, where) for p in e.atoms(Partial)})
        e = e.xreplace({U: self._evaluated("value", U, where).atoms[0] for U in e.atoms(Potential)})
        e = e.xreplace({v: self._variance(v) for v in e.atoms(*VARIANCES)})
        for draw in sorted(e.atoms(NoncentralChiSquared), key=str):
            df, nonc = (substitute(a, values) for a in (draw.df, draw.nonc))
            self.judge.defined.rule |= dict.fromkeys((df, nonc))
            e = e.xreplace({draw: self.judge.square(df, nonc, draw.noise.length, noise=draw.noise)})
        e = substitute(e, values)
        self.judge.defined.rule[e] = None
        return e

    def _partial(self, p: Partial, where: State) -> Expr:
        if len(p.wrt) > 1 or not isinstance(p.head, Potential):
            raise unread(None, f"the rule has {p}, which no module computes")
        found = self._evaluated("gradient", p.head, where).atoms[
            p.head.blocks.index(generic(p.wrt[0]))
        ]
        return found.at(p.wrt[0].label) if isinstance(found, Indexed) else found

    def _evaluated(self, kind: str, U: Potential, where: State) -> Any:
        found = self.judge.evaluate(kind, U, arguments_of(U, where))
        if kind == "gradient":
            self.last[U] = found
        return found

    def _variance(self, v: Any) -> Expr:
        U, block = v.potential, generic(v.block)
        found = variance_before(U, block)
        if self.estimated and U in self.last:
            found = self.last[U].variances[U.blocks.index(block)]
        return found.at(v.label) if isinstance(v, Indexed) and isinstance(found, Indexed) else found


def variance_before(U: Potential, block: Block) -> Symbol:
    """Return the running variance of an estimated gradient at the beginning of a step."""
    from recipe.language.variance import gradient_variance

    return gradient_variance(U, block)


def arguments_of(U: Potential, state: State) -> tuple[Expr, ...]:
    """Return the values of the blocks that a potential depends on.

    If a block of the state stands for such a block, the value is its image.
    """
    standing = {b.image: b for b in state if b.image is not None}
    found = []
    for b in U.blocks:
        x = standing.get(b)
        found.append(state[b] if x is None else substitute(x.forward(x), {x: state[x]}))  # type: ignore[misc]
    return tuple(found)


def _numbered_noise(w: Any, number: int) -> Any:
    """Return a noise with the number of the application of the rule in its name."""
    name = f"{name_of(w)}@{number}"
    if isinstance(w, Noise):
        return Indexed.__new__(Noise, name, w.length, 0, w.extra, real=True)
    return ScalarNoise(name)


def factor_of(M: Dense) -> Dense:
    """Return the Cholesky factor of a matrix, as a matrix of its own."""
    return Dense(f"{M.name}_cholesky", M.row, M.column)


def _from_white_noise(w: Noise) -> Expr:
    """Return noise with a covariance as the product of its Cholesky factor with white noise."""
    if w.label != GENERIC:
        raise unread(None, f"the rule has {w} inside of a sum, which no module draws")
    white = Indexed.__new__(Noise, w.base, w.length, 0, (None,), real=True)
    factor = factor_of(w.covariance)  # type: ignore[arg-type]
    return Total(factor.entry(w.label, 1) * white.at(1), Index("", w.length, 1))
