"""A step as ``z' = M z + m + noise``, for a quadratic H.

An abstract potential is replaced by the test function ``k theta^2 / 2`` in each coordinate. Where
no coefficient couples coordinates, they are independent copies, and one of them decides for every
d. In the basis of eigenvectors it decides for every quadratic U.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sympy import Expr, ImmutableDenseMatrix, S, Symbol, expand
from sympy.core.function import AppliedUndef

from recipe.declare.update import Update
from recipe.language.abstract import Dense, DenseEntry, Field, Jet, Partial, Potential
from recipe.language.assumed import cached
from recipe.language.blocks import Block, Scalar, Vector
from recipe.language.calculus import gradient
from recipe.language.data import VectorParameter
from recipe.language.errors import OutsideLanguageError
from recipe.language.expectation import NOISE
from recipe.language.free_symbols import unused_name
from recipe.language.noise import Noise, ScalarNoise
from recipe.language.symbols import Length
from recipe.language.total import Total
from recipe.signs.defined import PROVERS, conditions
from verify.decide.linear_algebra.minors import has_positive_minors
from verify.discrete.weak_order.meanings import meaning_of
from verify.generator.one_dimension import at_length_one

Values = dict[Block, Expr]


@dataclass(frozen=True)
class AffineStep:
    """One step, ``z' = M z + m + noise`` with ``noise ~ N(0, C)``, and what is recorded of z, ``R z
    + n + noise`` with covariance ``S``.

    All matrices are n by n and all vectors n by 1, with one row for each of the n ``coordinates``.
    Their entries are expressions of the step and the parameters.

    Attributes:
        coordinates: the blocks, each with one coordinate.
        step: the symbol of the step size.
        M, m, C: the matrix, the offset and the covariance of the noise of a step.
        R, n, S: the matrix, the offset and the covariance of the noise of what is recorded.
        hessian: the Hessian of H.
        slope: the gradient of H at 0.
        curvature: the symbol k of the test potential; None where H has no abstract potential.
        every_length: whether coordinates do not couple, so that one coordinate decides for every d.
        isotropic: whether the step is the same in every orthonormal basis.
        defined: conditions, in words, that must hold for the step to have a value.
    """

    coordinates: tuple[Block, ...]
    step: Symbol
    M: ImmutableDenseMatrix
    m: ImmutableDenseMatrix
    C: ImmutableDenseMatrix
    R: ImmutableDenseMatrix
    n: ImmutableDenseMatrix
    S: ImmutableDenseMatrix
    hessian: ImmutableDenseMatrix
    slope: ImmutableDenseMatrix
    curvature: Symbol | None
    every_length: bool
    isotropic: bool
    defined: tuple[str, ...]

    @property
    def scope(self) -> str:
        """The laws and lengths for which these matrices describe the step, in words."""
        vectors = any(isinstance(b, Vector) for b in self.coordinates)
        lengths = ("every d" if self.every_length else "one dimension") if vectors else ""
        if self.curvature is None:
            return ", ".join(filter(None, [lengths, "H as written"]))
        law = f"U = {self.curvature}*x^2/2 in each coordinate x, every positive {self.curvature}"
        if not self.every_length:
            return f"{lengths} and {law}" if lengths else law
        by_eigenvalue = (
            f": so for every quadratic U, {self.curvature} being an eigenvalue of its Hessian"
            if self.isotropic
            else ""
        )
        return f"{lengths} and {law}{by_eigenvalue}" if lengths else law


@cached(maxsize=64)
def affine_step(update: Update) -> AffineStep:
    """Return the step of an update as matrices.

    Args:
        update: a rule with its target.

    Raises:
        OutsideLanguageError: where a rule, or the gradient of H, is not affine in the state and the
            noise, or H is not seen to be that of a normal law.
    """
    potentials = update.target.atoms(Potential)
    k = (
        Symbol(unused_name("k", [*update.state, *(e for e, _ in update.written())]), positive=True)
        if potentials
        else None
    )
    _check_concrete(update)

    def meant(e: Expr) -> Expr:
        return expand(_with_curvature(at_length_one(e), k))

    state: Values = {b: b for b in update.state}
    before = dict(state)
    for block, e in update.rule:
        moved = meant(e)
        _read(
            {block: moved}, update.state
        )  # so that an error names the assignment, not what it becomes in a whole step
        value = expand(moved.xreplace(state if update.sequential else before))
        state = {**state, block: value}
    recorded = {**before, **{b: meant(e) for b, e in update.observe}}
    H = meant(update.target)
    slopes = {b: H.diff(b) for b in update.state}
    M, m, C = _read(state, update.state)
    R, n, shaken = _read(recorded, update.state)
    hessian, slope, _ = _read(slopes, update.state)
    if not has_positive_minors(hessian):
        raise OutsideLanguageError(
            "H is not shown to be that of a normal law: its Hessian is not seen to be positive"
            " definite"
        )
    return AffineStep(
        update.state,
        update.step,
        M,
        m,
        C,
        R,
        n,
        shaken,
        hessian,
        slope,
        k,
        _is_elementwise(update),
        _is_isotropic(update),
        _where_defined(update),
    )


def _check_concrete(update: Update) -> None:
    """Refuse domains with an edge, abstract functions, and noise that couples coordinates."""
    edged = next((b for b in update.state if b.domain != S.Reals), None)
    if edged is not None:
        raise OutsideLanguageError(
            f"{edged} lives on {edged.domain}, which an affine step with noise leaves"
        )
    for e, where in update.written():
        strange = sorted(e.atoms(Field, Jet, AppliedUndef, Dense, DenseEntry), key=str)
        if strange:
            raise OutsideLanguageError(
                f"{where} has the abstract {strange[0]}, so the step is not affine for all of them"
            )
        coloured = next(
            (w for w in sorted(e.atoms(Noise), key=str) if w.extra[0] is not None), None
        )
        if coloured is not None:
            raise OutsideLanguageError(
                f"{where} has the noise {coloured} of covariance {coloured.extra[0]}, which couples"
                " coordinates"
            )


def _with_curvature(e: Expr, k: Symbol | None) -> Expr:
    """Replace potentials by ``k x^2 / 2`` summed over their blocks, and their derivatives
    accordingly.
    """
    if k is None:
        return e
    return e.xreplace(
        {atom: meaning_of(atom, lambda b: k * b**2 / 2) for atom in e.atoms(Potential, Partial)}
    )


def _is_elementwise(update: Update) -> bool:
    """Return True if each coordinate moves by itself and, apart from U, has a law of its own: d
    coordinates are then d copies.
    """
    moved = [(b, e) for b, e in (*update.rule, *update.observe)]
    moved += [(b, gradient(update.target, b)) for b in update.state]
    shared = (Total, Length, Scalar, ScalarNoise)  # what all coordinates of a vector have in common
    return not any(
        e.has(Total, Length) or (isinstance(b, Vector) and e.has(*shared)) for b, e in moved
    )


def _is_isotropic(update: Update) -> bool:
    """Return True if an orthonormal change of coordinates, the same in every block, does not change
    the step.

    Every quadratic U can then be taken to be diagonal. A parameter with a value for each
    coordinate, a block of another length, or a U of several blocks, whose Hessian has entries
    between them, forbids that.
    """
    potentials = update.target.atoms(Potential)
    lengths = {b.length if isinstance(b, Vector) else None for b in update.state}
    own_values = any(e.has(VectorParameter) for e, _ in update.written())
    return (
        len(potentials) == 1
        and all(len(U.blocks) == 1 for U in potentials)
        and len(lengths) == 1
        and not own_values
    )


def _where_defined(update: Update) -> tuple[str, ...]:
    """Return conditions for the step to have a value, except those that are proved."""
    rules = [e for _, e in (*update.rule, *update.observe)]
    return tuple(
        dict.fromkeys(str(c) for e in rules for c in conditions(e) if not PROVERS[c.sign](c.e))
    )


def _read(
    values: Values, by: Sequence[Block]
) -> tuple[ImmutableDenseMatrix, ImmutableDenseMatrix, ImmutableDenseMatrix]:
    """Return matrix, constant and covariance of an affine map.

    Raises:
        OutsideLanguageError: where a derivative is not constant, so that the map is not affine.
    """
    noises = sorted({n for e in values.values() for n in e.atoms(*NOISE)}, key=str)
    moving = (*by, *noises)
    matrix, spread = (_slopes(values, kind, moving) for kind in (by, noises))
    rest = dict.fromkeys(moving, S.Zero)
    constant = ImmutableDenseMatrix([e.xreplace(rest) for e in values.values()])
    return matrix, constant, ImmutableDenseMatrix((spread * spread.T).applyfunc(expand))


def _slopes(values: Values, by: Sequence[Symbol], moving: Sequence[Symbol]) -> ImmutableDenseMatrix:
    """Return the derivatives of each value, which must be constant."""
    entries = []
    for b, e in values.items():
        row = [expand(e.diff(x)) for x in by]
        if any(slope.free_symbols & set(moving) for slope in row):
            raise OutsideLanguageError(f"the step is not affine where U is quadratic: {b} <- {e}")
        entries += row
    return ImmutableDenseMatrix(len(values), len(by), entries)
