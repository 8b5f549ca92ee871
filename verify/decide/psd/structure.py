"""Take the matrix of a group of blocks apart: diagonals, low rank, borders and dense matrices.

On vectors v and scalars s, with W the columns that D's kernels and borders are made of,

    x^T D x = v^T A v + (W^T v)^T K (W^T v) + 2 (W^T v)^T E s + s^T S s + (dense parts),

where A has one small matrix for each coordinate, and K, E and S are coordinate-free. A column of W
is a function at one block.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as default
from itertools import product

from sympy import Add, Expr

from recipe.language.abstract import Dense, DenseEntry
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.entry import Coupling, parts
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel
from verify.decide.psd.elimination import NotReachedError
from verify.decide.psd.field import RatioField, Rows
from verify.decide.zero.ratio import Poly, Ratio, factors_of, ratio
from verify.generator.coupling import Diffusion, Group

Vectors = dict[Block, Ratio]  # a stacked vector, each component at its generic coordinate


@dataclass
class Structure:
    """The matrices of one group, in the notation above.

    ``diagonal[a, b]`` is A between two blocks; ``dense[M][a, b]`` is the coefficient of a dense
    matrix M between them.
    """

    field: RatioField
    vectors: list[Vector]
    scalars: list[Scalar]
    diagonal: dict[tuple[Block, Block], Ratio] = default(default_factory=dict)
    columns: list[Vectors] = default(default_factory=list)
    K: Rows = default(default_factory=list)
    E: Rows = default(default_factory=list)
    S: Rows = default(default_factory=list)
    dense: dict[Dense, dict[tuple[Block, Block], Ratio]] = default(default_factory=dict)


@dataclass(frozen=True)
class _Term:
    """``coefficient * left_i * right_j``; with ``dense``, ``coefficient`` times that matrix."""

    coefficient: Ratio
    left: Ratio
    right: Ratio
    dense: Dense | None = None


def read_structure(diffusion: Diffusion, group: Group, field: RatioField) -> Structure:
    """Take the matrix of a group apart.

    Raises:
        NotReachedError: if a kernel is not a sum of products of vectors and dense matrices.
    """
    vectors = [b for b in group if isinstance(b, Vector)]
    scalars = [b for b in group if isinstance(b, Scalar)]
    found = Structure(field, vectors, scalars)
    found.S = [[field.read(parts(diffusion[a, b])[0]) for b in scalars] for a in scalars]
    kernels: list[tuple[tuple[Block, str], tuple[Block, str], Ratio]] = []
    borders: list[tuple[tuple[Block, str], int, Ratio]] = []
    known: dict[tuple[Block, str], Vectors] = {}

    def named(block: Block, f: Ratio) -> tuple[Block, str]:
        known.setdefault((block, f.key()), {block: f})
        return block, f.key()

    for a, b in product(vectors, vectors):
        entry = diffusion[a, b]
        assert isinstance(entry, Coupling)
        found.diagonal[a, b] = field.read(entry.diagonal)
        for term in _terms(entry.kernel, field):
            if term.dense is None:
                kernels.append((named(a, term.left), named(b, term.right), term.coefficient))
            else:
                coefficients = found.dense.setdefault(term.dense, {})
                coefficients[a, b] = coefficients.get((a, b), field.zero) + term.coefficient
    for a, (n, s) in product(vectors, enumerate(scalars)):
        for term in _terms(parts(diffusion[a, s])[0], field):
            borders.append((named(a, term.left), n, term.coefficient))
    found.columns = list(known.values())
    index = {key: n for n, key in enumerate(known)}
    found.K, found.E = field.zeros(len(known), len(known)), field.zeros(len(known), len(scalars))
    for one, other, c in kernels:
        found.K[index[one]][index[other]] = field.reduced(found.K[index[one]][index[other]] + c)
    for one, n, c in borders:
        found.E[index[one]][n] = field.reduced(found.E[index[one]][n] + c)
    return found


def _terms(e: Expr, field: RatioField) -> list[_Term]:
    """A kernel, or the coordinates of a border (``right`` is then 1), as a sum of products.

    Summands with a dense matrix are read one by one. The others are read together or one by one,
    whichever gives fewer products: a common denominator can break up what was a product.
    """
    written = Add.make_args(e)
    apart = [term for t in written if t.has(DenseEntry) for term in _terms_of_one(t, field)]
    rest = [t for t in written if not t.has(DenseEntry)]
    whole = _terms_of_one(Add(*rest), field)
    one_by_one = (
        [term for t in rest for term in _terms_of_one(t, field)]
        if len(rest) > 1 and len(whole) > len(rest)
        else whole
    )
    return apart + min(whole, one_by_one, key=len)


def _terms_of_one(e: Expr, field: RatioField) -> list[_Term]:
    whole = field.read(e)
    if whole.is_zero():
        return []
    below = _split_denominator(whole.den, field)
    one = field.one.den
    return [
        _term(exponents, coefficient, below, field, one)
        for exponents, coefficient in sorted(whole.num.to_dict().items(), key=str)
    ]


def _split_denominator(den: Poly, field: RatioField) -> dict[str, Poly]:
    """The denominator as a product of three parts: at coordinate i, at coordinate j, and
    coordinate-free.
    """
    constant, factors = factors_of(den)
    parts_of = {"i": field.one.num, "j": field.one.num, "free": field.one.num * constant}
    for factor, n in factors:
        at = {
            label
            for k in field.generators.generators_of(factor)
            for label in field.generators.labels[k]
        }
        if {GENERIC, OTHER} <= at:
            raise NotReachedError("a denominator of a kernel joins two coordinates")
        parts_of["i" if GENERIC in at else "j" if OTHER in at else "free"] *= factor**n
    return parts_of


def _term(
    exponents: tuple[int, ...],
    coefficient: int,
    below: dict[str, Poly],
    field: RatioField,
    one: Poly,
) -> _Term:
    monomials = {"i": field.one.num, "j": field.one.num, "free": field.one.num * coefficient}
    dense: Dense | None = None
    for k, n in enumerate(exponents):
        if not n:
            continue
        at, meaning = field.generators.labels[k], field.generators.meanings[k]
        if {GENERIC, OTHER} <= at:
            if (
                not isinstance(meaning, DenseEntry)
                or n > 1
                or dense is not None
                or not meaning.matrix.positive_definite
            ):
                raise NotReachedError(
                    f"{meaning} is not known to be positive semidefinite by itself"
                )
            dense = meaning.matrix
        else:
            monomials["i" if GENERIC in at else "j" if OTHER in at else "free"] *= (
                field.generators.of_index(k).num ** int(n)
            )
    left, right, free = (ratio(monomials[p], below[p]) for p in ("i", "j", "free"))
    if dense is not None and not (left.key() == right.key() == field.one.key()):
        raise NotReachedError(f"{dense} is scaled by more than a number")
    return _Term(free, left, field.read(relabel(field.expression(right), OTHER, GENERIC)), dense)


__all__ = ["Structure", "Vectors", "read_structure"]
