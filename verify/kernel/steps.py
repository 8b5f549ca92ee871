"""For which step sizes a kernel is defined at all: conditions such as ``1 - h >= 0`` under a root belong to the scope of a proof.

Every one of them holds for all steps below some size, and there are finitely many, so that the scope is never empty. One that
depends on the state has such a size at each state and perhaps none for all of them: it is no condition on the step.
"""

from __future__ import annotations

from sympy import Expr

from recipe import Kernel
from recipe.expectation import NOISE
from recipe.kernel.part import MetropolisHastings, leaves_of
from recipe.symbols import Scalar, Vector
from verify.signs.definedness import PROVERS, Condition, conditions, decide_for_small_steps
from verify.verdict import Verdict


def expressions_of(kernel: Kernel) -> list[tuple[Expr, str]]:
    """Everything that must have a value, with its place: what is written, and the acceptance of proposals."""
    leaves = [leaf for part in kernel.parts for leaf in leaves_of(part)]
    return kernel.written() + [(leaf.cost, "the acceptance") for leaf in leaves if isinstance(leaf, MetropolisHastings)]


def conditions_on_step(kernel: Kernel) -> tuple[Condition, ...]:
    """The conditions that some steps fulfil and others may not, each once."""
    step = kernel.step
    if step is None:
        return ()
    found = dict.fromkeys(c for e, _ in expressions_of(kernel) for c in conditions(e) if step in c.e.free_symbols)
    open_ones = [c for c in found if not depends_on_state(c.e) and not PROVERS[c.sign](c.e)]
    return tuple(c for c in open_ones if decide_for_small_steps(c, step).verdict is Verdict.PROVED)


def depends_on_state(e: Expr) -> bool:
    """Whether a block (of the state before or after a proposal) or noise is in it, seen or within an abstract function."""
    return any(isinstance(s, (Vector, Scalar, *NOISE)) for s in e.free_symbols)
