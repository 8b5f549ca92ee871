"""Numbers of a run: dimensions, step sizes, temperatures, masses, frictions; and metrics. The
simplest one is the first.
"""

from __future__ import annotations

from hypothesis import strategies as st
from sympy import Expr, Integer, Rational, exp

from recipe import Vector, total

lengths = st.sampled_from([1, 2, 3, 5])
step_sizes = st.sampled_from([Rational(1, 10), Rational(1, 100), Rational(1, 2), Rational(1, 1000)])
positive = st.sampled_from(
    [
        Integer(1),
        Integer(2),
        Rational(1, 2),
        Integer(3),
        Rational(1, 3),
        Integer(10),
        Rational(1, 10),
    ]
)
temperatures = masses = frictions = scales = positive
places = st.sampled_from([Integer(0), Integer(1), Integer(-2), Rational(1, 2), Integer(5)])


def metrics(theta: Vector) -> st.SearchStrategy[Expr]:
    """Positive functions of the position, bounded and bounded away from 0: elementwise, or of all
    coordinates.
    """
    squares = total(theta**2)
    return st.sampled_from(
        [
            Integer(1),
            1 + 1 / (1 + theta**2),
            Rational(1, 2) + exp(-(theta**2)),
            1 + 1 / (1 + exp(-theta)),
            1 + 1 / (1 + squares),
        ]
    )
