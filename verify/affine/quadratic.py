"""The quadratic test potential: ``k theta^2 / 2`` for every abstract potential, with a curvature k > 0 by block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sympy import Expr, Symbol

from recipe.abstract import Dense, Potential
from recipe.bind import put_meanings
from recipe.errors import RecipeError
from recipe.free import unused_name
from recipe.symbols import GENERIC, Block, Noise, Scalar, Vector, VectorParameter
from recipe.total import Total, labels, total
from recipe.update import Update

LARGEST = 4  # blocks: beyond this the closed forms are not read by anybody


class NotAffineError(RecipeError):
    """A step is no affine map on the quadratic potential, or not one that a single coordinate decides."""


@dataclass(frozen=True)
class Quadratic:
    """An update with quadratic potentials: ``curvatures`` by block; ``scope`` says for which potentials its results hold."""

    update: Update
    curvatures: dict[Block, Symbol]
    scope: tuple[str, ...]

    def put(self, e: Expr) -> Expr:
        """An expression with the quadratic potentials in place of the abstract ones."""
        return put_meanings(e, {U: self._meaning(U) for U in self.update.abstract if isinstance(U, Potential)})

    def _meaning(self, U: Potential) -> Expr:
        return sum((_summed(self.curvatures[b] * b**2 / 2) for b in U.blocks), Symbol("zero") * 0)


def quadratic(update: Update) -> Quadratic:
    """The update on the test potential.

    Raises:
        NotAffineError: where one coordinate does not decide.
    """
    _check_kind(update)
    written = [*update.state, *(e for e, _ in update.written())]
    moved = list(dict.fromkeys(b for U in update.abstract if isinstance(U, Potential) for b in U.blocks))
    names = {b: unused_name("k" if len(moved) == 1 else f"k_{b.name}", written) for b in moved}
    return Quadratic(update, {b: Symbol(names[b], positive=True) for b in moved}, tuple(_scope(update, moved)))


def _check_kind(update: Update) -> None:
    unknown = next((a for a in update.abstract if not isinstance(a, Potential | Dense)), None)
    if unknown is not None:
        raise NotAffineError(
            f"{unknown} is an unknown function of the state, so that the step is no affine map; bind a constant to it"
        )
    if any(isinstance(a, Dense) for a in update.abstract):
        raise NotAffineError(
            "a Dense matrix couples the coordinates, so that one of them does not decide; use a scalar in its place"
        )
    if len(
        {b.length for b in update.state if isinstance(b, Vector)} | {b for b in update.state if isinstance(b, Scalar)}
    ) > 1 and any(isinstance(b, Vector) for b in update.state):
        raise NotAffineError(
            "blocks of several lengths are not copies of one small system; take vectors of one length, or scalars only"
        )
    if len(update.state) > LARGEST:
        raise NotAffineError(f"the state has {len(update.state)} blocks, and closed forms are derived for at most {LARGEST}")


def _scope(update: Update, moved: list[Block]) -> Iterable[str]:
    if not moved:
        return
    if (
        len(moved) == 1
        and not any(s for e, _ in update.written() for s in e.atoms(VectorParameter))
        and isinstance(moved[0], Vector)
    ):
        yield f"every positive definite quadratic potential of {moved[0]}, in every dimension: k is any eigenvalue of its Hessian"
    else:
        yield "quadratic potentials with one curvature a coordinate: " + ", ".join(f"k * {b}**2 / 2" for b in moved)


def check_elementwise(e: Expr, where: str) -> None:
    """Refuse what ties coordinates together.

    Raises:
        NotAffineError: naming the sum or the noise.
    """
    if e.atoms(Total):
        raise NotAffineError(f"{where} contains {sorted(e.atoms(Total), key=str)[0]}, which couples the coordinates")
    if labels(e) - {GENERIC}:
        raise NotAffineError(f"{where} contains several coordinates at once")
    coloured = next((w for w in e.atoms(Noise) if w.extra[0] is not None), None)
    if coloured is not None:
        raise NotAffineError(f"the noise {coloured} is not independent from coordinate to coordinate")


def _summed(e: Expr) -> Expr:
    return total(e) if labels(e) else e
