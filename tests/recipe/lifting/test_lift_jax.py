"""Rules that are read out of functions of JAX."""

import pytest
from sympy import Rational, Symbol, exp, sqrt

from recipe import CannotLiftError, Noise, Potential, Scalar, Vector, grad, lift, total
from verify import verify

jax = pytest.importorskip("jax", reason="JAX is not installed: code of it is not read here")
jnp = jax.numpy

theta = Vector("theta")
p = Vector("p", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
h, a = Symbol("h", positive=True), Symbol("a", positive=True)
w = Noise("w", like=theta)
ONE = {"state": {"x": theta}, "step": h, "target": U, "noise": "key", "library": "jax"}
GRADIENT = {"gradient": {"g": grad(U, theta)}}
TWO = {**ONE, "state": {"x": theta, "v": p}, "target": U + total(p**2) / 2}


def langevin(key, x, h, g):
    return x - h * g(x) + jnp.sqrt(2 * h) * jax.random.normal(key, x.shape)


@jax.jit
def jitted(key, x, h):
    return x + jnp.sqrt(2 * h) * jax.random.normal(key, x.shape)


def nested(key, x, h, g):
    return jitted(key, x - h * g(x), h)


def split_key(key, x, h, g):
    _, one = jax.random.split(key)
    return x - h * g(x) + jnp.sqrt(2 * h) * jax.random.normal(jax.random.fold_in(one, 3), x.shape)


def by_vmap(key, x, h, g):
    noise = jax.vmap(jax.random.normal)(jax.random.split(key, x.size))
    return x - h * g(x) + jnp.sqrt(2 * h) * noise.reshape(x.shape)


def vmapped_sum(key, x, h, g):
    add = jax.vmap(lambda y, z: y - h * z)
    return add(x, g(x)) + (2 * h) ** 0.5 * jax.random.normal(key, x.shape, dtype=x.dtype)


@pytest.mark.parametrize("function", [langevin, nested, split_key, by_vmap, vmapped_sum])
def test_one_rule_in_many_ways(function):
    rule = lift(function, **ONE, **GRADIENT)
    assert rule.rule == ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * w),)


def test_the_lines_of_terms():
    rule = lift(split_key, **ONE, **GRADIENT)
    line = split_key.__code__.co_firstlineno + 2
    assert {t.place.line for t in rule.reading.terms if t.place} == {line}


def by_scan(key, x, v, h, logp):
    def body(state, _):
        x, v = state
        v = v + h / 2 * jax.grad(logp)(x)
        x = x + h * v
        return (x, v + h / 2 * jax.grad(logp)(x)), x

    (x, v), _ = jax.lax.scan(body, (x, v), None, length=2)
    return x, v


def by_while(key, x, v, h, logp):
    def body(state):
        k, x, v = state
        v = v + h / 2 * jax.grad(logp)(x)
        x = x + h * v
        return k + 1, x, v + h / 2 * jax.value_and_grad(logp)(x)[1]

    _, x, v = jax.lax.while_loop(lambda s: s[0] < 2, body, (0, x, v))
    return x, v


@pytest.mark.parametrize("function", [by_scan, by_while])
def test_loops_of_a_known_number_of_rounds(function):
    rule = lift(function, **TWO, gradient={"logp": -U})
    half = (p, p - h * grad(U, theta) / 2)
    assert rule.rule == (half, (theta, theta + h * p), half) * 2


def thermostat(key, x, v, z, h, a, g):
    noise = jax.random.normal(key, x.shape)
    v = (1 - z * h) * v - h * g(x) + jnp.sqrt(2 * a * h) * noise
    return {"x": x + h * v, "momenta": {"v": v}, "xi": z + h * (jnp.vdot(v, v) / v.size - 1)}


def test_trees_of_outputs_and_numbers_of_the_length():
    rule = lift(
        thermostat,
        **{**TWO, "state": {"x": theta, "v": p, "z": xi}},
        **GRADIENT,
        arguments={"a": a},
        returns={"x": theta, "momenta": {"v": p}, "xi": xi},
    )
    moved = (1 - xi * h) * p - h * grad(U, theta) + sqrt(2 * a * h) * w
    assert (rule.rule[2][1] - xi - h * (total(moved**2) / theta.dim - 1)).expand() == 0


def functions(key, x, h, g):
    y = jnp.log1p(jnp.exp(x)) + jax.nn.sigmoid(x) + jnp.tanh(x) ** 3 + jax.lax.rsqrt(1 + x**2)
    return y + jnp.where(jnp.arange(3)[0] == 0, x, 2 * x) * jnp.float32(0.1)


def test_functions():
    e = lift(functions, **ONE, **GRADIENT).rule[0][1]
    assert e.has(exp(-theta)) or e.has(exp(theta))
    assert e.coeff(theta) == Rational(1, 10)


