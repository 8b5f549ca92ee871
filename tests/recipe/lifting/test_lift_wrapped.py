"""Functions behind ``jax.jit`` and ``functools.partial``, and which library a function is of."""

import random
from functools import partial

import numpy as np
import pytest
from sympy import Symbol, sqrt

from recipe import CannotLiftError, Noise, Potential, Vector, grad, lift, total
from verify import verify

jax = pytest.importorskip("jax", reason="JAX is not installed: code of it is not read here")
jnp = jax.numpy

theta = Vector("theta")
p = Vector("p", like=theta)
w = Noise("w", like=theta)
U = Potential("U", theta)
h = Symbol("h", positive=True)
PLAIN = {"state": {"x": theta}, "step": h, "arguments": {"lr": h}, "noise": "key", "target": U}
K = {**PLAIN, "gradient": {"grad_u": grad(U, theta)}}
LANGEVIN = ((theta, theta - h * grad(U, theta) + sqrt(2 * h) * w),)


def step(x, key, lr, grad_u):
    return x - lr * grad_u(x) + jnp.sqrt(2 * lr) * jax.random.normal(key, x.shape)


def scaled(x, key, lr, grad_u, c):
    return x - lr * grad_u(x) + jnp.sqrt(c * lr) * jax.random.normal(key, x.shape)


class Sampler:
    scale = 2

    @partial(jax.jit, static_argnames=("self", "grad_u"))
    def step(self, x, key, lr, grad_u):
        return scaled(x, key, lr, grad_u, self.scale)


jitted = partial(jax.jit, static_argnames="grad_u")(step)
WRAPPED = {
    "static_argnames": jitted,
    "static_argnums": jax.jit(step, static_argnums=3),
    "static step": jax.jit(step, static_argnames=("lr", "grad_u")),
    "donated": jax.jit(step, static_argnums=3, donate_argnums=0),
    "lambda": jax.jit(lambda x, key, lr, grad_u: 1 * step(x, key, lr, grad_u), static_argnums=3),
    "partial": partial(scaled, c=2),
    "jit of partial": jax.jit(partial(scaled, c=2), static_argnames="grad_u"),
    "partial of jit": partial(jax.jit(scaled, static_argnames=("grad_u", "c")), c=2),
    "jit of jit": jax.jit(jitted, static_argnames="grad_u"),
    "method": Sampler().step,
}


@pytest.mark.parametrize("name", WRAPPED)
def test_a_wrapped_step_is_read_as_the_step(name):
    assert lift(WRAPPED[name], **K).rule == LANGEVIN


def test_the_lines_and_the_name_are_those_of_the_function_of_python():
    reading = lift(WRAPPED["partial of jit"], **K).reading
    assert (reading.function, reading.library.split()[0]) == ("scaled", "jax")
    assert reading.place.line == scaled.__code__.co_firstlineno
    assert verify(lift(jitted, **K)).verdict.value == "proved"


@jax.jit
def with_array(x, g, key, lr):
    return x - lr * g + jnp.sqrt(2 * lr) * jax.random.normal(key, x.shape)


def test_a_jitted_step_that_takes_the_gradient_as_an_array():
    rule = lift(with_array, **{**PLAIN, "arguments": {"lr": h, "g": grad(U, theta)}})
    assert rule.rule == LANGEVIN


@jax.jit
def of_whole_state(state, g, key, lr):
    x, v = state
    return x + lr * v, v - lr * g - lr * v + jnp.sqrt(2 * lr) * jax.random.normal(key, x.shape)


def test_a_jitted_step_of_a_whole_state():
    claim = {"arguments": {"lr": h, "g": grad(U, theta)}, "target": U + total(p**2) / 2}
    rule = lift(of_whole_state, **{**PLAIN, **claim, "state": {"state": (theta, p)}})
    assert rule.reading.place.line == of_whole_state.__wrapped__.__code__.co_firstlineno
    assert rule.reading.compared == 138


calls = [0]


@partial(jax.jit, static_argnames="grad_u")
def counts(x, key, lr, grad_u):
    calls[0] += 1
    return step(x, key, calls[0] * lr, grad_u)


def test_a_jitted_function_with_a_state_of_its_own_is_refused():
    with pytest.raises(CannotLiftError, match="keeps a state of its own"):
        lift(counts, **K)


class Changed:
    """What ``jax.jit`` has compiled is not the function of Python."""

    @staticmethod
    def make():
        factor = [1]

        def function(x, key, lr, grad_u):
            made_by_jit = isinstance(lr, jax.core.Tracer) and not isinstance(x, float)
            return step(x, key, lr, grad_u) + (factor[0] - 1) * made_by_jit * lr

        compiled = jax.jit(function, static_argnames="grad_u")
        compiled.__wrapped__ = step
        factor[0] = 2
        return compiled


def test_the_jitted_function_is_compared_in_numbers():
    with pytest.raises(CannotLiftError, match="is not what"):
        lift(Changed.make(), **K)


def of_numpy(x, lr, rng, grad_u):
    return x - lr * grad_u(x) + rng.normal(0, (2 * lr) ** 0.5, x.shape)


def of_both(x, key, lr, grad_u):
    return x - lr * grad_u(x) + np.sqrt(2) * lr**0.5 * jax.random.normal(key, x.shape)


def noise_by_helper(x, key, lr):
    return jnp.sqrt(2 * lr) * jax.random.normal(key, x.shape)


def by_helper(x, key, lr, grad_u):
    return x - lr * grad_u(x) + np.asarray(1.0) * noise_by_helper(x, key, lr)


def of_random(x, lr, grad_u):
    return x - lr * grad_u(x) + np.array([random.gauss(0, 1) for _ in x]) * (2 * lr) ** 0.5


def test_the_library_is_that_of_the_function_and_not_of_its_file():
    rule = lift(of_numpy, **{**K, "noise": "rng"})
    assert (rule.rule, rule.reading.library.split()[0]) == (LANGEVIN, "numpy")
    assert lift(of_random, **{**K, "noise": None}).reading.library.startswith("numpy")
    for function in (of_both, by_helper):
        rule = lift(function, **K)
        assert (rule.rule, rule.reading.library.split()[0]) == (LANGEVIN, "jax")
