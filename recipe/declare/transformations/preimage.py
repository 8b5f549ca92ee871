"""``Preimage``: a block phi of the state that stands for ``theta = f(phi)``.

Abstract functions keep their blocks: in a state that has phi, ``Potential("U", theta)`` is U at
f(phi), and ``grad(U, theta)`` is its gradient there. Every other expression writes f(phi).
"""

from __future__ import annotations

from typing import Any

from sympy import Expr, Lambda, exp, expand_log, factor, log
from sympy.functions.elementary.hyperbolic import HyperbolicFunction

from recipe.declare.transformations.map import as_map
from recipe.language.abstract import (
    Field,
    Partial,
    Potential,
    checked_block,
    is_joint,
    slope,
)
from recipe.language.blocks import Block, Vector, preimage_of, preimages
from recipe.language.calculus import freeze, thaw
from recipe.language.domain import on_simplex
from recipe.language.errors import OutsideLanguageError, RecipeError
from recipe.language.symbols import Indexed, generic
from recipe.language.total import Total, opened, sum_over


def Preimage(name: str, of: Block, f: Any, *, inverse: Any = None, domain: Any = None) -> Block:
    """A block phi with ``of = f(phi)``, coordinate by coordinate.

    In a rule of phi, ``grad(U, of)`` is the gradient of U at f(phi).

    Args:
        name: the name of phi.
        of: the block that phi stands for.
        f: a map of ``recipe.maps``, a sympy function such as ``exp``, or a Python function of one
            symbol.
        inverse: the inverse of f; without it sympy is asked for one.
        domain: the interval that f is defined on; by default the real line.

    Returns:
        A ``Vector`` as long as ``of``, or a ``Scalar``.

    Raises:
        RecipeError: where f is no map of one number, no inverse is found, or ``of`` is a simplex or
            itself a preimage.

    Example:
        >>> from sympy import Interval, oo
        >>> from recipe import Preimage, Vector, maps
        >>> theta = Vector("theta", domain=Interval.open(0, oo))
        >>> phi = Preimage("phi", theta, maps.exp)
    """
    of, f = checked_block(of, f"Preimage({name!r}, ...)"), as_map(f, inverse=inverse, domain=domain)
    if of.image is not None:
        raise RecipeError(
            f"Preimage({name!r}): {of} stands for {of.image} itself; write one map from {name} to"
            f" {of.image}"
        )
    if on_simplex(of):
        raise RecipeError(
            f"Preimage({name!r}): the coordinates of {of} are a simplex together, which no map of"
            " each by itself keeps"
        )
    (variable,) = f.forward.variables
    slope = Lambda(variable, _with_a_sign(f.derivative(variable)))
    return preimage_of(of, name, f.forward, slope, f.inverse, f.domain)


def _with_a_sign(e: Expr) -> Expr:
    """Factor the slope where this shows its sign; else return it unchanged."""
    product = _as_product(e)
    return product if product.is_positive or product.is_negative else e


def _as_product(e: Expr) -> Expr:
    """The expression factored, with hyperbolic functions written as exponentials; sums over
    coordinates stay as they are.
    """
    frozen, sums = freeze(
        e.replace(lambda n: isinstance(n, HyperbolicFunction), lambda n: n.rewrite(exp))
    )
    return thaw(factor(frozen), sums)


def _log(e: Expr) -> Expr:
    """The logarithm as a sum over positive factors.

    So ``log(1 - 1/(1 + exp(-phi)))``, whose digits cancel, becomes ``-log(1 + exp(phi))``.
    """
    if not e.has(exp, HyperbolicFunction):
        return log(e)
    product = _as_product(e)
    return expand_log(log(product)) if product.is_positive else log(e)


def in_preimages(e: Expr, state: tuple[Block, ...]) -> Expr:
    """Write every image in an expression as the function of its preimage in the state."""
    standing = preimages(state)
    return _written(e, standing) if standing else e


def _written(e: Expr, standing: dict[Block, Block]) -> Expr:
    """Replace images by functions of their preimages; ``standing`` has the preimage of each
    image.
    """
    if isinstance(e, Potential | Field | Partial):
        return e
    if isinstance(e, Total):
        body, label = opened(e)
        return sum_over(_written(body, standing), label, e.index.length)
    if isinstance(e, log):
        return _log(_written(e.args[0], standing))
    if e.args:
        return e.func(*(_written(a, standing) for a in e.args))
    phi = standing.get(generic(e))
    if phi is None:
        return e
    return phi.forward(phi.at(e.label) if isinstance(e, Indexed) else phi)  # type: ignore[misc, union-attr, no-any-return]


def as_functions_of_preimages(e: Expr, state: tuple[Block, ...]) -> Expr:
    """Write abstract functions of theta as abstract functions of phi: ``V(phi) = U(f(phi))``, under
    the name of U.

    f is a bijection that is smooth in both directions. So a statement holds for every smooth V if
    and only if it holds for every smooth U.

    Raises:
        OutsideLanguageError: for second derivatives of such a function.
    """
    standing = preimages(state)
    return _pulled_back(e, standing) if standing else e


def _pulled_back(e: Expr, standing: dict[Block, Block]) -> Expr:
    """Replace abstract functions of images by those of their preimages; ``standing`` has the
    preimage of each image.
    """
    if isinstance(e, Partial):
        return _partial_pulled_back(e, standing)
    if isinstance(e, Potential):
        return Potential(e.name, *(standing.get(b, b) for b in e.blocks))
    if isinstance(e, Field):
        block = standing.get(e.block, e.block)
        return Field(e.base, block, positive=bool(e.is_positive)).at(e.label)  # type: ignore[arg-type]
    if isinstance(e, Total):
        body, label = opened(e)
        return sum_over(_pulled_back(body, standing), label, e.index.length)
    return e.func(*(_pulled_back(a, standing) for a in e.args)) if e.args else e


def _partial_pulled_back(e: Partial, standing: dict[Block, Block]) -> Expr:
    """The derivative by theta as a derivative by phi: ``dU/dtheta = (dV/dphi) / f'(phi)``."""
    changed = [x for x in e.wrt if generic(x) in standing]
    if changed and len(e.wrt) > 1:
        raise OutsideLanguageError(
            f"the second derivative {e} at another point than {changed[0]} is outside the language"
        )
    head = _pulled_back(e.head, standing)
    if not changed:
        return Partial(head, *e.wrt)  # type: ignore[arg-type]
    phi = standing[generic(changed[0])]
    here = phi.at(changed[0].label) if isinstance(changed[0], Indexed) else phi  # type: ignore[union-attr]
    if is_joint(phi):
        return _through_all(head, here)
    return Partial(head, here) / slope(here)  # type: ignore[arg-type]


def _through_all(head: Potential | Field, phi: Vector) -> Expr:
    """The derivative by theta_j where ``theta = f(phi)`` of all coordinates together, by the
    formula of Sherman & Morrison for the inverse of ``diag(own) + left right^T``.
    """
    own, left, right, rest = phi.slope  # type: ignore[misc]
    k = min(0, phi.label) - 2
    at = phi.at(k)
    others = sum_over(left(at) / own(at) * Partial(head, at), k, phi.length)
    return (Partial(head, phi) - right(phi) * others / rest(phi)) / own(phi)
