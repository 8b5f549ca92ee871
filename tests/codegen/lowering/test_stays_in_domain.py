"""Which steps stay inside of a domain and are compiled, and which can leave it and are refused,
however they are written.
"""

import numpy as np
import pytest
from sympy import Interval, Symbol, atan, exp, log, oo, pi, tan, tanh

from codegen import generate
from recipe import Fold, FoldSign, Noise, RecipeError, Update, Vector, total

probability, half_line = (
    Vector("p", domain=Interval.open(0, 1)),
    Vector("q", domain=Interval.open(0, oo)),
)
other = Vector("other", like=half_line)
n_p, n_q, decay = (
    Noise("n_p", like=probability),
    Noise("n_q", like=half_line),
    exp(-Symbol("h", positive=True)),
)


def generated(rule):
    return generate(Update(Symbol("h", positive=True), rule, total(next(iter(dict(rule))))))


@pytest.mark.slow_for("value3")
@pytest.mark.parametrize(
    "value",
    [
        probability * decay + (1 - decay) / 2,
        1 / (1 + (1 - probability) / probability * exp(n_p)),
        probability**2,
        1 - exp(-exp(n_p)),
        (1 + tanh(n_p)) / 2,
    ],
)
def test_a_step_that_stays_inside_is_compiled(value):
    module = generated({probability: value}).load()
    out, state = (module.allocate(np.array([0.01, 0.5, 0.99])) for _ in range(2))
    for noise in (-3.0, 0.0, 3.0):
        module.step(out, state, (), 0.1, (), (np.full(3, noise),) if value.has(n_p) else ())
        assert ((out.p > 0) & (out.p < 1)).all()


@pytest.mark.parametrize(
    "value",
    [
        probability / decay,
        probability * decay + 2 * (1 - decay),
        1 / (1 + (1 - probability) / probability * n_p),
        log(1 + 2 * probability),
        tan(probability),
        2 * atan(n_p) / pi,
        probability * exp(n_p),
        1 / (1 + exp(log(n_p))),
    ],
)
def test_a_step_that_can_leave_is_refused_however_it_is_written(value):
    with pytest.raises(RecipeError, match="a step can take p out of its domain"):
        generated({probability: value})


MOVED = (half_line, half_line + n_q)


@pytest.mark.parametrize(
    "value", [half_line * decay, half_line**2, Fold(half_line + 1, 0, oo), exp(log(half_line) / 2)]
)
def test_what_has_left_is_not_read_as_if_it_had_not(value):
    with pytest.raises(
        RecipeError,
        match=(
            r"can take q out of its domain, .*: its rule is .*n_q.*, and the rule of q, .*reads it"
        ),
    ):
        generated([MOVED, (half_line, value)])


def test_what_another_block_reads_is_inside_too():
    turned = FoldSign(half_line, 0, oo) * other
    with pytest.raises(
        RecipeError, match=r"and the rule of other, .*q.*, reads it there; fold it first"
    ):
        generated([MOVED, (other, other + half_line), (half_line, Fold(half_line, 0, oo))])
    generated(
        [
            MOVED,
            (other, turned),
            (half_line, Fold(half_line, 0, oo)),
            (half_line, half_line * decay),
        ]
    )
    generated([MOVED, (half_line, exp(n_q))])
    with pytest.raises(RecipeError, match="out of its domain"):
        generated([MOVED, (half_line, Fold(half_line, 0, oo)), MOVED])
