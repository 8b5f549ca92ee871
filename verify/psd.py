"""Is the diffusion matrix positive semidefinite, for every length?

Blocks that D does not connect are looked at one group at a time. A group of plain diagonal couplings is one small matrix a
coordinate; it is positive semidefinite iff all its principal minors are nonnegative. A single block with a kernel must be a sum of
parts that are so by themselves. A factor ``B`` with ``B B^T = D`` proves it outright.
"""

from __future__ import annotations

import itertools

from sympy import Add, Expr, Matrix, Mul, S, factor

from recipe.abstract import DenseEntry
from recipe.dynamics import Dynamics
from recipe.entry import Coupling, Entry, Row, combine, is_zero_entry, parts, transposed
from recipe.symbols import GENERIC, OTHER, Block, Vector
from recipe.total import labels, relabel, swap_free
from verify.sign import is_nonnegative
from verify.verdict import Outcome, Verdict, Witness, conjunction, proved, refuted, undecided
from verify.zero.decide import explicit_sizes
from verify.zero.point import BITS, NoValueError, Point, at_precision, shown_ball

LARGEST_GROUP = 5
TRIES = 16


def decide_psd(dynamics: Dynamics) -> Outcome:
    """Decide ``x^T D x >= 0`` for every vector x, every length and every point of the domain."""
    dynamics = _symmetrised(dynamics)
    groups = _connected(dynamics)
    outcome = conjunction(
        ((_names(g), _decide_group(dynamics, g)) for g in groups), by="; ".join(_how(dynamics, g) for g in groups)
    )
    if outcome.verdict is Verdict.PROVED:
        return outcome
    witness = find_negative(dynamics)
    return refuted("x^T D x is negative at the witness", witness) if witness else outcome


def _symmetrised(dynamics: Dynamics) -> Dynamics:
    """With ``(D + D^T) / 2`` in place of D: x^T D x sees nothing else."""
    entries = {(a, b): combine(entry, transposed(dynamics.diffusion[b, a])) for (a, b), entry in dynamics.diffusion.items()}
    halves = {place: type(entry)(*(p / 2 for p in parts(entry))) for place, entry in entries.items()}
    return Dynamics(dynamics.state, dynamics.drift, halves)


def _names(group: list[Block]) -> str:
    return ", ".join(b.name for b in group)


def _connected(dynamics: Dynamics) -> list[list[Block]]:
    """The groups of blocks that D connects."""
    groups: list[list[Block]] = []
    for block in dynamics.state:
        touching = [g for g in groups if any(not is_zero_entry(dynamics.diffusion[block, other]) for other in g)]
        merged = [b for g in touching for b in g] + [block]
        groups = [g for g in groups if g not in touching] + [merged]
    return groups


def _is_plain(dynamics: Dynamics, group: list[Block]) -> bool:
    """Whether the group is one small matrix a coordinate: plain diagonals, or scalars only."""
    entries = [dynamics.diffusion[a, b] for a in group for b in group]
    vectors = [isinstance(b, Vector) for b in group]
    return (all(vectors) or not any(vectors)) and all(parts(e)[-1] == 0 or not isinstance(e, Coupling) for e in entries)


def _how(dynamics: Dynamics, group: list[Block]) -> str:
    if all(is_zero_entry(dynamics.diffusion[a, b]) for a in group for b in group):
        return f"{_names(group)}: zero"
    if _is_plain(dynamics, group):
        return f"{_names(group)}: principal minors nonnegative"
    return f"{_names(group)}: a sum of parts that are positive semidefinite"


def _decide_group(dynamics: Dynamics, group: list[Block]) -> Outcome:
    if _is_plain(dynamics, group):
        return _decide_minors(Matrix(len(group), len(group), lambda a, b: parts(dynamics.diffusion[group[a], group[b]])[0]))
    if len(group) == 1:
        entry = dynamics.diffusion[group[0], group[0]]
        assert isinstance(entry, Coupling)
        return _decide_sum(entry)
    return undecided("borders between scalars and vectors, and kernels between blocks, need noise_factor=B with B B^T = D")


