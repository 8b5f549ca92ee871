"""Terms of an energy as antiderivatives.

Where coordinates move independently of each other, the density that stops every current has ``H' =
integral of (div D - f)/D``.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, Symbol
from sympy.integrals.rationaltools import ratint
from sympy.polys.polyerrors import PolynomialError
from sympy.polys.rootoftools import RootSum

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block, Vector
from recipe.language.calculus import abstract_atoms, summands
from recipe.language.entry import Coupling, is_diagonal, parts
from recipe.language.free_symbols import blocks_in
from recipe.language.symbols import GENERIC, Indexed
from recipe.language.total import labels, sum_over
from verify.decide.size import can_be_multiplied_out

MAX_INTEGRAND_OPERATIONS = 100


def antiderivatives(dynamics: Dynamics, pull: dict[Block, Expr]) -> Iterator[Expr]:
    """Yield a term of H' for each block whose coordinates have independent noise: the integral of
    the summands of ``(div D - f)/D`` that are rational in the coordinate alone.
    """
    for b in dynamics.state:
        entry = dynamics.diffusion[b, b]
        spread = parts(entry)[0] if not isinstance(entry, Coupling) or is_diagonal(entry) else None
        if spread is None or spread == 0:
            continue
        own = [
            t / spread
            for t in summands(-pull[b])
            if not _depends_on_others(t / spread, b, dynamics.state)
        ]
        found = [_integral(t, b) for t in own]  # one by one: their common denominator may be long
        if found and all(e is not None for e in found):
            e = Add(*found)
            yield sum_over(e, GENERIC, b.length) if isinstance(b, Vector) else e


def _depends_on_others(e: Expr, b: Block, state: tuple[Block, ...]) -> bool:
    """Return True if e depends on more than this coordinate."""
    seen = {s for s in e.atoms(Indexed) if s != b} if isinstance(b, Vector) else set()
    return (
        bool(abstract_atoms(e))
        or bool(blocks_in(e, state) - {b})
        or bool(seen)
        or bool(labels(e) - {GENERIC})
    )


def _integral(e: Expr, b: Block) -> Expr | None:
    """Return the integral of e by one coordinate; factors without the coordinate stay as they are.

    None where e is not rational in the coordinate, is too long, or its integral has no closed form.
    """
    constant, e = e.as_independent(b, as_Add=False)
    if (
        not e.is_rational_function(b)
        or e.count_ops() > MAX_INTEGRAND_OPERATIONS
        or not can_be_multiplied_out(e)
    ):
        return None
    x = Symbol("x", real=True)
    try:
        found = constant * ratint(e.xreplace({b: x}), x)
    except (PolynomialError, NotImplementedError):
        return None
    return None if found.has(RootSum) else found.xreplace({x: b})
