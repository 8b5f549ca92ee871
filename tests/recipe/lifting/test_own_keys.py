"""Code of JAX that draws from a key which it makes itself is refused, however it draws."""

import pytest
from sympy import Symbol

from recipe import CannotLiftError, Potential, Vector, grad, lift

jax = pytest.importorskip("jax", reason="JAX is not installed")
random = jax.random
theta = Vector("theta")
U = Potential("U", theta)
h = Symbol("h", positive=True)


def own():
    return random.PRNGKey(0)


def in_a_scan(h):
    return jax.lax.scan(lambda c, k: (c + random.normal(k), None), 0.0, random.split(own(), 3))[0]


def in_a_loop(h):
    def body(i, c):
        return c + random.normal(random.fold_in(own(), i))

    return jax.lax.fori_loop(0, 3, body, 0.0)


def in_a_branch(h):
    return jax.lax.cond(jax.numpy.array(True), random.normal, lambda k: 0.0, own())


OWN = {
    "uniform": lambda h: random.uniform(own()),
    "typed key": lambda h: random.uniform(random.key(0)),
    "other generator": lambda h: random.uniform(random.key(0, impl="rbg")),
    "bernoulli": lambda h: 1.0 + random.bernoulli(own()),
    "compiled": lambda h: jax.jit(random.normal)(own()),
    "compiled twice": lambda h: jax.jit(lambda k: 1 + jax.jit(random.uniform)(k))(own()),
    "gamma": lambda h: random.gamma(own(), 2.0),
    "gamma of a traced shape": lambda h: random.gamma(own(), h),
    "whole numbers": lambda h: random.randint(own(), (), 1, 9),
    "bare bits": lambda h: random.bits(own()),
    "permutation": lambda h: random.permutation(own(), 3)[0],
    "all at once": lambda h: jax.vmap(random.normal)(random.split(own(), 3)).sum(),
    "scan": in_a_scan,
    "loop": in_a_loop,
    "branch": in_a_branch,
}


def lifted(function):
    return lift(
        function, state={"x": theta}, step=h, target=U, gradient={"g": grad(U, theta)},
        library="jax",
    )  # fmt: skip


@pytest.mark.parametrize("factor", OWN.values(), ids=OWN.keys())
def test_a_key_that_the_code_makes_is_refused(factor):
    def step(x, g, h):
        return x - h * g(x) * factor(h)

    with pytest.raises(CannotLiftError, match=r"line \d+: the code draws from a key of its own"):
        lifted(step)


def test_what_is_compiled_and_draws_nothing_is_a_number():
    def step(x, g, h):
        random.split(own())
        return x - h * g(x) * jax.jit(lambda a: a + 1)(2.0)

    moved = dict(lifted(step).rule)[theta]
    assert moved == theta - 3 * h * grad(U, theta)


def test_a_given_function_that_is_compiled_is_not_asked_for_a_number():
    def step(x, g, h):
        return x - h * jax.jit(g)(jax.numpy.zeros_like(x))

    with pytest.raises(CannotLiftError, match="g is evaluated at a point that is none of"):
        lifted(step)
