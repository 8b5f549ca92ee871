"""Where coordinates move by themselves, the density that stops every current is an integral: ``H' = integral of (div D - f)/D``."""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Add, Expr, Symbol, together
from sympy.integrals.rationaltools import ratint
from sympy.polys.polyerrors import PolynomialError
from sympy.polys.rootoftools import RootSum

from recipe.calculus import abstract_atoms, summands
from recipe.dynamics import Dynamics
from recipe.entry import Coupling, is_diagonal, parts
from recipe.free import blocks_in
from recipe.symbols import GENERIC, Block, Indexed, Vector
from recipe.total import labels, sum_over

LONGEST = 200  # operations of what is integrated


def antiderivatives(dynamics: Dynamics, pull: dict[Block, Expr]) -> Iterator[Expr]:
    """A term of H' for each block whose coordinates have noise of their own: of what is rational in the coordinate alone."""
    for b in dynamics.state:
        entry = dynamics.diffusion[b, b]
        spread = parts(entry)[0] if not isinstance(entry, Coupling) or is_diagonal(entry) else None
        if spread is None or spread == 0:
            continue
        own = [t for t in summands(-pull[b]) if not _others(t / spread, b, dynamics.state)]
        found = _integral(together(Add(*own) / spread), b)
        if found is not None:
            yield sum_over(found, GENERIC, b.length) if isinstance(b, Vector) else found


def _others(e: Expr, b: Block, state: tuple[Block, ...]) -> bool:
    """Whether it depends on more than this coordinate."""
    seen = {s for s in e.atoms(Indexed) if s != b} if isinstance(b, Vector) else set()
    return bool(abstract_atoms(e)) or bool(blocks_in(e, state) - {b}) or bool(seen) or bool(labels(e) - {GENERIC})


def _integral(e: Expr, b: Block) -> Expr | None:
    if e == 0 or b not in e.free_symbols or not e.is_rational_function(b) or e.count_ops() > LONGEST:
        return None
    x = Symbol("x", real=True)  # sympy differentiates and divides by plain symbols fastest
    try:
        found = ratint(e.xreplace({b: x}), x)
    except (PolynomialError, NotImplementedError):
        return None
    return None if found.has(RootSum) else found.xreplace({x: b})
