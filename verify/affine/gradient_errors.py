"""What errors of estimated gradients add to the covariance of one step."""

from __future__ import annotations

from sympy import ImmutableDenseMatrix, expand

from recipe.errors import RecipeError
from recipe.symbols import Block
from verify.affine.compose import AffineMap, step_map
from verify.affine.evaluations import Evaluation, estimated
from verify.affine.quadratic import Quadratic


def added_by_errors(on: Quadratic) -> dict[Block, ImmutableDenseMatrix]:
    """The inhomogeneity of the Lyapunov equation for errors of variance 1 a coordinate, by block of the gradient.

    Empty where the update has no gradient of a potential. Errors are independent from evaluation to evaluation, and of the state
    that the gradient is taken at.
    """
    try:
        with_errors = estimated(on.update)
    except RecipeError:
        return {}
    symbols = tuple(s for e in with_errors.evaluations for s in (e.error, e.again) if s is not None)
    step = step_map(with_errors.rule, on.update.sequential, on, symbols)
    n = len(on.update.state)
    added: dict[Block, ImmutableDenseMatrix] = {}
    for evaluation in with_errors.evaluations:
        before = added.get(evaluation.block, ImmutableDenseMatrix.zeros(n, n))
        added[evaluation.block] = ImmutableDenseMatrix((before + _added(step, evaluation)).applyfunc(expand))
    return added


def _added(step: AffineMap, evaluation: Evaluation) -> ImmutableDenseMatrix:
    """``g g^T``; where the last gradient of a step is the first of the next, the state has its error already, times ``last``."""
    first = step.column(evaluation.error)
    if evaluation.again is None:
        return first * first.T
    last = step.column(evaluation.again)
    carried = step.M * last * first.T
    return first * first.T + last * last.T + carried + carried.T
