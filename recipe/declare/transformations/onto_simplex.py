"""The map from real coordinates onto the open simplex: the inverse of the isometric log-ratio
(Egozcue et al. 2003, *Isometric logratio transformations for compositional data analysis*), for
every number of coordinates.
"""

from __future__ import annotations

from sympy import Expr, S, Tuple, exp, log, sqrt

from recipe.declare.transformations.joint_map import JointMap
from recipe.language.blocks import Vector, preimage_of
from recipe.language.total import total


def preimage_of_simplex(name: str, of: Vector) -> Vector:
    """Return a real vector phi that stands for a block on ``Simplex()``.

    With K = d + 1 probabilities, ``c = 1/(1 + sqrt(K))`` and ``y_k = phi_k + c total(phi)``, the
    block is ``f_k = exp(y_k)/(1 + total(exp(y)))``. So y_k is the logarithm of the k-th probability
    over the last one. The derivative of f_k by phi_j is ``delta_kj f_k + f_k r_j`` with
    ``r_j = c/(1 + total(exp(y))) - f_j``.

    Args:
        name: the name of phi.
        of: the block on the simplex.
    """
    x, count = Vector(name, like=of), of.dim + 1
    ratio = _log_ratio(x)
    f = exp(ratio) / (1 + total(exp(ratio)))
    forward = JointMap(x, f)
    last = 1 / (1 + total(exp(ratio)))
    across = (sqrt(count) - 1) / of.dim * last - f
    slope = Tuple(forward, forward, JointMap(x, across), JointMap(x, sqrt(count) * last))
    log_ratio = log(of) - log(1 - total(of))
    inverse = JointMap(of, log_ratio - total(log_ratio) / (count + sqrt(count)))
    return preimage_of(of, name, forward, slope, inverse, S.Reals)  # type: ignore[return-value]


def log_volume(phi: Vector) -> Expr:
    """Return ``log |det f'|`` of this map, up to a constant.

    f' is ``diag(f) (1 + 1 r^T)``. By the matrix determinant lemma its determinant is
    ``prod(f) (1 + total(r))``, which is ``sqrt(K) prod(f) (1 - total(f))``.
    """
    last = log(1 + total(exp(_log_ratio(phi))))
    return sqrt(phi.dim + 1) * total(phi) - (phi.dim + 1) * last


def _log_ratio(x: Vector) -> Expr:
    # (sqrt(K) - 1)/d is 1/(1 + sqrt(K)), without a sum in a denominator for proofs to divide by
    return x + (sqrt(x.dim + 1) - 1) / x.dim * total(x)