def _decide_minors(matrix: Matrix) -> Outcome:
    if matrix.rows > LARGEST_GROUP:
        return undecided(f"{matrix.rows} coupled blocks are more than the {LARGEST_GROUP} whose principal minors are tried")
    for size in range(1, matrix.rows + 1):
        for rows in itertools.combinations(range(matrix.rows), size):
            minor = matrix.extract(list(rows), list(rows)).det(method="berkowitz")
            if not (is_nonnegative(minor) or is_nonnegative(factor(minor))):
                return undecided(f"the sign of the principal minor {factor(minor)} is not proved")
    return proved("principal minors nonnegative")


def _decide_sum(entry: Coupling) -> Outcome:
    if not is_nonnegative(entry.diagonal):
        return undecided(f"the sign of {entry.diagonal} is not proved")
    for term in Add.make_args(entry.kernel):
        if not _is_psd_term(term):
            return undecided(f"the part {term} is not seen to be positive semidefinite by itself")
    return proved("a sum of parts that are positive semidefinite")


def _is_psd_term(term: Expr) -> bool:
    """``c outer(u, u)`` or ``c M`` with a positive definite M, and ``c`` a nonnegative number."""
    left, right, middle = S.One, S.One, S.One
    for f in Mul.make_args(term):
        at = labels(f)
        if isinstance(f, DenseEntry) and f.matrix.positive_definite and at == {GENERIC, OTHER}:
            continue  # a Hadamard product of such matrices is positive semidefinite (Schur)
        if at == {GENERIC}:
            left *= f
        elif at == {OTHER}:
            right *= f
        elif not at:
            middle *= f
        else:
            return False
    # With M also diag(u) M diag(u) is positive semidefinite, so a matrix may carry the same vector on both sides.
    return relabel(right, OTHER, GENERIC) == left and is_nonnegative(middle) and swap_free(term, GENERIC, OTHER) == term


def find_negative(dynamics: Dynamics) -> Witness | None:
    """A point and a vector x of small integers with ``x^T D x`` certainly negative."""
    written = [p for e in dynamics.diffusion.values() for p in parts(e) if p != 0]
    for sizes in explicit_sizes(written):
        for seed in range(TRIES):
            point = Point(sizes, seed, edge=seed % 2 == 1)
            try:
                matrix = at_precision(BITS[0], lambda p=point: _explicit(dynamics, p))  # type: ignore[misc]
            except NoValueError:
                continue
            found = _negative_direction(matrix)
            if found is not None:
                x, value = found
                names = [n for b in dynamics.state for n in _coordinate_names(b, point)]
                shown = {n: str(c) for n, c in zip(names, x, strict=True)}
                return Witness(point.shown() | {f"x[{n}]": c for n, c in shown.items()}, f"x^T D x is {shown_ball(value)}")
    return None


def _coordinate_names(block: Block, point: Point) -> list[str]:
    return [f"{block}[{k + 1}]" for k in range(point.sizes.get(block.length, 1))] if isinstance(block, Vector) else [block.name]


def _explicit(dynamics: Dynamics, point: Point) -> list[list[object]]:
    """D as numbers at a point."""
    coordinates = [(b, k) for b in dynamics.state for k in range(point.sizes.get(b.length, 1) if isinstance(b, Vector) else 1)]
    return [[_number(dynamics.diffusion[a, b], i, j, point) for b, j in coordinates] for a, i in coordinates]


def _number(entry: Entry, i: int, j: int, point: Point) -> object:
    if isinstance(entry, Coupling):
        value = point.evaluate(entry.kernel, {GENERIC: i, OTHER: j})
        return value + point.evaluate(entry.diagonal, {GENERIC: i}) if i == j else value
    return point.evaluate(entry.value, {GENERIC: j if isinstance(entry, Row) else i})


def _negative_direction(matrix: list[list]) -> tuple[tuple[int, ...], object] | None:  # type: ignore[type-arg]
    n = len(matrix)
    axes = [tuple(int(k == a) for k in range(n)) for a in range(n)]
    pairs = [
        tuple(u * (k == a) + v * (k == b) for k in range(n))
        for a, b in itertools.combinations(range(n), 2)
        for u, v in ((1, 1), (1, -1), (1, 2), (2, 1), (1, -2), (2, -1), (1, 4), (1, -4), (4, 1), (4, -1))
    ]
    for x in (*axes, *pairs):
        value = sum(x[a] * matrix[a][b] * x[b] for a in range(n) for b in range(n) if x[a] and x[b])
        if value < 0:
            return x, value
    return None
