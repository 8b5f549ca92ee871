"""A step as ``z' = M z + m + noise``, for a quadratic H.

An abstract potential is replaced by its test function, ``k theta^2 / 2`` a coordinate. Where no coefficient couples coordinates,
they are independent copies, and one of them decides for every d; in the basis of eigenvectors, for every quadratic U.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Add, Expr, ImmutableDenseMatrix, S, Symbol, expand
from sympy.core.function import AppliedUndef

from recipe.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.errors import OutsideLanguageError
from recipe.expectation import NOISE
from recipe.free import unused_name
from recipe.symbols import Block, Length
from recipe.total import Total
from recipe.update import Update
from verify.order.line import at_length_one

Values = dict[Block, Expr]


@dataclass(frozen=True)
class AffineStep:
    """``z' = M z + m + noise`` with ``noise ~ N(0, C)``; what is recorded of z is ``R z + noise`` with covariance ``S``.

    ``hessian`` is that of H; ``curvature`` the symbol k of the test potential, None where H has no abstract potential.
    """

    coordinates: tuple[Block, ...]
    step: Symbol
    M: ImmutableDenseMatrix
    m: ImmutableDenseMatrix
    C: ImmutableDenseMatrix
    R: ImmutableDenseMatrix
    S: ImmutableDenseMatrix
    hessian: ImmutableDenseMatrix
    curvature: Symbol | None
    every_length: bool

    @property
    def scope(self) -> str:
        """For which laws and lengths it is what the step does."""
        if self.curvature is None:
            return "H as written"
        law = f"U = {self.curvature}*x^2/2 in each coordinate x, every positive {self.curvature}"
        return f"every d and {law}: so for every quadratic U, {self.curvature} being an eigenvalue of its Hessian" if (
            self.every_length
        ) else f"one dimension and {law}"  # fmt: skip


def affine_step(update: Update) -> AffineStep:
    """The step as matrices.

    Raises:
        OutsideLanguageError: where a rule, or the gradient of H, is not affine in the state and the noise.
    """
    potentials = update.target.atoms(Potential)
    k = Symbol(unused_name("k", [*update.state, *(e for e, _ in update.written())]), positive=True) if potentials else None
    _check_concrete(update)

    def meant(e: Expr) -> Expr:
        return expand(_with_curvature(at_length_one(e), k))

    state: Values = {b: b for b in update.state}
    before = dict(state)
    for block, e in update.rule:
        moved = meant(e)
        _read({block: moved}, update.state)  # so that the guilty assignment is named, not what it becomes in a whole step
        value = expand(moved.xreplace(state if update.sequential else before))
        state = {**state, block: value}
    recorded = {**before, **{b: meant(e) for b, e in update.observe}}
    H = meant(update.target)
    slopes = {b: H.diff(b) for b in update.state}
    M, m, C = _read(state, update.state)
    R, _, shaken = _read(recorded, update.state)
    hessian, _, _ = _read(slopes, update.state)
    return AffineStep(update.state, update.step, M, m, C, R, shaken, hessian, k, k is not None and _is_elementwise(update))


def _check_concrete(update: Update) -> None:
    for e, where in update.written():
        strange = sorted(e.atoms(Field, Jet, AppliedUndef, Dense, DenseEntry), key=str)
        if strange:
            raise OutsideLanguageError(f"{where} has the abstract {strange[0]}, so the step is not affine for all of them")


def _with_curvature(e: Expr, k: Symbol | None) -> Expr:
    """Potentials as ``k x^2 / 2`` summed over their blocks, and their derivatives."""
    if k is None:
        return e
    values = {}
    for atom in e.atoms(Potential, Partial):
        head = atom.head if isinstance(atom, Partial) else atom
        value: Expr = Add(*(k * b**2 / 2 for b in head.blocks))
        values[atom] = value.diff(*atom.wrt) if isinstance(atom, Partial) else value
    return e.xreplace(values)


def _is_elementwise(update: Update) -> bool:
    """Whether each coordinate moves by itself, so that d of them are d copies."""
    return not any(e.has(Total, Length) for _, e in (*update.rule, *update.observe))


def _read(values: Values, by: Sequence[Block]) -> tuple[ImmutableDenseMatrix, ImmutableDenseMatrix, ImmutableDenseMatrix]:
    """Matrix, constant and covariance of an affine map; the derivatives of what is affine are constants, and say so."""
    noises = sorted({n for e in values.values() for n in e.atoms(*NOISE)}, key=str)
    moving = (*by, *noises)
    matrix, spread = (_slopes(values, kind, moving) for kind in (by, noises))
    rest = dict.fromkeys(moving, S.Zero)
    constant = ImmutableDenseMatrix([e.xreplace(rest) for e in values.values()])
    return matrix, constant, ImmutableDenseMatrix((spread * spread.T).applyfunc(expand))


def _slopes(values: Values, by: Sequence[Symbol], moving: Sequence[Symbol]) -> ImmutableDenseMatrix:
    entries = []
    for b, e in values.items():
        row = [expand(e.diff(x)) for x in by]
        if any(slope.free_symbols & set(moving) for slope in row):
            raise OutsideLanguageError(f"the step is not affine where U is quadratic: {b} <- {e}")
        entries += row
    return ImmutableDenseMatrix(len(values), len(by), entries)
