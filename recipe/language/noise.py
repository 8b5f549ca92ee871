"""Standard normal numbers that a step draws."""

from __future__ import annotations

from typing import ClassVar

from sympy import Expr, Symbol

from recipe.language.blocks import Block, Scalar
from recipe.language.errors import RecipeError
from recipe.language.names import checked_name
from recipe.language.symbols import GENERIC, Indexed, shared_length


class Noise(Indexed):
    """Standard normal numbers, drawn afresh in every step: one for each coordinate of ``like``, or
    one number for a scalar block.

    One noise that occurs twice in one update is one draw; two noises are independent.

    Args:
        name: an identifier.
        like: the block whose coordinates it has.
        covariance: a ``Dense(..., positive=True)`` matrix C, for normal numbers with the law N(0,
            C). By default the coordinates are independent with variance 1.

    Raises:
        RecipeError: for an unusable name, a ``like`` that is no block, or a covariance that is not
            a positive definite ``Dense`` matrix of this length.

    Example:
        >>> from sympy import Symbol, sqrt
        >>> from recipe import Noise, Potential, Update, Vector, grad
        >>> theta, eps = Vector("theta"), Symbol("epsilon", positive=True)
        >>> U, w = Potential("U", theta), Noise("w", like=theta)
        >>> sgld = Update(eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * eps) * w}, target=U)
    """

    __slots__ = ()

    def __new__(cls, name: str, like: Block, covariance: Expr | None = None) -> Noise | ScalarNoise:  # type: ignore[misc]
        checked_name(name)
        if isinstance(like, Scalar):
            if covariance is not None:
                raise RecipeError(
                    f"Noise({name!r}, covariance={covariance}): {like} is one number; scale the"
                    " noise instead"
                )
            return ScalarNoise(name)
        length = shared_length(name, like)
        if covariance is not None and not getattr(covariance, "positive_definite", False):
            raise RecipeError(
                f"Noise({name!r}, covariance={covariance}) needs a symmetric matrix that is"
                " Dense(..., positive=True)"
            )
        if covariance is not None and covariance.row.length != length:
            raise RecipeError(
                f"Noise({name!r}, covariance={covariance}): the matrix has another length than"
                f" {like}"
            )
        return Indexed.__new__(cls, name, length, GENERIC, (covariance,), real=True)  # type: ignore[return-value]

    @property
    def covariance(self) -> Expr | None:
        """The covariance matrix, or None for the identity."""
        return self.extra[0]


class ScalarNoise(Symbol):
    """One standard normal number, drawn afresh in every step."""

    __slots__ = ()
    length: ClassVar[None] = None

    def __new__(cls, name: str) -> ScalarNoise:
        return Symbol.__xnew__(cls, name, real=True)  # type: ignore[no-any-return]
