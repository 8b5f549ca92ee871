"""A plan to recover the noise of a step: which equation gives which number, in which order.

Versions of blocks between the two known states are found in two ways. Forwards: an equation without
noise, all of whose versions are known, gives the version that it makes. Backwards: an equation
whose new version is known and that reads one unknown version, affinely and coordinate by
coordinate, gives that version. Of the equations that are left, those with noise give the noise, and
the others are checked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from sympy import Dummy, Expr, Mul, S, exp, expand

from recipe import NoncentralChiSquared, RecipeError
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import partial
from recipe.language.fold import FOLDS, Fold
from recipe.language.free_symbols import blocks_in
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import GENERIC, Indexed, generic, name_of
from verify.statistics.recover.equations import Equation, Equations, Version

# The forms in which noise may enter an equation.
DIAGONAL, GENERAL, CHI_SQUARED, QUADRATIC, LOGARITHM, FOLDED = (
    "diagonal",
    "general",
    "chi-squared",
    "quadratic",
    "logarithm",
    "folded",
)


ALTERNATIVE = (
    "compare the kernel with the law that it leaves invariant, if there is one, by check_invariance"
)
_NOT_RECOVERABLE = (
    "the noise of {} <- {} cannot be recovered: it must enter affinely, by a"
    f" square, inside one exponential or one reflection, or as one NoncentralChiSquared;"
    f" {ALTERNATIVE}"
)


@dataclass(frozen=True)
class Forward:
    """The operation that computes the new version of an equation from the versions that it
    reads.
    """

    equation: Equation


@dataclass(frozen=True)
class Backward:
    """The operation that computes the version ``found`` of a block from the equation ``made = p + q
    found``.
    """

    equation: Equation
    found: Version
    p: Expr
    q: Expr


@dataclass(frozen=True)
class Check:
    """The operation that compares both sides of an equation, which are known."""

    equation: Equation


@dataclass(frozen=True)
class Recover:
    """The operation that recovers the noise of equations that hold at the same time.

    Attributes:
        equations: the equations.
        noises: the noise in them.
        form: the form in which it enters them, such as ``diagonal``.
        used_again: whether each noise is needed by itself, because a later equation reads it.
    """

    equations: tuple[Equation, ...]
    noises: tuple[Any, ...]
    form: str
    used_again: bool

    @property
    def label(self) -> str:
        """The name of the recovered numbers."""
        return ", ".join(name_of(w) for w in self.noises)


Operation = Forward | Backward | Check | Recover


@dataclass(frozen=True)
class RecoveryPlan:
    """The operations that recover the noise of a step.

    Attributes:
        equations: the equations of the step.
        operations: the operations, in their order.
    """

    equations: Equations
    operations: tuple[Operation, ...]

    @property
    def recovered(self) -> tuple[Recover, ...]:
        """The operations that recover noise."""
        return tuple(op for op in self.operations if isinstance(op, Recover))

    @property
    def checked(self) -> tuple[Check, ...]:
        """The operations that check an equation without noise."""
        return tuple(op for op in self.operations if isinstance(op, Check))


class _Planner:
    """The state of planning: which versions and noise are known, and which equations are left."""

    def __init__(self, equations: Equations) -> None:
        self.equations = equations
        self.known = {(b, 0) for b in equations.state} | {
            equations.last(b) for b in equations.state
        }
        self.noises: set[Any] = set()
        self.pending = list(equations.listed)
        self.operations: list[Operation] = []

    def all_of_it(self) -> RecoveryPlan:
        """Return the plan.

        Raises:
            RecipeError: with the assignment that hides the noise.
        """
        while self.pending:
            if not (self.forwards() or self.backwards(own=True) or self.backwards(own=False)):
                first = self.pending[0]
                raise RecipeError(
                    "the noise of the step cannot be recovered from the states before and after it,"
                    f" because of {first.block} <- {first.e}; {ALTERNATIVE}"
                )
        return RecoveryPlan(self.equations, tuple(self.operations))

    def forwards(self) -> bool:
        """Use an equation whose versions are all known; return False if there is none."""
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
        """Return the equations of the same stage that are left and share noise with this one,
        directly or not.
        """
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
        """Recover the noise of a group of equations."""
        noises = tuple(
            dict.fromkeys(w for g in group for w in sorted(g.noises - self.noises, key=str))
        )
        used_again = any(q.noises & set(noises) for q in self.pending if q not in group)
        self.noises |= set(noises)
        return self.done(
            Recover(tuple(group), noises, _form_of_noise(group, noises, used_again), used_again),
            *group,
        )

    def backwards(self, *, own: bool) -> bool:
        """Find a version from an equation that reads it; return False if there is none.

        With ``own`` True only equations of the same block are used, which are better conditioned.
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
        """Note an operation and remove the equations that it used."""
        self.operations.append(operation)
        self.pending = [q for q in self.pending if q not in used]
        return True


