"""The exact transition of a square-root process ``dx = (rate x + push) dt + sqrt(2 slope x) dW`` on
the positive half line.

Cox, Ingersoll & Ross (1985), "A theory of the term structure of interest rates", Econometrica
53(2), equation 18; the law itself is Feller's (1951), "Two singular diffusion problems", Annals of
Mathematics 54(1).
"""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr, exp

from recipe.language.blocks import Block
from recipe.scheme.flow import growth


@dataclass(frozen=True)
class SquareRoot:
    """The process ``dx = (rate x + push) dt + sqrt(2 slope x) dW``; its entry of D is ``slope
    x``.
    """

    block: Block
    rate: Expr
    push: Expr
    slope: Expr


@dataclass(frozen=True)
class ScaledChiSquared:
    """The law of ``scale`` times a non-central chi-squared number.

    Attributes:
        scale: the factor.
        df: the degrees of freedom.
        nonc: the non-centrality.
    """

    scale: Expr
    df: Expr
    nonc: Expr


def square_root_law(process: SquareRoot, time: Expr) -> ScaledChiSquared:
    """The law of x after some time.

    Its scale is ``slope/2 int_0^t e^(rate s) ds``, and ``scale nonc`` is ``e^(rate t) x``.
    """
    scale = process.slope * growth(process.rate, time) / 2
    return ScaledChiSquared(
        scale, 2 * process.push / process.slope, exp(process.rate * time) * process.block / scale
    )
