"""Explicit coordinates theta_0, ..., theta_(d-1): an oracle that shares no code with the calculus
of symbolic lengths.

Every abstract function is replaced by a concrete one before anything is differentiated, every
parameter by a number; then plain sympy derivatives and 60 digits decide. Only the classes of the
language are imported, never what works on them.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property, singledispatchmethod
from random import Random

import mpmath
import sympy
from sympy import Add, Expr, Integer, Matrix, Mul, Rational, Symbol, sin
from sympy.core.function import AppliedUndef

from recipe import Dense, Field, Noise, Potential, Recipe, Scalar, Simplex, Update, Vector
from recipe.declare.dynamics import Dynamics
from recipe.language.abstract import DenseEntry, Jet, Partial
from recipe.language.blocks import Block
from recipe.language.chi_squared import NoncentralChiSquared
from recipe.language.data import VectorParameter
from recipe.language.entry import Column, Coupling, Entry, Number, Outer, Row
from recipe.language.fold import Fold, FoldSign
from recipe.language.noise import ScalarNoise
from recipe.language.symbols import GENERIC, OTHER, Index, Length
from recipe.language.total import Total

DIGITS = 60
TOLERANCE = mpmath.mpf(10) ** -30

At = dict[int, int]
ROOT = Symbol("s", positive=True)  # of the step


@cache
def constant(key: str) -> Rational:
    """A rational number between 1/5 and 2 that belongs to a name."""
    return Rational(Random(key).randint(20, 200), 100)


@cache
def smooth(key: str, x: tuple[Expr, ...], positive: bool = False) -> Expr:
    """A concrete smooth function that belongs to a name; no derivative of it vanishes
    identically.
    """

    def form(letter: str) -> Expr:
        return Add(
            *((-1) ** k * constant(f"{key}{letter}{k}") * c for k, c in enumerate(x)),
            constant(key + letter),
        )

    if positive:
        return 2 + sin(form("a")) + form("b") ** 2
    return form("a") ** 2 * form("b") / 5 + sin(form("c"))


@dataclass(frozen=True)
class World:
    """Blocks of explicit lengths, and a concrete meaning of every name.

    ``images`` says of each coordinate of a block that one of the state stands for, which function
    of that it is.
    """

    dims: dict[Length, int]
    values: dict[Symbol, Expr] = field(default_factory=dict)
    images: dict[Symbol, Expr] = field(default_factory=dict)

    def size(self, block: Block) -> int:
        return self.dims[block.length] if isinstance(block, Vector) else 1

    def coordinates(self, block: Block) -> list[Symbol]:
        return [Symbol(f"{block.name}_{k}", real=True) for k in range(self.size(block))]

    def vector(self, e: Expr, block: Block) -> list[Expr]:
        """An expression of the generic coordinate of a block, at each of its coordinates."""
        return [self.read(e, {GENERIC: k}) for k in range(self.size(block))]

    @singledispatchmethod
    def read(self, e: Expr, at: At) -> Expr:
        """The expression in explicit coordinates, its labels standing for the coordinates
        ``at``.
        """
        return e.func(*(self.read(a, at) for a in e.args)) if e.args else e

    @read.register
    def _(self, e: Symbol, at: At) -> Expr:
        return self.values.get(e, constant(e.name))

    @read.register
    def _(self, e: Length, at: At) -> Expr:
        return Integer(self.dims[e])

    @read.register(Scalar)
    @read.register(ScalarNoise)
    def _(self, e: Symbol, at: At) -> Expr:
        return Symbol(f"{e.name}_0", real=True)

    @read.register
    def _(self, e: Vector, at: At) -> Expr:
        return Symbol(f"{e.base}_{at[e.label]}", real=True)

    @read.register
    def _(self, e: VectorParameter, at: At) -> Expr:
        return constant(f"{e.base}_{at[e.label]}")

    @read.register
    def _(self, e: Noise, at: At) -> Expr:
        white = [Symbol(f"{e.base}_{k}", real=True) for k in range(self.dims[e.length])]
        return (
            white[at[e.label]]
            if e.covariance is None
            else (self.root(e.covariance) * Matrix(white))[at[e.label]]
        )

    @read.register
    def _(self, e: Index, at: At) -> Expr:
        raise TypeError("a bare index is no expression")

    @read.register(Potential)
    @read.register(Field)
    def _(self, e: Expr, at: At) -> Expr:
        return self.declared(e, at).xreplace(self.images)

    @read.register
    def _(self, e: Partial, at: At) -> Expr:
        return (
            self.declared(e.head, at).diff(*(self.read(x, at) for x in e.wrt)).xreplace(self.images)
        )

    def declared(self, e: Potential | Field, at: At) -> Expr:
        """The concrete function of the blocks that it was declared of."""
        if isinstance(e, Potential):
            return smooth(e.name, tuple(c for block in e.blocks for c in self.coordinates(block)))
        return smooth(
            f"{e.base}{at[e.label]}", tuple(self.coordinates(e.block)), bool(e.is_positive)
        )

    @read.register
    def _(self, e: Fold, at: At) -> Expr:
        return self.read(e.args[0], at)  # the limit is taken inside

    @read.register
    def _(self, e: FoldSign, at: At) -> Expr:
        return Integer(1)

    @read.register
    def _(self, e: NoncentralChiSquared, at: At) -> Expr:
        """Another number with its mean and variance; all later cumulants of a square-root process
        vanish faster than the step.
        """
        df, nonc = self.read(e.df, at), self.read(e.nonc, at)
        return df + nonc + sympy.sqrt(2 * (df + 2 * nonc)) * self.read(e.noise, at)

    @read.register
    def _(self, e: AppliedUndef, at: At) -> Expr:
        return smooth(e.func.__name__, tuple(self.read(a, at) for a in e.args), bool(e.is_positive))

    @read.register
    def _(self, e: Jet, at: At) -> Expr:
        slots = tuple(Symbol(f"slot_{k}", real=True) for k in range(len(e.orders)))
        value = smooth(e.applied.func.__name__, slots, bool(e.applied.is_positive))
        for slot, order in zip(slots, e.orders, strict=True):
            value = value.diff(slot, order)
        return value.xreplace(
            {slot: self.read(a, at) for slot, a in zip(slots, e.applied.args, strict=True)}
        )

    @read.register
    def _(self, e: Total, at: At) -> Expr:
        return Add(
            *(self.read(e.body, at | {e.index.label: k}) for k in range(self.dims[e.index.length]))
        )

    @read.register
    def _(self, e: Dense, at: At) -> Expr:
        return self.matrix_of(e)[at[GENERIC], at[OTHER]] if OTHER in at else Integer(0)

    @read.register
    def _(self, e: DenseEntry, at: At) -> Expr:
        row, column = e.labels
        return self.matrix_of(e.matrix)[at[row], at[column]]

    @read.register
    def _(self, e: Outer, at: At) -> Expr:
        u, v = e.args
        return (
            self.read(u, {GENERIC: at[GENERIC]}) * self.read(v, {GENERIC: at[OTHER]})
            if OTHER in at
            else Integer(0)
        )

    def matrix_of(self, m: Dense) -> Matrix:
        """The concrete matrix; its root is what the noise with that covariance is multiplied by."""
        if m.positive_definite:
            return self.root(m) * self.root(m).T
        key = (
            (lambda i, j: f"{m.name}{min(i, j)},{max(i, j)}")
            if m.symmetric
            else (lambda i, j: f"{m.name}{i},{j}")
        )
        return Matrix(self.size(m.row), self.size(m.column), lambda i, j: constant(key(i, j)))

    def root(self, m: Dense) -> Matrix:
        return Matrix(
            self.size(m.row),
            self.size(m.row),
            lambda i, j: constant(f"{m.name}{i},{j}") if i >= j else 0,
        )

    def written_entry(self, e: Expr, row: Block, column: Block, i: int, j: int) -> Expr:
        """Entry (i, j) of what is written between two blocks: ``outer`` and ``Dense`` are full, the
        rest is diagonal.
        """
        if not (isinstance(row, Vector) and isinstance(column, Vector)):
            return self.read(e, {GENERIC: i if isinstance(row, Vector) else j})
        diagonal = self.read(e, {GENERIC: i})
        return self.read(e, {GENERIC: i, OTHER: j}) - diagonal * (0 if i == j else 1)

    def derived_entry(self, entry: Entry, i: int, j: int) -> Expr:
        """Entry (i, j) of what the library derived between two blocks."""
        match entry:
            case Coupling(diagonal, kernel):
                return self.read(kernel, {GENERIC: i, OTHER: j}) + (
                    self.read(diagonal, {GENERIC: i}) if i == j else 0
                )
            case Column(value):
                return self.read(value, {GENERIC: i})
            case Row(value) | Number(value):
                return self.read(value, {GENERIC: j})
        raise TypeError(entry)


def world_of(
    state: tuple[Block, ...], dims: int | tuple[int, ...], values: dict[Symbol, Expr] | None = None
) -> World:
    """The world in which the lengths of the state, in order, are ``dims`` (one number for all of
    them).
    """
    lengths = list(dict.fromkeys(b.length for b in state if isinstance(b, Vector)))
    numbers = dims if isinstance(dims, tuple) else (dims,) * len(lengths)
    world = World(dict(zip(lengths, numbers, strict=False)), values or {})
    stand_ins = [b for b in state if b.image is not None]
    images = {
        x: b.forward(phi)
        for b in stand_ins
        for x, phi in zip(world.coordinates(b.image), world.coordinates(b), strict=True)
    }
    return replace(world, images=images)


@dataclass(frozen=True)
class ExplicitRecipe:
    """H, D, Q of a recipe in explicit coordinates, and what follows from them by plain
    differentiation.
    """

    recipe: Recipe
    world: World

    @cached_property
    def places(self) -> list[tuple[Block, int]]:
        return [(block, k) for block in self.recipe.state for k in range(self.world.size(block))]

    @cached_property
    def z(self) -> list[Symbol]:
        return [c for block in self.recipe.state for c in self.world.coordinates(block)]

    @cached_property
    def H(self) -> Expr:
        return self.world.read(self.recipe.H, {})

    @cached_property
    def D(self) -> Matrix:
        return self._matrix(self.recipe.D)

    @cached_property
    def Q(self) -> Matrix:
        return self._matrix(self.recipe.Q)

    def _matrix(self, block_matrix) -> Matrix:
        index = {block: k for k, block in enumerate(self.recipe.state)}
        return Matrix(
            [
                [
                    self.world.written_entry(block_matrix.written[index[a], index[b]], a, b, i, j)
                    for b, j in self.places
                ]
                for a, i in self.places
            ]
        )

    @cached_property
    def gradient(self) -> list[Expr]:
        return [self.H.diff(x) for x in self.z]

    @cached_property
    def gamma(self) -> list[Expr]:
        M = self.D + self.Q
        return [Add(*(M[i, j].diff(x) for j, x in enumerate(self.z))) for i in range(len(self.z))]

    @cached_property
    def drift(self) -> list[Expr]:
        flow = (self.D + self.Q) * Matrix(self.gradient)
        return [gamma - flow[i] for i, gamma in enumerate(self.gamma)]

    def residual(self, drift: list[Expr] | None = None, D: Matrix | None = None) -> Expr:
        """The second-order Fokker-Planck operator on p = exp(-H), over p; zero iff p is stationary
        in the interior.
        """
        f = self.drift if drift is None else drift
        D = self.D if D is None else D
        n = range(len(self.z))
        flow = Add(*(self.times_p(f[i], i) for i in n))
        spread = Add(
            *(self.times_p(self.times_p(D[i, j], i), j) for i in n for j in n if D[i, j] != 0)
        )
        return spread - flow

    def times_p(self, e: Expr, i: int) -> Expr:
        """The derivative of ``e p`` by the i-th coordinate, over p."""
        return e.diff(self.z[i]) - e * self.gradient[i]

    def components(self, by_block: dict[Block, Expr]) -> list[Expr]:
        """A field of the library, one expression a block, in explicit coordinates."""
        return [e for block in self.recipe.state for e in self.world.vector(by_block[block], block)]

    def diffusion(self, dynamics: Dynamics) -> list[Expr]:
        """The D of derived dynamics in explicit coordinates, entry by entry."""
        return [
            self.world.derived_entry(dynamics.diffusion[a, b], i, j)
            for a, i in self.places
            for b, j in self.places
        ]

    def points(self, count: int = 2) -> list[dict[Symbol, Rational]]:
        blocks = [block for block, _ in self.places]
        return [
            {x: _in_domain(b, Random(f"{n}{x}")) for b, x in zip(blocks, self.z, strict=True)}
            for n in range(count)
        ]

    def is_zero(self, e: Expr) -> bool:
        return all(vanishes(e, point) for point in self.points())

    def agree(self, ours: list[Expr], theirs: list[Expr]) -> bool:
        assert len(ours) == len(theirs)
        return all(self.is_zero(a - b) for a, b in zip(ours, theirs, strict=True))


def explicit(recipe: Recipe, dims: int | tuple[int, ...]) -> ExplicitRecipe:
    return ExplicitRecipe(recipe, world_of(recipe.state, dims))


def _in_domain(block: Block, random: Random) -> Rational:
    x = Rational(random.randint(-150, 150), 100)
    if block.domain == sympy.S.Reals:
        return x
    inside = Rational(random.randint(1, 99), 100)
    if isinstance(block.domain, Simplex):
        return inside / 10  # the sum of fewer than eleven is below 1
    start, end = block.domain.start, block.domain.end
    return start + inside * (end - start if end.is_finite else 1)


def vanishes(e: Expr, point: dict[Symbol, Rational]) -> bool:
    return abs(evaluate(e, point)) < TOLERANCE


def evaluate(e: Expr, point: dict[Symbol, Rational]) -> mpmath.mpf:
    """The value at a rational point, to 60 digits; each shared subexpression once."""
    known: dict[Expr, mpmath.mpf] = {}

    def value(node: Expr) -> mpmath.mpf:
        if node not in known:
            known[node] = (
                _operation(node, [value(a) for a in node.args]) if node.args else _leaf(node, point)
            )
        return known[node]

    with mpmath.workdps(DIGITS):
        return value(sympy.sympify(e))


def _leaf(node: Expr, point: dict[Symbol, Rational]) -> mpmath.mpf:
    number = point.get(node, node)
    return (
        mpmath.mpf(number.p) / number.q
        if isinstance(number, Rational)
        else number.evalf(DIGITS + 5)._to_mpmath(DIGITS * 4)
    )


def _operation(node: Expr, args: list[mpmath.mpf]) -> mpmath.mpf:
    if node.is_Add:
        return mpmath.fsum(args)
    if node.is_Mul:
        return mpmath.fprod(args)
    if node.is_Pow:
        return mpmath.power(*args)
    return getattr(mpmath, type(node).__name__)(*args)


def explicit_limit(update: Update, reference: ExplicitRecipe) -> tuple[list[Expr], Matrix]:
    """Drift and D of an update rule as its step vanishes, from the explicit step expanded in s =
    sqrt(step).
    """
    world = replace(reference.world, values={**reference.world.values, update.step: ROOT**2})
    moved = {x: x for x in reference.z}
    for block, rule in update.rule:
        new = dict(
            zip(world.coordinates(block), map(regular, world.vector(rule, block)), strict=True)
        )
        moved |= {x: e.xreplace(dict(moved)) for x, e in new.items()} if update.sequential else new
    noise = sorted(
        set().union(*(e.free_symbols for e in moved.values())) - {ROOT, *reference.z}, key=str
    )
    first = [moved[x].diff(ROOT).xreplace({ROOT: Integer(0)}) for x in reference.z]
    second = [moved[x].diff(ROOT).diff(ROOT).xreplace({ROOT: Integer(0)}) / 2 for x in reference.z]
    drift = [mean(b, noise) for b in second]
    return drift, Matrix(len(first), len(first), lambda i, j: mean(first[i] * first[j], noise) / 2)


def regular(e: Expr) -> Expr:
    """What has poles in s that cancel, without them, to order s^3: ``exp(c s^2)`` is its series,
    and powers of s are taken out.
    """
    decays = [a for a in e.atoms(sympy.exp) if (a.args[0] / ROOT**2).is_number]
    if not decays:
        return e
    return _without_poles(e.xreplace({a: 1 + a.args[0] + a.args[0] ** 2 / 2 for a in decays}))


def _without_poles(e: Expr) -> Expr:
    if not e.has(ROOT) or not e.args:
        return e
    e = e.func(*(_without_poles(a) for a in e.args))
    if e.is_Pow and not e.exp.is_Integer:
        return sympy.factor(e.base) ** e.exp
    return Add(
        *(
            Mul(*map(sympy.factor, Mul.make_args(t)))
            for t in Add.make_args(e.expand(power_base=False))
        )
    )


def mean(e: Expr, noise: list[Symbol]) -> Expr:
    """The mean of a polynomial of independent standard normal numbers: exp(Laplacian / 2) at
    zero.
    """
    term, result, k = sympy.sympify(e), Integer(0), 0
    while term != 0:
        result += term.xreplace(dict.fromkeys(noise, Integer(0)))
        k += 1
        term = Add(*(term.diff(w).diff(w) for w in noise)) / (2 * k)
    return result


__all__ = ["ExplicitRecipe", "World", "explicit", "explicit_limit", "mean", "vanishes", "world_of"]
