"""Whether D is positive semidefinite, in explicit coordinates: an oracle for its verdicts.

The eigenvalues of D at random points for proofs, x^T D x at the witness for refutations, and every
factor multiplied out, with 60 digits. It shares no code with what it judges.
"""

from __future__ import annotations

from random import Random

import mpmath
from sympy import Expr, Integer, Interval, Matrix, Rational, Symbol, oo

from oracles.explicit import DIGITS, World, evaluate, explicit, world_of
from recipe import Recipe, Simplex, Vector
from recipe.language.symbols import GENERIC, OTHER
from verify.evidence import FactorColumn, FactorStep
from verify.verdict import Outcome

SIZES = (1, 2, 3)


def point_in(recipe: Recipe, world: World, random: Random) -> dict[Symbol, Rational]:
    """A random rational point of the domain."""
    found = {}
    for block in recipe.state:
        for coordinate in world.coordinates(block):
            inside = Rational(random.randint(1, 99), 100)
            if isinstance(block.domain, Simplex):
                found[coordinate] = inside / world.size(block)
            elif block.domain == Interval(0, 1):
                found[coordinate] = inside
            else:
                found[coordinate] = (
                    5 * inside if block.domain == Interval.open(0, oo) else 6 * inside - 3
                )
    return found


def explicit_D(recipe: Recipe, d: int) -> Matrix:
    D = explicit(recipe, d).D
    return (D + D.T) / 2


def value_at(matrix: Matrix, point: dict) -> mpmath.matrix:
    return mpmath.matrix([[evaluate(e, point) for e in matrix.row(k)] for k in range(matrix.rows)])


def has_no_negative_eigenvalue(recipe: Recipe, seeds: range = range(3)) -> bool:
    """Whether no eigenvalue of D is negative at random points, for three lengths."""
    for size in SIZES:
        D = explicit_D(recipe, size)
        for seed in seeds:
            values = value_at(D, point_in(recipe, world_of(recipe.state, size), Random(seed)))
            with mpmath.workdps(DIGITS):
                smallest = min(mpmath.eigsy(values, eigvals_only=True))
                if smallest < -(mpmath.mpf(10) ** -40) * (1 + mpmath.mnorm(values)):
                    return False
    return True


def explicit_column(recipe: Recipe, column: FactorColumn, world: World) -> tuple[Matrix, Matrix]:
    """The columns of B of one block of columns, and its W."""
    places = [(block, k) for block in recipe.state for k in range(world.size(block))]
    size = 1 if column.length is None else world.dims[column.length]
    rows = dict(column.entries)
    B = Matrix(
        len(places), size, lambda i, j: entry_at(rows.get(places[i][0]), places[i][1], j, world)
    )
    if column.matrix is not None:
        return B, world.read(column.weight, {}) * world.matrix_of(column.matrix)
    return B, Matrix(
        size, size, lambda i, j: world.read(column.weight, {GENERIC: i}) if i == j else Integer(0)
    )


def entry_at(entry, i: int, j: int, world: World) -> Expr:
    if entry is None:
        return Integer(0)
    kind = type(entry).__name__
    if kind == "Coupling":
        return world.read(entry.kernel, {GENERIC: i, OTHER: j}) + (
            world.read(entry.diagonal, {GENERIC: i}) if i == j else 0
        )
    return world.read(entry.value, {GENERIC: i if kind == "Column" else j})


def factor_is_right(recipe: Recipe, step: FactorStep) -> bool:
    """Whether ``B W B^T`` is D at random points, with weights that are not negative and equal to
    the forms of their signs.
    """
    small, tiny = mpmath.mpf(10) ** -35, mpmath.mpf(10) ** -40
    for size in SIZES:
        world = world_of(recipe.state, size)
        D = explicit_D(recipe, size)
        point = point_in(recipe, world, Random(size))
        product = mpmath.zeros(D.rows)
        for column, sign in zip(step.columns, step.signs, strict=True):
            B, W = (value_at(m, point) for m in explicit_column(recipe, column, world))
            for k in range(W.rows):
                weight = evaluate(world.read(column.weight, {GENERIC: k}), point)
                form = evaluate(world.read(sign.form, {GENERIC: k}), point)
                # a weight that is exactly zero may be -1e-65 in 60 digits
                if weight < -tiny or abs(form - weight) >= tiny:
                    return False
            with mpmath.workdps(DIGITS):
                product += B * W * B.T
        with mpmath.workdps(DIGITS):
            values = value_at(D, point)
            if mpmath.mnorm(product - values) > small * (1 + mpmath.mnorm(values)):
                return False
    return True


def form_at_witness(recipe: Recipe, outcome: Outcome) -> mpmath.mpf:
    """x^T D x at the witness, entry by entry as D is written."""
    assert outcome.witness is not None
    found = outcome.witness.point
    size = max([int(n) for key, n in found.items() if key.startswith("d_")], default=1)
    symbols = {s for e in recipe.D.written for s in e.free_symbols}
    plain = {s for s in symbols if type(s) is Symbol and s.name in found}
    world = world_of(recipe.state, size, {s: Rational(found[s.name]) for s in plain})
    point, direction = {}, {}
    for block in recipe.state:
        shown = found.get(getattr(block, "base", block.name), "0")
        for k, coordinate in enumerate(world.coordinates(block)):
            values = shown if isinstance(shown, list) else [shown] * (k + 1)
            text = values[k] if k < len(values) else "0"
            point[coordinate] = Rational(0 if text == "any" else text)
            name = f"x[{block}[{k + 1}]]" if isinstance(block, Vector) else f"x[{block}]"
            if Rational(found.get(name, "0")):
                direction[block, k] = Rational(found[name])
    index = {b: n for n, b in enumerate(recipe.state)}
    return evaluate(
        sum(
            p * q * world.written_entry(recipe.D.written[index[e], index[f]], e, f, i, j)
            for (e, i), p in direction.items()
            for (f, j), q in direction.items()
        ),
        point,
    )
