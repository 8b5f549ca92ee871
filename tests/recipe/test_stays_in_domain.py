"""Which steps stay inside of a domain and are compiled, and which can leave it and are refused,
however they are written.
"""

import itertools
from contextlib import nullcontext

import mpmath
import numpy as np
import pytest
from sympy import (
    Dummy,
    Interval,
    Symbol,
    atan,
    erf,
    exp,
    lambdify,
    log,
    oo,
    pi,
    sin,
    sqrt,
    tan,
    tanh,
)

from codegen import generate
from recipe import (
    Fold,
    FoldSign,
    Noise,
    NoncentralChiSquared,
    Potential,
    RecipeError,
    Simplex,
    Update,
    Vector,
    grad,
    total,
)
from recipe.kernel.stays_in_domain import check_inside

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


@pytest.mark.by_default(2)
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


step_size = Symbol("h", positive=True)
UNDEFINED_SOMEWHERE = [  # each is between 0 and 1 wherever it is a number
    1 / (1 + exp(1 / n_p)),
    1 / (1 + exp(1 / (2 * probability - 1))),
    1 / (1 + exp(sqrt(n_p))),
    1 / (1 + exp(sqrt(probability - decay))),
    1 / (1 + exp(n_p * log(n_p))),
    1 / (2 + log(1 - 2 * probability) ** 2),
    1 / (1 + exp(tan(n_p))),
    1 / (1 + exp(tan(pi * probability))),
    probability * n_p**2 / (probability * n_p**2 + n_p**4),
]
DEFINED_EVERYWHERE = [
    1 / (1 + exp(1 / (1 + n_p**2))),
    1 / (1 + exp(1 / (1 - probability))),
    1 / (1 + exp(sqrt(1 - probability**2))),
    1 / (1 + exp(n_p * log(probability))),
    1 / (2 + log(1 - probability) ** 2),
    1 / (1 + exp(tan(pi * probability / 2))),
    (2 - decay) * probability / 2,
    (1 + atan(n_p) * 2 / pi) / 2,
    (1 + erf(n_p)) / 2,
    (2 + sin(n_p)) / 4,
    (1 + tanh(n_p)) * probability / 2,
    probability**2 * (3 - 2 * probability),
    1 - probability**3,
]


@pytest.mark.parametrize("value", UNDEFINED_SOMEWHERE, ids=str)
def test_a_step_that_is_no_number_somewhere_is_refused(value):
    with pytest.raises(RecipeError, match="a step can take p out of its domain"):
        check_inside(Update(step_size, {probability: value}, total(probability)))


@pytest.mark.parametrize("value", DEFINED_EVERYWHERE, ids=str)
def test_a_step_that_is_accepted_is_inside_at_every_point_of_a_grid(value):
    check_inside(Update(step_size, {probability: value}, total(probability)))
    plain = {s: Dummy() for s in (probability, n_p, step_size)}
    f = lambdify(list(plain.values()), value.xreplace(plain), "mpmath")
    positions = map(mpmath.mpf, ("1e-9", "0.2", "0.5", "0.8", "0.999999999"))
    with mpmath.workdps(100):
        for at in itertools.product(positions, (-9, -1, 0, 2, 9), (1, 9)):
            assert 0 < f(*at) < 1, at


def test_a_value_that_reaches_an_end_stays_inside_where_the_end_belongs_to_the_domain():
    for domain, values in (
        (Interval(0, oo), (lambda q, w: w**2, lambda q, w: q * decay, lambda q, w: sqrt(q))),
        (Interval(0, 1), (lambda q, w: (1 + sin(w)) / 2, lambda q, w: 1 - q * decay)),
    ):
        closed = Vector("c", domain=domain)
        opened = Vector("o", domain=Interval.open(*domain.args[:2]))
        for value in values:
            check_inside(
                Update(step_size, {closed: value(closed, Noise("w", like=closed))}, total(closed))
            )
        refused = Update(step_size, {opened: values[0](opened, Noise("w", like=opened))}, 0)
        with pytest.raises(RecipeError, match="a step can take o out of its domain"):
            check_inside(refused)


def test_a_draw_from_a_chi_squared_law_is_positive_and_not_below_one():
    draw = NoncentralChiSquared(n_q, Symbol("df", real=True), half_line)
    check_inside(Update(step_size, {half_line: step_size * draw}, total(half_line)))
    for value in (draw - 1, 1 - draw, -draw):
        with pytest.raises(RecipeError, match="a step can take q out of its domain"):
            check_inside(Update(step_size, {half_line: value}, total(half_line)))


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


@pytest.mark.parametrize(
    "domain", [Interval.open(0, 1), Interval.open(1, oo), Interval.open(-oo, 2)], ids=str
)
def test_a_gradient_can_take_a_step_out_of_every_interval(domain):
    x = Vector("x", domain=domain)
    U, h = Potential("U", x), Symbol("h", positive=True)
    with pytest.raises(RecipeError, match=r"a step can take x out of its domain"):
        check_inside(Update(h, {x: x - h * grad(U, x)}, U))


def test_a_gradient_inside_of_a_map_stays_inside():
    U, h = Potential("U", probability), Symbol("h", positive=True)
    p = probability
    check_inside(Update(h, {p: 1 / (1 + exp(log(1 / p - 1) + h * grad(U, p)))}, U))


def test_a_folded_value_must_be_defined():
    """``sqrt(2 h q - h^2)`` has no value where q is below h/2."""
    h, q = Symbol("h", positive=True), half_line
    for noise, refused in ((sqrt(2 * h * q), False), (sqrt(2 * h * q - h**2), True)):
        update = Update(h, {q: Fold(q + h * (1 - q) + noise * n_q, 0, oo)}, total(q))
        with pytest.raises(RecipeError, match="out of its domain") if refused else nullcontext():
            check_inside(update)


def test_a_simplex_is_not_sent_to_maps_that_cannot_keep_it():
    x = Vector("x", domain=Simplex())
    with pytest.raises(RecipeError, match=r"a Metropolis test rejects such a step$"):
        check_inside(Update(Symbol("h", positive=True), {x: 2 * x}, total(x)))
