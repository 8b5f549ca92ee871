"""Code that has no reading is refused in one sentence: the file, the line, and what is there."""

import numpy as np
import pytest
from sympy import Symbol

from recipe import CannotLiftError, Potential, RecipeError, Scalar, Vector, grad, lift, total
from verify import verify

theta = Vector("theta")
U = Potential("U", theta)
h = Symbol("h", positive=True)
calls = [0]
count = 0


def branch(x, h, grad):
    return x - h * grad(x) if x[0] > 0 else x


def where(x, h, grad):
    return np.where(x > 0, x, -x)


def clipped(x, h, grad):
    return x - h * np.clip(grad(x), -1, 1)


def largest(x, h, grad):
    return x - h * np.maximum(grad(x), 0.0)


def masked(x, h, grad):
    return x[x > 0]


def chosen(x, h, grad):
    return x[np.nonzero(x)]


def complex_numbers(x, h, grad):
    return x - 1j * h * grad(x)


def unknown(x, h, grad):
    return np.fft.fft(x)


def uniform(x, h, grad):
    return x + h * np.random.uniform(size=x.shape)


def own_generator(x, h, grad):
    return x + h * np.random.default_rng(1).standard_normal(x.shape)


def one_coordinate(x, h, grad):
    return x - h * x[0]


def unlike(x, h, grad):
    x = x.copy()
    x[0] = 2 * x[0]
    return x


def matrix(x, h, grad):
    return x - h * (2 + np.arange(x.size)) * x


def partial_sum(x, h, grad):
    return x - h * np.sum(x[1:])


def keeps_a_state(x, h, grad):
    calls[0] += 1
    return x - h * calls[0] * grad(x)


def keeps_a_global(x, h, grad):
    global count  # noqa: PLW0603
    count += 1
    return x - h * grad(x)


def for_ever(x, h, grad):
    while True:
        x = x.copy()


def raises(x, h, grad):
    raise KeyError("no such thing")


def other_point(x, h, grad):
    return x - h * grad(2 * x)


def converted(x, h, grad):
    return float(h) * x


def counted(x, h, grad):
    for _ in range(h):
        x = x + 1
    return x


def product(x, h, grad):
    return x - h * np.prod(x)


def moved(x, h, grad):
    return x - h * grad(x)


def size_of_its_own(x, h, grad):
    return x - h * np.array([5.0, 2.0, 0.5, 7.0, 3.0, 6.0, 2.0, 9.0])[x.size % 8 - 1] * x


def size_below_some(x, h, grad):
    return x - h * min(x.size, 10) * x


def small_arrays_apart(x, h, grad):
    return x - h * grad(x) if x.size < 20 else x - 2 * h * grad(x)


def both(x, h, grad):
    x += h
    return x - grad(x)


def shape(x, h, grad):
    return np.concatenate([x, x])


