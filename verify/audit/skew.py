"""The complete recipe made constructive (Ma, Chen & Fox 2015, theorem 2): a skew Q for a rule that
leaves exp(-H) stationary.

Such a rule has ``v = f + D grad H - div D`` with ``div (v exp(-H)) = 0``. A Q with ``v = div Q - Q
grad H`` is sought, which is linear in Q. So Q is an unknown combination of skew matrices whose
entries are quotients of terms of v by terms of grad H, and the combination is solved for exactly.
If none is found, nothing follows: the theorem asks for more than stationarity (decay at infinity),
and an ansatz is finite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

from sympy import Expr, ImmutableDenseMatrix, Matrix, zeros

from recipe import Dense, Recipe, RecipeError, Update
from recipe.declare.dynamics import Dynamics
from recipe.language.abstract import TransposedDense
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import summands
from recipe.language.checks.matrix import BlockMatrix, read_matrix
from recipe.language.entry import Outer, outer
from recipe.language.free_symbols import abstract_of
from recipe.language.symbols import GENERIC
from recipe.language.total import Total, labels, relabel
from recipe.signs.sign import is_positive
from verify.audit.vectors import VectorReader
from verify.audit.written_entries import written_diffusion
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.ratio import Ratio, ratio
from verify.generator.fokker_planck import current

MAX_ENTRIES_OF_A_PAIR = 24  # candidates for one entry of Q
MAX_CANDIDATES = 160  # in all
Gradient = dict[Block, Expr]


@dataclass(frozen=True)
class _Candidate:
    """A skew matrix with ``e`` at one place, and the field ``div Q - Q grad H`` that it gives."""

    row: Block
    column: Block
    e: Expr
    field: tuple[Expr, ...]


def find_recipe(update: Update, dynamics: Dynamics, gradient: Gradient) -> Recipe | None:
    """Return the rule in the recipe form, with its target as H and the rule as its published
    update; None if none is found.

    The recipe was not verified yet.
    """
    D = written_diffusion(dynamics)
    if D is None:
        return None
    try:
        Q = _skew_matrix(dynamics, gradient)
        return (
            None
            if Q is None
            else Recipe(dynamics.state, update.target, D, Q, update=update, where=update.where)
        )
    except (RecipeError, CannotDecideError, RecursionError):
        return None  # the entries are not of the language


def _skew_matrix(dynamics: Dynamics, gradient: Gradient) -> ImmutableDenseMatrix | None:
    """Return a Q with ``v = div Q - Q grad H``; None if no combination of the candidates gives
    it.
    """
    state = dynamics.state
    v = current(dynamics, gradient)
    reader = VectorReader(state)
    candidates = list(_candidates(reader, v, gradient))[:MAX_CANDIDATES]
    weights = reader.solved([c.field for c in candidates], [v[b] for b in state])
    if weights is None:
        return None
    Q = zeros(len(state))
    for weight, c in zip(weights, candidates, strict=True):
        if weight != 0:
            Q += weight * _skew(c.row, c.column, c.e, state)
    return ImmutableDenseMatrix(Q)


def _candidates(reader: VectorReader, v: Gradient, gradient: Gradient) -> Iterator[_Candidate]:
    """Yield skew matrices with one entry each that is of the language."""
    state = tuple(v)
    for row, column in combinations_with_replacement(state, 2):
        for e in _entries(reader, row, column, v, gradient):
            try:
                Q = read_matrix(_skew(row, column, e, state), "Q", state)
            except RecipeError:
                continue  # such an entry does not stand between these blocks
            yield _Candidate(row, column, e, _field(Q, gradient))


def _skew(row: Block, column: Block, e: Expr, state: tuple[Block, ...]) -> Matrix:
    """Return the skew matrix with ``e`` at one place."""
    a, b = state.index(row), state.index(column)
    Q = zeros(len(state))
    if a == b:
        Q[a, a] = e - _transposed(e)
    else:
        Q[a, b], Q[b, a] = e, -_transposed(e)
    return Q


def _transposed(e: Expr) -> Expr:
    """Return an entry as it stands on the other side of the diagonal."""
    turned = {m: outer(m.args[1], m.args[0]) for m in e.atoms(Outer)}
    turned |= {m: m.T for m in e.atoms(Dense)} | {m: m.matrix for m in e.atoms(TransposedDense)}
    return e.xreplace(turned)


def _field(Q: BlockMatrix, gradient: Gradient) -> tuple[Expr, ...]:
    div_Q, Q_grad = Q.divergence(), Q.times(gradient)
    return tuple(div_Q[b] - Q_grad[b] for b in Q.blocks)


def _entries(
    reader: VectorReader, row: Block, column: Block, v: Gradient, gradient: Gradient
) -> list[Expr]:
    """Return candidates for the entry between two blocks, the shortest first: quotients of terms,
    outer products, and the matrices that occur.
    """
    found: dict[Expr, None] = {}
    if row != column:
        for one, other in ((row, column), (column, row)):
            found |= dict.fromkeys(_quotients(reader, v[one], gradient[other], one, other))
    if isinstance(row, Vector) and isinstance(column, Vector):
        found |= dict.fromkeys(_low_rank(reader, row, column, v, gradient))
        matrices = (M for M in abstract_of(v.values()) if isinstance(M, Dense))
        found |= {
            e: None
            for M in matrices
            for e in dict.fromkeys((M, M.T))
            if (M, row) != (e, column) or not M.symmetric
        }
    return sorted(found, key=lambda e: (e.count_ops(), str(e)))[:MAX_ENTRIES_OF_A_PAIR]


def _quotients(
    reader: VectorReader, drift: Expr, force: Expr, row: Block, column: Block
) -> Iterator[Expr]:
    """Yield terms of a drift over terms of a force.

    Between a number and a vector, the summands inside a total of the drift are taken.
    """
    if drift == 0 or force == 0:
        return
    if isinstance(row, Scalar) and isinstance(column, Vector):
        for term in summands(drift):
            for t in term.atoms(Total):
                yield from _quotients(
                    reader, relabel(t.body, t.index.label, GENERIC), force, column, column
                )
        return
    over, under = reader.read([drift, force])
    for a in _terms(reader, over):
        for b in _terms(reader, under):
            q = a / b
            if _is_regular(reader, q):
                yield reader.expression(q)


def _terms(reader: VectorReader, r: Ratio) -> list[Ratio]:
    """Return the terms of a sum over its denominator, without their coefficients."""
    below = ratio(r.den, reader.generators.number(1).den)
    return [reader.monomial(m) / _moving_part(reader, below) for m in reader.by_monomial(r.num)]


def _moving_part(reader: VectorReader, r: Ratio) -> Ratio:
    """Return a denominator without its coefficient where it is one monomial; as it is otherwise."""
    monomials = list(reader.by_monomial(r.num))
    return reader.monomial(monomials[0]) if len(monomials) == 1 else r


def _is_regular(reader: VectorReader, q: Ratio) -> bool:
    """Return True if all factors of the denominator are positive, so that there is no pole."""
    below = reader.generators.poly_expression(q.den)
    return bool(q.den == 1) or is_positive(below)


def _low_rank(
    reader: VectorReader, row: Vector, column: Vector, v: Gradient, gradient: Gradient
) -> Iterator[Expr]:
    """Yield ``outer(u, w)`` where a drift has the term ``u_i total(w force)``."""
    for one, other in dict.fromkeys(((row, column), (column, row))):
        for term in summands(v[one]):
            for t in term.atoms(Total):
                u, inside = term / t, relabel(t.body, t.index.label, GENERIC)
                if labels(u) != {GENERIC} or t.index.length != other.length or gradient[other] == 0:
                    continue
                for w in _quotients(reader, inside, gradient[other], other, other):
                    if labels(w) == {GENERIC}:
                        e = outer(_free_of_numbers(u), w)
                        yield e if (one, other) == (row, column) else _transposed(e)


def _free_of_numbers(u: Expr) -> Expr:
    """Return a product without its coordinate-free factors."""
    return u.as_independent(*(s for s in u.free_symbols if labels(s)), as_Add=False)[1]