def same_key_twice(key, x, h, g):
    return x + h * jax.random.normal(key, x.shape) + h * jax.random.normal(key, x.shape)


def test_noise_that_is_used_twice_is_one_noise():
    rule = lift(same_key_twice, **ONE, **GRADIENT)
    assert rule.rule == ((theta, theta + 2 * h * w),)
    assert len(rule.reading.draws) == 1


def one_key_for_two(key, x, h, g):
    return x + h * jax.random.normal(key, x.shape) + h * jax.random.normal(key, (2, *x.shape))[0]


def split_and_drawn(key, x, h, g):
    one, _ = jax.random.split(key)
    return x + h * jax.random.normal(key, x.shape) + h * jax.random.normal(one, x.shape)


def uniform(key, x, h, g):
    return x + h * jax.random.uniform(key, x.shape)


def where(key, x, h, g):
    return jnp.where(x > 0, x, -x)


def branch(key, x, h, g):
    return x if x[0] > 0 else -x


def cond(key, x, h, g):
    return jax.lax.cond(x[0] > 0, lambda y: y, lambda y: -y, x)


def while_values(key, x, h, g):
    return jax.lax.while_loop(lambda y: y[0] < 1, lambda y: y + h, x)


def complex_numbers(key, x, h, g):
    return jnp.real(x + 1j * x)


def unknown(key, x, h, g):
    return jnp.cumprod(x)


def rounded(key, x, h, g):
    return jnp.round(x)


def integers(key, x, h, g):
    return x.astype(int) * 1.0


def to_float(key, x, h, g):
    return x * float(h)


REFUSED = {
    one_key_for_two: "key is used for a draw of the shape (2, 3) here and for a draw of the shape",
    split_and_drawn: "key is used for a draw of the shape (3,) here and for split of the shape",
    uniform: "random numbers that are not normal are drawn",
    where: "the code compares values that change from step to step",
    branch: "the code branches on values",
    cond: "the code branches on values",
    while_values: "how often a loop is run depends on values",
    complex_numbers: "complex numbers",
    unknown: "the operation cumprod of JAX is not known",
    rounded: "a rounding has no word",
    integers: "numbers are rounded to int64",
    to_float: "the code turns values into Python numbers",
}


@pytest.mark.parametrize("function", REFUSED, ids=lambda f: f.__name__)
def test_refused_in_one_sentence(function):
    with pytest.raises(CannotLiftError) as caught:
        lift(function, **ONE, **GRADIENT)
    said = str(caught.value)
    assert REFUSED[function] in said
    first = function.__code__.co_firstlineno
    assert any(f"test_lift_jax.py, line {first + k}" in said for k in (0, 1, 2))
    assert "\n" not in said


def unused_branch(key, x, h, g):
    ignored = jnp.where(x > 0, x, -x)
    return x - h * g(x), ignored


def test_what_is_not_used_does_not_matter():
    rule = lift(unused_branch, **ONE, **GRADIENT, returns=(theta, None))
    assert rule.rule == ((theta, theta - h * grad(U, theta)),)
    assert verify(rule).verdict.value == "refuted"


def hidden(key, x, h, g):
    def host(y):
        return y

    return x + h * jax.pure_callback(host, jax.ShapeDtypeStruct(x.shape, x.dtype), x)


def test_code_outside_of_jax_is_refused():
    with pytest.raises(CannotLiftError, match="pure_callback"):
        lift(hidden, **ONE, **GRADIENT)


class Fooled:
    """A function with the name of that of JAX that draws other numbers."""

    @staticmethod
    def make():
        def _normal(key):
            return jax.random.uniform(key, (3,))

        return jax.jit(_normal)


def test_a_name_is_not_trusted():
    drawn = Fooled.make()

    def function(key, x, h, g):
        return x[:3] * 0 + x + h * jnp.sum(drawn(key))

    with pytest.raises(CannotLiftError):
        lift(function, **ONE, **GRADIENT)


def catches_the_branch(x, h, grad):
    factor = 1.0
    try:
        if x[0] > 1e6:
            factor = 0.0
    except Exception:
        factor = 1.0
    return x - factor * h * grad(x)


def forgets_to_return(x, h, grad):
    x = x - h * grad(x)


@pytest.mark.parametrize(
    ("function", "said"),
    [(catches_the_branch, "branches on values"), (forgets_to_return, "a return may be missing")],
)
def test_a_caught_branch_and_a_missing_return(function, said):
    with pytest.raises(CannotLiftError, match=said):
        lift(
            function,
            state={"x": theta},
            step=h,
            gradient={"grad": grad(U, theta)},
            target=U,
            library="jax",
        )