REFUSED = {
    branch: ("line {}: the code compares values", 1),
    where: ("line {}: the code compares values", 1),
    clipped: ("line {}: numpy.clip is a branch on values", 1),
    largest: ("line {}: a maximum has no word", 1),
    masked: ("line {}: the code compares values", 1),
    chosen: ("line {}: the shape of what numpy.nonzero returns depends on values", 1),
    complex_numbers: ("line {}: ", 1),
    unknown: ("line {}: numpy.fft is not known", 1),
    uniform: ("line {}: uniform(...) draws no normal numbers", 1),
    own_generator: ("line {}: the code makes a generator of its own", 1),
    one_coordinate: ("coordinate 0 of x is used by itself", 0),
    unlike: ("line {}: the coordinates of theta are not treated alike", 2),
    matrix: ("number of its own for each coordinate", 1),
    partial_sum: ("line {}: a sum of 2 terms such as x[1] is no sum over all coordinates", 1),
    keeps_a_state: ("keeps_a_state computes something else for theta when it is called again", 0),
    keeps_a_global: ("keeps_a_global changes the global variable count", 0),
    for_ever: ("for_ever is not read within 0.3 seconds", 0),
    raises: ("line {}: raises raises KeyError when it is traced: 'no such thing'", 1),
    other_point: ("line {}: grad is evaluated at a point", 1),
    converted: ("line {}: what is traced is turned into a float", 1),
    counted: ("line {}: a number that is traced is used as a count", 1),
    product: ("line {}: numpy.prod is not known", 1),
    size_of_its_own: ("a number here is", 1),
    size_below_some: ("line {}: a number here is", 1),
    small_arrays_apart: ("does something else", 1),
    both: ("both changes its argument x in place and returns another value", 0),
    shape: ("shape returns an array of the shape (6,) for theta, whose shape is (3,)", 0),
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_one_sentence(function):
    said, line = REFUSED[function]
    with pytest.raises(CannotLiftError) as caught:
        lift(
            function,
            state={"x": theta},
            step=h,
            target=U,
            gradient={"grad": grad(U, theta)},
            seconds=0.3 if function is for_ever else 60,
        )
    assert said.format(function.__code__.co_firstlineno + line) in str(caught.value)
    assert "\n" not in str(caught.value)


def with_momenta(x, v, h, grad):
    return x + v, v - h * grad(x)


def momenta(p):
    return lift(
        with_momenta,
        state={"x": theta, "v": p},
        step=h,
        target=U + total(p**2) / 2,
        gradient={"grad": grad(U, theta)},
    )


def test_blocks_of_two_lengths_where_the_code_has_one():
    with pytest.raises(CannotLiftError, match=r'declare Vector\("p", like=theta\)$'):
        momenta(Vector("p"))
    assert momenta(Vector("p", like=theta)).reading.compared > 0


class Seeded:
    def __init__(self, grad, h, seed=None):
        self.grad, self.h = grad, h
        self.rng = np.random.default_rng(seed)

    def step(self, x):
        return x - self.h * self.grad(x) + np.sqrt(2 * self.h) * self.rng.normal(size=x.shape)


def seeded(x, h, rng, grad):
    return Seeded(grad, h, seed=rng).step(x)


def unseeded(x, h, rng, grad):
    return Seeded(grad, h).step(x)


def seeded_twice(x, h, rng, grad):
    first, second = np.random.default_rng(rng), np.random.default_rng(rng)
    return x - h * grad(x) + np.sqrt(h) * (first.normal(size=x.shape) + second.normal(size=x.shape))


def test_a_class_that_makes_its_generator_is_given_one_for_the_seed():
    claim = {"state": {"x": theta}, "step": h, "target": U, "noise": "rng"}
    rule = lift(seeded, gradient={"grad": grad(U, theta)}, **claim)
    assert verify(rule).verdict.value == "proved"
    with pytest.raises(CannotLiftError, match="noise='rng', in place of the seed too"):
        lift(unseeded, gradient={"grad": grad(U, theta)}, **claim)
    with pytest.raises(CannotLiftError, match="two generators of one seed"):
        lift(seeded_twice, gradient={"grad": grad(U, theta)}, **claim)


class Sampler:
    def __init__(self):
        self.calls = 0


CLAIMS = {
    "a class": (Sampler, {}, "Sampler is a class"),
    "no function": (3, {}, "it is no function"),
    "step": (branch, {"step": 0.1}, "must be a plain symbol"),
    "no state": (branch, {"state": {}}, "state= must say which arguments are blocks"),
    "no block": (branch, {"state": {"x": h}}, "is no block"),
    "unknown argument": (branch, {"arguments": {"lr": h}}, "branch has no argument lr"),
    "missing": (branch, {"gradient": {}}, "nothing is said of the argument grad"),
    "noise": (branch, {"noise": 3}, "noise= must be the name"),
    "library": (branch, {"library": "fortran"}, "must be one of numpy"),
    "twice": (branch, {"state": {"x": theta, "h": theta}}, "names a block twice"),
    "option": (branch, {"unit": 3}, "no argument unit; did you mean units"),
    "units": (moved, {"units": 3}, "units=3 must be a dict"),
    "length": (
        branch,
        {"arguments": {"grad": Vector("eta")}, "gradient": {}},
        "no block of state= has the length d_eta",
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_that_does_not_fit(name):
    function, changed, said = CLAIMS[name]
    claim = {
        "state": {"x": theta},
        "step": h,
        "target": U,
        "gradient": {"grad": grad(U, theta)},
    } | changed
    with pytest.raises(RecipeError, match=said.replace("(", r"\(")):
        lift(function, **claim)


def returns_two(x, h, grad):
    return x, h


def test_outputs_must_be_named():
    claim = {"state": {"x": theta}, "step": h, "target": U, "gradient": {"grad": grad(U, theta)}}
    with pytest.raises(CannotLiftError, match="returns 2 values, and 1 are expected"):
        lift(returns_two, **claim)
    rule = lift(returns_two, **claim, returns=(theta, None))
    assert rule.rule == ((theta, theta),)
    with pytest.raises(CannotLiftError, match="does not say which output of returns_two is theta"):
        lift(returns_two, **claim, returns=(None, None))


def flipped_noise(x, h, grad):
    w = np.random.standard_normal(x.shape)
    return x + h * w + h * w[::-1]


def test_one_draw_for_different_coordinates():
    with pytest.raises(CannotLiftError, match="used for different coordinates"):
        lift(
            flipped_noise,
            state={"x": theta},
            step=h,
            target=U,
            gradient={"grad": grad(U, theta)},
        )


def hidden(x, h, grad, rng):
    return x + h * rng.standard_normal(x.shape) * (1 if type(x).__name__ == "Traced" else 2)


def test_a_lift_that_is_wrong_is_found_in_numbers():
    with pytest.raises(CannotLiftError, match="what was read is not what hidden computes"):
        lift(
            hidden,
            state={"x": theta},
            step=h,
            target=U,
            gradient={"grad": grad(U, theta)},
            noise="rng",
        )


def test_a_scalar_block_has_no_coordinates():
    x = Scalar("x")
    V = Potential("V", x)
    rule = lift(one_number, state={"x": x}, step=h, target=V, gradient={"grad": grad(V, x)})
    assert rule.rule[0][1].coeff(grad(V, x)) == -h


def one_number(x, h, grad):
    return x - h * grad(x) + np.sqrt(2 * h) * np.random.normal()
