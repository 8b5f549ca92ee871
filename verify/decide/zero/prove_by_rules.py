"""Prove that an expression is zero by identities and rules, where its canonical form is not zero.

Rewriting comes first, then the rules, each of which is a proof that asks for proofs about other
expressions. What is not zero in points of general position is given up at once. Depth and the
number of expressions are limited.
"""

from __future__ import annotations

from sympy import Expr, preorder_traversal
from sympy.core.function import AppliedUndef

from recipe.language.assumed import ParameterCondition, assumed
from verify.decide.identities.algebraic_number import is_zero_number
from verify.decide.identities.angles import rewrite_angles
from verify.decide.identities.gammas import rewrite_gammas
from verify.decide.identities.inverse_functions import rewrite_inverse_functions
from verify.decide.identities.proved_signs import rewrite_proved_signs
from verify.decide.points.general_position import is_zero_in_general_position
from verify.decide.zero.by_coefficients import vanish_coefficients
from verify.decide.zero.by_derivative import stay_constant
from verify.decide.zero.by_logarithms import compare_logarithms, compare_products
from verify.decide.zero.by_roots import compare_powers
from verify.decide.zero.by_totals import gather_summands
from verify.decide.zero.by_turns import count_turns
from verify.decide.zero.canonical import normalised
from verify.decide.zero.equal_arguments import OPAQUE, unite_arguments
from verify.decide.zero.errors import CannotDecideError
from verify.decide.zero.form import Form, Prove, read

RULES = (
    vanish_coefficients,
    gather_summands,
    compare_powers,
    compare_products,
    compare_logarithms,
    count_turns,
    stay_constant,
)
MAX_DEPTH = 4
MAX_EXPRESSIONS = 48
MAX_NODES, MAX_NODES_IN_ALL = 600, 4_000


def is_zero_by_identities(e: Expr) -> bool:
    """Return True if the expression is proved to be zero at every point where it is defined; False
    proves nothing.

    An expression that has a value at no point that was tried is not proved.
    """
    return _Search().prove(e)


class _Search:
    """Proofs that ask for proofs, with limits."""

    def __init__(self) -> None:
        # by the conditions between parameters that a proof may use, and the expression
        self._known: dict[tuple[tuple[ParameterCondition, ...], Expr], bool] = {}
        self._left = MAX_NODES_IN_ALL

    def prove(self, e: Expr, depth: int = MAX_DEPTH) -> bool:
        """Return True if the expression is proved to be zero."""
        if e == 0:
            return True
        key = assumed(), e
        if key in self._known:
            return self._known[key]
        nodes = sum(1 for _ in preorder_traversal(e))
        if depth < 0 or len(self._known) >= MAX_EXPRESSIONS or nodes > min(MAX_NODES, self._left):
            return False
        self._left -= nodes
        self._known[key] = False  # while it is looked at: no proof of it may use itself
        self._known[key] = self._proved(e, depth)
        return self._known[key]

    def _proved(self, e: Expr, depth: int) -> bool:
        def prove(part: Expr) -> bool:
            return self.prove(part, depth - 1)

        # an abstract function has values where its arguments can be told apart
        e = unite_arguments(e, (AppliedUndef,), prove)
        if not is_zero_in_general_position(e):
            return False
        if not e.free_symbols and is_zero_number(e):
            return True
        try:
            return _by_rules(e, prove)
        except (CannotDecideError, RecursionError):
            return False


def _by_rules(e: Expr, prove: Prove) -> bool:
    form = read(_rewritten(unite_arguments(e, OPAQUE, prove)))
    return form.ratio.is_zero() or any(_holds(rule, form, prove) for rule in RULES)


def _holds(rule: object, form: Form, prove: Prove) -> bool:
    try:
        return bool(rule(form, prove))  # type: ignore[operator]
    except CannotDecideError:
        return False


def _rewritten(e: Expr) -> Expr:
    e = rewrite_inverse_functions(e)
    e = rewrite_gammas(e, normalised)
    e = rewrite_angles(e, normalised)
    return rewrite_proved_signs(e)
