"""Numbers that code draws, or rounds to, in float32; and draws of one number."""

import numpy as np
import pytest
from sympy import Symbol, sqrt

from recipe import CannotLiftError, Noise, Potential, Scalar, Vector, grad, lift
from recipe.language.noise import ScalarNoise
from recipe.lifting.reading import reading_data

theta = Vector("theta")
xi = Scalar("xi")
w = Noise("w", like=theta)
U = Potential("U", theta)
h = Symbol("h", positive=True)
NUMPY = {
    "state": {"x": theta}, "step": h, "arguments": {"lr": h}, "noise": "rng", "target": U,
    "gradient": {"grad_u": grad(U, theta)},
}  # fmt: skip
LANGEVIN = ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * w),)


def cast(x, lr, rng, grad_u):
    return x - lr * grad_u(x) + (np.sqrt(2 * lr) * rng.normal(size=x.shape)).astype(np.float32)


def drawn(x, lr, rng, grad_u):
    noise = rng.standard_normal(x.shape, dtype=np.float32)
    return x - lr * grad_u(x) + np.sqrt(2 * lr) * noise


def coarse(x, lr, rng, grad_u):
    return x - lr * grad_u(x) + np.sqrt(2 * lr) * rng.normal(size=x.shape).astype(np.float16)


@pytest.mark.parametrize("function", [cast, drawn])
def test_float32_of_numpy_is_read_and_said(function):
    rule = lift(function, **NUMPY)
    assert rule.rule == LANGEVIN
    assert "in float32: the comparison in numbers allows 1e-06" in rule.text


def test_float16_is_refused_by_its_name():
    with pytest.raises(CannotLiftError, match="numbers are rounded to float16"):
        lift(coarse, **NUMPY)


def off_by_more(x, lr, rng, grad_u):
    hidden = 1 + 3e-6 * float(isinstance(x, np.ndarray))  # what is traced is no array of numpy
    return x - lr * grad_u(x) * hidden + np.sqrt(2 * lr) * rng.normal(size=x.shape)


def off_in_float32(x, lr, rng, grad_u):
    hidden = 1 + 1e-5 * float(isinstance(x, np.ndarray))
    return x - lr * grad_u(x) + hidden * (2 * lr) ** 0.5 * rng.normal(size=x.shape).astype("f4")


@pytest.mark.parametrize("function", [off_by_more, off_in_float32])
def test_more_than_rounding_is_refused(function):
    with pytest.raises(CannotLiftError, match="is not what"):
        lift(function, **NUMPY)


def one_number(x, lr, rng, grad_u):
    return x - lr * grad_u(x) + np.sqrt(2 * lr) * rng.normal()


def of_a_scalar(x, z, lr, rng):
    return x + lr * rng.normal(size=x.shape), z + np.sqrt(2 * lr) * rng.normal()


def test_a_draw_without_a_shape_is_called_one_number_for_all_coordinates():
    rule = lift(one_number, **NUMPY)
    assert rule.rule == ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * ScalarNoise("w")),)
    assert "  w: one standard normal number for all coordinates, " in rule.text
    assert [n["one_number_for_all_coordinates"] for n in reading_data(rule, "it")["noise"]] == [
        True
    ]
    many = reading_data(lift(drawn, **NUMPY), "it")["noise"]
    assert [n["one_number_for_all_coordinates"] for n in many] == [False]
    claim = {**NUMPY, "gradient": None, "state": {"x": theta, "z": xi}, "target": U + xi**2 / 2}
    assert "for all coordinates" not in lift(of_a_scalar, **claim).text


# -- code of JAX

try:
    import jax
    import jax.numpy as jnp
except ImportError:
    jax = None
of_jax = pytest.mark.skipif(jax is None, reason="JAX is not installed: code of it is not read here")
JAX = {**NUMPY, "noise": "key", "library": "jax"}


def drawn_in_float32(x, lr, key, grad_u):
    noise = jax.random.normal(key, x.shape, dtype=jnp.float32)
    return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * noise


def computed_in_float32(x, lr, key, grad_u):
    noise = jax.random.normal(key, x.shape, jnp.float32)
    return x - lr * grad_u(x) + (lr * 2.0).astype(jnp.float32) ** 0.5 * noise


def cast_by_jax(x, lr, key, grad_u):
    noise = jax.random.normal(key, x.shape).astype(jnp.float32)
    return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * noise


def each_key(x, lr, key, grad_u):
    keys = jax.random.split(key, x.size)
    noise = jax.vmap(lambda k: jax.random.normal(k, dtype=jnp.float32))(keys)
    return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * noise.reshape(x.shape)


@of_jax
@pytest.mark.parametrize("function", [drawn_in_float32, computed_in_float32, cast_by_jax, each_key])
def test_float32_of_jax_is_read_and_said(function):
    rule = lift(function, **JAX)
    assert rule.rule == LANGEVIN
    assert "in float32: the comparison in numbers allows 1e-06" in rule.text


def small(x, lr, key, grad_u):
    noise = jax.random.normal(key, x.shape, dtype=jnp.bfloat16)
    return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * noise


def half(x, lr, key, grad_u):
    return x - lr * grad_u(x) + jax.random.normal(key, x.shape).astype(jnp.float16)


def two_kinds(x, lr, key, grad_u):
    one = jax.random.normal(key, x.shape, dtype=jnp.float32)
    return x - lr * grad_u(x) + jnp.sqrt(lr) * (one + jax.random.normal(key, x.shape))


@of_jax
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (small, "numbers are rounded to bfloat16, when they are drawn"),
        (half, "numbers are rounded to float16"),
        (
            two_kinds,
            r"a draw of the shape \(3,\) here and for a draw of the shape \(3,\) in float32",
        ),
    ],
)
def test_what_is_coarser_and_one_key_of_two_kinds_are_refused(function, said):
    with pytest.raises(CannotLiftError, match=said):
        lift(function, **JAX)


@of_jax
def test_a_key_without_a_shape_draws_one_number():
    def function(x, lr, key, grad_u):
        return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * jax.random.normal(key)

    assert "one standard normal number for all coordinates" in lift(function, **JAX).text
