"""The rule, carried out in atoms, as far as the next place where the text must have a loop or a
test as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Symbol

from recipe.language.abstract import Dense, Partial, Potential
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.domain import on_simplex
from recipe.language.free_symbols import VARIANCES
from recipe.language.symbols import (
    GENERIC,
    Block,
    Index,
    Indexed,
    Noise,
    ScalarNoise,
    generic,
    name_of,
)
from recipe.language.total import Total, substitute
from verify.translation.parse.problems import unread
from verify.translation.reference.matcher import Judge, generics, put
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
    """A rule that is being carried out; ``state`` holds the value of every block, ``marked`` that
    where a test began.

    ``estimated`` says that the variance of an estimated gradient is the one after its last
    evaluation (in ``run``).
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
        """Whether every step is looked at by ``invalid_block``: where only all coordinates of a
        block tell that it has left its domain.
        """
        return any(on_simplex(b) for b in self.state)

    def advance(self) -> Operation | None:
        """Carry out moves, and return what comes next: a loop, a test, or nothing."""
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
        """Carry out moves as far as the next loop or test, so that the text can be read beside
        them.
        """
        if self.advance() is not None:
            self.at -= 1

    def inside(self, operation: Repeated) -> RuleExecution:
        """The rule of the body of a loop, at a state that earlier repetitions have left."""
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
        """The logarithm of the ratio that a test compares with."""
        old, new = self.marked[-1], self.state
        if isinstance(test, MapTest):
            return self.taken(test.energy, old, old) - self.taken(test.energy, new, new)
        second = dict(test.partners)
        there = self.taken(test.cost, old, {**old, **{y: new[x] for x, y in second.items()}})
        back = self.taken(test.cost, new, {**new, **{y: old[x] for x, y in second.items()}})
        return there - back

    def rejected(self, test: MapTest | ProposalTest) -> State:
        """The state where a test does not accept."""
        old = self.marked[-1]
        flips = test.flips if isinstance(test, MapTest) else frozenset()
        gone_back = {b: -old[b] if b in flips else old[b] for b in test.moved}
        return {**self.state, **gone_back}

    def taken(self, e: Expr, where: State, values: Mapping[Any, Expr], noise: int = 0) -> Expr:
        """An expression at ``values``, with functions of whole blocks taken at the state
        ``where``.
        """
        e = put(e, {s: _apart(s, noise) for s in generics(e) if isinstance(s, Noise | ScalarNoise)})
        e = e.xreplace({s: _correlated(s) for s in e.atoms(Noise) if s.covariance is not None})
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
    """The variance of an estimated gradient as it is found."""
    from recipe.language.variance import gradient_variance

    return gradient_variance(U, block)


def arguments_of(U: Potential, state: State) -> tuple[Expr, ...]:
    """The values of the blocks that a potential is a function of; of one that stands in the state
    as another, its image.
    """
    standing = {b.image: b for b in state if b.image is not None}
    found = []
    for b in U.blocks:
        x = standing.get(b)
        found.append(state[b] if x is None else substitute(x.forward(x), {x: state[x]}))  # type: ignore[misc]
    return tuple(found)


def _apart(w: Any, number: int) -> Any:
    """The noise of one carried out rule."""
    name = f"{name_of(w)}@{number}"
    if isinstance(w, Noise):
        return Indexed.__new__(Noise, name, w.length, 0, w.extra, real=True)
    return ScalarNoise(name)


def factor_of(M: Dense) -> Dense:
    """The Cholesky factor of a matrix, as a matrix of its own."""
    return Dense(f"{M.name}_cholesky", M.row, M.column)


def _correlated(w: Noise) -> Expr:
    """Noise with a covariance as the product of its Cholesky factor with white noise."""
    if w.label != GENERIC:
        raise unread(None, f"the rule has {w} inside of a sum, which no module draws")
    white = Indexed.__new__(Noise, w.base, w.length, 0, (None,), real=True)
    factor = factor_of(w.covariance)  # type: ignore[arg-type]
    return Total(factor.entry(w.label, 1) * white.at(1), Index("", w.length, 1))
