"""Refutation of uniqueness: a fixed number of steps of a map that, at some step size, leads from z
to -z.

Let H be an even quadratic form of (x, r), and M the matrix of one step of a map that keeps volume.
Where its trace is ``2 cos(pi/L)`` with L >= 2, its eigenvalues are ``exp(i pi/L)`` and its
conjugate. They differ, so that ``M^L = -1``: L steps turn every sign. They keep H, and are always
accepted. If nothing else moves x, |x| never changes, and every symmetric law of x is kept. The
trace is 2 at step 0 and a polynomial of the step. If it is below ``2 cos(pi/L)`` at some step,
it has that value at a smaller one.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import flint
from sympy import Expr, Matrix, Poly, PolynomialError, Rational, S, hessian

from recipe import Kernel
from recipe.kernel.part import MetropolisedMap, Move
from recipe.language.blocks import Block
from recipe.language.errors import OutsideLanguageError
from verify.kernels.acceptance import apply_rounds
from verify.kernels.instance import Instance, instances
from verify.kernels.liveness import without_effects_on
from verify.kernels.shears import shears_of
from verify.kernels.step_sizes import conditions_on_step
from verify.verdict import Witness

STEPS = tuple(Rational(k, 2) for k in range(1, 9))  # at which the trace is compared
MAX_INSTANCES = 2


def witness_of_period(kernel: Kernel) -> Witness | None:
    """Return an instance at which the kernel keeps the size of a coordinate for ever; None if none
    was found.
    """
    tests = [part for part in kernel.parts if isinstance(part, MetropolisedMap)]
    others = [part for part in kernel.parts if not isinstance(part, MetropolisedMap)]
    if len(tests) != 1 or len(kernel.state) != 2 or conditions_on_step(kernel):
        return None
    (test,) = tests
    x = next((b for b in kernel.state if b not in test.flips), None)
    if x is None or not isinstance(test.times, int) or test.times < 2:
        return None
    if not all(isinstance(p, Move) and dict(p.update.rule)[x] == x for p in others):
        return None
    if without_effects_on(frozenset(), others)[1] != set(kernel.state) - {x}:
        return None
    for instance in islice(instances(kernel, powers=(2,)), MAX_INSTANCES):
        found = _step_of_period(kernel, test, instance)
        if found is not None:
            low, trace = found
            shown = {s: v for s, v in instance.shown().items() if s != str(kernel.step)}
            where = f"the one below {low} with {trace} = 2*cos(pi/{test.times})"
            finding = (
                f"{test.times} rounds take z to -z there, which is always accepted: |{x}| never"
                " changes"
            )
            return Witness({**shown, str(kernel.step): where}, finding)
    return None


def _step_of_period(
    kernel: Kernel, test: MetropolisedMap, instance: Instance
) -> tuple[Rational, Expr] | None:
    """A step size below which the trace has the value ``2 cos(pi/L)``, and the trace; None if there
    is none among those tried.
    """
    shears = shears_of(test.map)
    step = kernel.step
    if isinstance(shears, str) or step is None:
        return None
    free = replace(instance, numbers=tuple((s, v) for s, v in instance.numbers if s != step))
    try:
        if not _is_even_form(free.of(kernel.target), kernel.state):
            return None
        moved = apply_rounds(
            [(s.block, free.of(s.g)) for s in shears], 1, {b: b for b in kernel.state}
        )
        trace = _trace(moved, kernel.state)
    except OutsideLanguageError:
        return None
    if trace is None or trace.free_symbols - {step} or trace.xreplace({step: S.Zero}) != 2:
        return None
    try:
        Poly(trace, step, domain="QQ")
    except PolynomialError:
        return None
    wanted = 2 * flint.arb.cos_pi_fmpq(flint.fmpq(1, test.times))
    for h in STEPS:
        value = trace.xreplace({step: h})
        if flint.arb(flint.fmpq(int(value.p), int(value.q))) < wanted:
            return h, trace
    return None


def _is_even_form(H: Expr, state: tuple[Block, ...]) -> bool:
    """Return True if H is a quadratic form, up to a constant."""
    second = hessian(H, state)
    if any(e.free_symbols for e in second):
        return False
    return all(H.diff(b).xreplace(dict.fromkeys(state, S.Zero)) == 0 for b in state)


def _trace(moved: dict[Block, Expr], state: tuple[Block, ...]) -> Expr | None:
    """The trace of a linear map; None where it is not linear."""
    matrix = Matrix([[moved[b].diff(c) for c in state] for b in state])
    linear = matrix * Matrix(state)
    if any(e.free_symbols & set(state) for e in matrix):
        return None
    if any((moved[b] - e).expand() != 0 for b, e in zip(state, linear, strict=True)):
        return None
    return matrix.trace().expand()