def plan_of(equations: Equations) -> RecoveryPlan:
    """Return how the noise of a step is recovered.

    Raises:
        RecipeError: with the assignment that hides the noise.
    """
    return _Planner(equations).all_of_it()


def _affine(e: Expr, block: Block) -> tuple[Expr, Expr] | None:
    """Return ``(p, q)`` of ``e = p + q block``, coordinate by coordinate, both free of the block;
    None if e has another form.
    """
    x = Dummy("x", real=True)
    moved = e.xreplace({block: x})
    if blocks_in(moved, (block,)) or any(f.has(x) for f in moved.atoms(*FOLDS)):
        return None
    q = moved.diff(x)
    if q == 0 or q.has(x):
        return None
    return moved.xreplace({x: S.Zero}), q


def _form_of_noise(group: list[Equation], noises: tuple[Any, ...], used_again: bool) -> str:
    """Return the form in which noise enters equations that hold at the same time.

    Raises:
        RecipeError: if it has none of the known forms.
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
            and not used_again
            and isinstance(q.e, Fold)
            and _form_of_noise([replace(q, e=q.e.args[0])], noises, used_again) == DIAGONAL
        ):
            return FOLDED
        raise RecipeError(_NOT_RECOVERABLE.format(q.block, q.e))
    alone = len(group) == 1 and all(_is_elementwise(q.e, w, q.block) for w in noises)
    if q.e.atoms(NoncentralChiSquared):
        if alone and len(noises) == 1 and not used_again:
            return CHI_SQUARED
    elif all(_is_affine(g.e, noises) for g in group):
        return DIAGONAL if alone and (len(noises) == 1 or not used_again) else GENERAL
    elif alone and len(noises) == 1 and not used_again:
        (w,) = noises
        second = partial(partial(q.e, w), w)
        if expand(partial(second, w)) == 0:
            return QUADRATIC
        if _is_exponential(q.e, w):
            return LOGARITHM
    raise RecipeError(_NOT_RECOVERABLE.format(q.block, q.e))


def _is_exponential(e: Expr, w: Any) -> bool:
    """Return True for a positive factor without noise, times the exponential of an affine function
    of the noise.
    """
    factors = [f for f in Mul.make_args(e) if f.has(w)]
    rest = Mul(*(f for f in Mul.make_args(e) if not f.has(w)))
    if len(factors) != 1 or not isinstance(factors[0], exp) or not rest.is_positive:
        return False
    return _is_affine(factors[0].args[0], (w,))


def _is_elementwise(e: Expr, w: Any, block: Block) -> bool:
    """Return True if each coordinate of the block has one number of this noise, and no other
    coordinate has it.
    """
    if isinstance(w, ScalarNoise):
        return not isinstance(block, Vector)
    same = isinstance(block, Vector) and block.length == w.length and w.covariance is None
    return same and not _appears_elsewhere(e, w)


def _appears_elsewhere(e: Expr, w: Indexed) -> bool:
    """Return True if an expression has the noise at another index than the generic one."""
    return any(generic(s) == w and s.label != GENERIC for s in e.atoms(Noise))


def _is_affine(e: Expr, noises: tuple[Any, ...]) -> bool:
    """Return True if the second derivative by the noise vanishes, where all of the noise is scaled
    by one number.
    """
    if e.atoms(NoncentralChiSquared):
        return False
    t = Dummy("t", real=True)
    wanted = set(noises)
    scaled = e.xreplace({w: t * w for w in e.atoms(Noise, ScalarNoise) if generic(w) in wanted})
    return bool(expand(partial(partial(scaled, t), t)) == 0)
