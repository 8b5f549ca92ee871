"""How the noise of a step is read off the states before and after it: which equation gives what, in
which order.

Versions of blocks between the two states are found forwards, where an equation without noise has
all it reads, and backwards, where one that made a known version reads one unknown block, affinely
and with a factor of every coordinate by itself. An equation that is left over and has noise gives
that noise, and one that has none is checked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sympy import Dummy, Expr, Mul, S, exp, expand

from recipe import NoncentralChiSquared, RecipeError
from recipe.language.calculus import partial
from recipe.language.fold import FOLDS, Fold
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import (
    GENERIC,
    Block,
    Indexed,
    Noise,
    ScalarNoise,
    Vector,
    generic,
    name_of,
)
from verify.statistics.recover.equations import Equation, Equations, Version

DIAGONAL, GENERAL, CHI_SQUARED, QUADRATIC, LOGARITHM, FOLDED = (
    "diagonal",
    "general",
    "chi-squared",
    "quadratic",
    "logarithm",
    "folded",
)


ALTERNATIVE = (
    "such a kernel is compared with the law that it leaves invariant, where there is one:"
    " check_invariance"
)
_NOT_RECOVERABLE = (
    "the law of {} <- {} given the state is not read off: its noise must enter affinely, by a"
    f" square, inside of one exponential or one reflection, or as one NoncentralChiSquared;"
    f" {ALTERNATIVE}"
)


@dataclass(frozen=True)
class Forward:
    """The new version from those that are read."""

    equation: Equation


@dataclass(frozen=True)
class Backward:
    """The version ``found`` of a block, from the equation ``made = p + q found``."""

    equation: Equation
    found: Version
    p: Expr
    q: Expr


@dataclass(frozen=True)
class Check:
    """Both sides are known, and must agree."""

    equation: Equation


@dataclass(frozen=True)
class Recover:
    """The noise of equations that hold at once; ``how`` it enters them; ``whole`` says that each
    noise itself is wanted.
    """

    equations: tuple[Equation, ...]
    noises: tuple[Any, ...]
    how: str
    whole: bool

    @property
    def label(self) -> str:
        """How the recovered numbers are called."""
        return ", ".join(name_of(w) for w in self.noises)


Operation = Forward | Backward | Check | Recover


@dataclass(frozen=True)
class RecoveryPlan:
    """The operations in their order."""

    equations: Equations
    operations: tuple[Operation, ...]

    @property
    def recovered(self) -> tuple[Recover, ...]:
        """Where noise is read off."""
        return tuple(op for op in self.operations if isinstance(op, Recover))

    @property
    def checked(self) -> tuple[Check, ...]:
        """What has no noise and is checked."""
        return tuple(op for op in self.operations if isinstance(op, Check))


class _Planner:
    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.known = {(b, 0) for b in equations.state} | {
            equations.last(b) for b in equations.state
        }
        self.noises: set[Any] = set()
        self.pending = list(equations.listed)
        self.operations: list[Operation] = []

    def all_of_it(self) -> RecoveryPlan:
        while self.pending:
            if not (self.forwards() or self.backwards(own=True) or self.backwards(own=False)):
                first = self.pending[0]
                raise RecipeError(
                    "the noise of the step is not read off the states before and after it:"
                    f" {first.block} <- {first.e} hides it; {ALTERNATIVE}"
                )
        return RecoveryPlan(self.equations, tuple(self.operations))

    def forwards(self) -> bool:
        """Use an equation of which all that is read is known."""
        for q in self.pending:
            if q.reads - self.known:
                continue
            fresh = q.noises - self.noises
            if not fresh and q.made not in self.known:
                self.known.add(q.made)
                return self.done(Forward(q), q)
            if not fresh:
                return self.done(Check(q), q)
            group = self.together(q)
            if all(not g.reads - self.known and g.made in self.known for g in group):
                return self.recover(group)
        return False

    def together(self, q: Equation) -> list[Equation]:
        """The pending equations of the same stage that share noise with it, directly or not."""
        group, noises = [q], set(q.noises - self.noises)
        grown = True
        while grown:
            more = [
                g
                for g in self.pending
                if g.stage == q.stage and g not in group and g.noises & noises
            ]
            group += more
            noises |= {w for g in more for w in g.noises - self.noises}
            grown = bool(more)
        return sorted(group, key=self.pending.index)

    def recover(self, group: list[Equation]) -> bool:
        noises = tuple(
            dict.fromkeys(w for g in group for w in sorted(g.noises - self.noises, key=str))
        )
        whole = any(q.noises & set(noises) for q in self.pending if q not in group)
        self.noises |= set(noises)
        return self.done(Recover(tuple(group), noises, _how(group, noises, whole), whole), *group)

    def backwards(self, *, own: bool) -> bool:
        """Find a version from the equation that made another one; that of the same block is the
        better conditioned.
        """
        for q in self.pending:
            unknown = q.reads - self.known
            if (
                q.made not in self.known
                or len(unknown) != 1
                or q.noises - self.noises
                or q.seen_through is not None
            ):
                continue
            (found,) = unknown
            if own != (found[0] == q.block):
                continue
            split = _affine(q.e, found[0])
            if split is not None:
                self.known.add(found)
                return self.done(Backward(q, found, *split), q)
        return False

    def done(self, operation: Operation, *used: Equation) -> bool:
        self.operations.append(operation)
        self.pending = [q for q in self.pending if q not in used]
        return True


def plan_of(equations: Equations) -> RecoveryPlan:
    """How the noise of a step is read off.

    Raises:
        RecipeError: naming the assignment that hides it.
    """
    return _Planner(equations).all_of_it()


def _affine(e: Expr, block: Block) -> tuple[Expr, Expr] | None:
    """``(p, q)`` of ``e = p + q block``, coordinate by coordinate, both free of the block; None
    where it is not of that form.
    """
    x = Dummy("x", real=True)
    moved = e.xreplace({block: x})
    if blocks_in(moved, (block,)) or any(f.has(x) for f in moved.atoms(*FOLDS)):
        return None
    q = moved.diff(x)
    if q == 0 or q.has(x):
        return None
    return moved.xreplace({x: S.Zero}), q


def _how(group: list[Equation], noises: tuple[Any, ...], whole: bool) -> str:
    """The form in which noise enters equations that hold at once.

    Raises:
        RecipeError: where it is none of the known ones.
    """
    q = group[0]
    if any(
        w in noises
        for g in group
        for f in g.e.atoms(*FOLDS)
        for w in map(generic, f.atoms(Noise, ScalarNoise))
    ):
        if (
            len(group) == 1
            and not whole
            and isinstance(q.e, Fold)
            and _how([replace(q, e=q.e.args[0])], noises, whole) == DIAGONAL
        ):
            return FOLDED
        raise RecipeError(_NOT_RECOVERABLE.format(q.block, q.e))
    alone = len(group) == 1 and all(_is_elementwise(q.e, w, q.block) for w in noises)
    if q.e.atoms(NoncentralChiSquared):
        if alone and len(noises) == 1 and not whole:
            return CHI_SQUARED
    elif all(_is_affine(g.e, noises) for g in group):
        return DIAGONAL if alone and (len(noises) == 1 or not whole) else GENERAL
    elif alone and len(noises) == 1 and not whole:
        (w,) = noises
        second = partial(partial(q.e, w), w)
        if expand(partial(second, w)) == 0:
            return QUADRATIC
        if _is_exponential(q.e, w):
            return LOGARITHM
    raise RecipeError(_NOT_RECOVERABLE.format(q.block, q.e))


def _is_exponential(e: Expr, w: Any) -> bool:
    """Whether it is a positive factor free of the noise times the exponential of what is affine in
    it.
    """
    factors = [f for f in Mul.make_args(e) if f.has(w)]
    rest = Mul(*(f for f in Mul.make_args(e) if not f.has(w)))
    if len(factors) != 1 or not isinstance(factors[0], exp) or not rest.is_positive:
        return False
    return _is_affine(factors[0].args[0], (w,))


def _is_elementwise(e: Expr, w: Any, block: Block) -> bool:
    """Whether a coordinate of the block has one number of this noise, its own."""
    if isinstance(w, ScalarNoise):
        return not isinstance(block, Vector)
    same = isinstance(block, Vector) and block.length == w.length and w.covariance is None
    return same and not _appears_elsewhere(e, w)


def _appears_elsewhere(e: Expr, w: Indexed) -> bool:
    return any(generic(s) == w and s.label != GENERIC for s in e.atoms(Noise))


def _is_affine(e: Expr, noises: tuple[Any, ...]) -> bool:
    """Whether the second derivative by the noise, all of it scaled by one number, vanishes."""
    if e.atoms(NoncentralChiSquared):
        return False
    t = Dummy("t", real=True)
    wanted = set(noises)
    scaled = e.xreplace({w: t * w for w in e.atoms(Noise, ScalarNoise) if generic(w) in wanted})
    return bool(expand(partial(partial(scaled, t), t)) == 0)
