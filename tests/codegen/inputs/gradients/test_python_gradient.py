"""Gradients that Python computes: the same draws as compiled ones, and each mistake in one
sentence.
"""

import functools
import re

import numpy as np
import pytest
from helpers.gradient_text import source_text
from numba import njit
from sympy import Matrix, exp, log

from codegen import generate, one_step, sample
from codegen.inputs.gradients.calls import Calls
from codegen.inputs.gradients.first_calls import check_python_gradient
from codegen.inputs.gradients.form import is_for_python
from codegen.inputs.gradients.python_gradient import PythonGradient
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Scalar, Vector, spread, total

theta, eta, s = Vector("theta"), Vector("eta"), Scalar("s")
ONE = Recipe(theta, Potential("U", theta), Matrix([[1]]), Matrix([[0]]), name="one")
OPTIONS = {"steps": 60, "step_size": 0.05, "chains": 3, "lengths": {"theta": 2}, "progress": False}
rng = np.random.default_rng(0)
POINT = [np.array([1.0, 2.0])]


def quiet(what, *law, **options):
    return sample(what, *law, **{**OPTIONS, **options})


def of_normal(theta):
    return theta


def fails_far_out(theta):
    if abs(theta[0]) > 0.5:
        raise ValueError("too\nfar")
    return theta


class Compiled:
    """Stands for what JAX and PyTorch return: an object that can be called, and an array that is
    none of numpy's.
    """

    def __init__(self, scale):
        self.scale = scale

    def __call__(self, theta):
        return Result(self.scale * theta)


class Result:
    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=np.float32)


def test_a_run_goes_on_bit_for_bit_and_stops_with_the_reason(tmp_path):
    whole = quiet(ONE, gradient=of_normal, threads=2)
    quiet(ONE, gradient=of_normal, steps=25, checkpoint=tmp_path / "run")
    again = quiet(ONE, gradient=of_normal, threads=1, checkpoint=tmp_path / "run")
    np.testing.assert_array_equal(whole["theta"], again["theta"])
    with pytest.raises(RecipeError, match="gradient 0"):
        quiet(ONE, gradient=fails_far_out, initial={theta: [0.0, 0.0]}, checkpoint=tmp_path / "run")
    broken = quiet(ONE, gradient=fails_far_out, initial={theta: [0.0, 0.0]}, step_size=0.2)
    assert len(broken.divergences) == 3
    for divergence in broken.divergences:
        last = broken["theta"][divergence.chain, divergence.step - 1]
        assert abs(last[0]) > 0.5
        assert str(divergence) == (
            f"chain {divergence.chain} stopped in step {divergence.step}: the gradient of your own"
            " fails: ValueError: too far"
        )


@pytest.mark.slow
def test_draws_are_those_of_the_derived_gradient():
    np.testing.assert_array_equal(
        quiet(ONE, gradient=of_normal)["theta"], quiet(ONE, total(theta**2) / 2)["theta"]
    )


@pytest.mark.slow
def test_several_blocks_and_potentials():
    two = Recipe(
        (theta, s),
        Potential("U", theta, s) + Potential("V", theta),
        Matrix([[1, 0], [0, 1]]),
        Matrix([[0, 0], [0, 0]]),
    )
    seen = []

    def of_both(theta, s):
        seen.append((theta.shape, type(s)))
        return theta * s**2, s * np.sum(theta**2) + s

    @njit
    def compiled(g, theta):
        g[:] = theta**3

    law = {"U": total(theta**2) * s**2 / 2 + s**2 / 2, "V": total(theta**4) / 4}
    first = {"theta": [0.5, -0.5], "s": 1.0}
    derived = quiet(two, law, initial=first)
    for other in (compiled, lambda theta: theta**3):
        found = quiet(two, gradient={"U": of_both, "V": other}, initial=first)
        np.testing.assert_allclose(found["theta"], derived["theta"], rtol=1e-9)
        np.testing.assert_allclose(found["s"], derived["s"], rtol=1e-9)
    assert set(seen) == {((2,), float)}


@pytest.mark.slow
def test_of_a_posterior_with_minibatches():
    x, y = Data("x", like=theta), Data("y")
    rows, labels = rng.normal(size=(40, 2)), (rng.random(40) > 0.5).astype(float)
    at = total(x * theta)
    written = y * at - log(1 + exp(at)), -total(theta**2) / 2

    def gradient(theta, rows, x, y):
        p = 1 / (1 + np.exp(-x[rows] @ theta))
        return len(x) / len(rows) * x[rows].T @ (p - y[rows]) + theta

    def wrong(theta, rows, x, y):
        return gradient(theta, rows, x, y) - 2 * theta

    data = {x: rows, y: labels}
    options = {"batch_size": 5, "step_size": 0.01, "lengths": None}
    own = quiet(ONE, Posterior(theta, *written, data, gradient=gradient), **options)
    derived = quiet(ONE, Posterior(theta, *written, data), **options)
    np.testing.assert_allclose(own["theta"], derived["theta"], rtol=1e-9)
    with pytest.raises(RecipeError, match=r"the gradient of your own by theta.* correct one"):
        quiet(ONE, Posterior(theta, *written, data, gradient=wrong), **options)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda t: t[:, None], "by theta has the shape (2, 1); return an array of the shape (2,)"),
        (lambda t: 1.0, "by theta has the shape (); return an array of the shape (2,)"),
        (lambda t: None, "returns nothing; return an array, or write into arguments"),
        (lambda t: "ab", "by theta is no array of real numbers, but str"),
        (lambda t: 1j * t, "by theta is no array of real numbers, but ndarray of the shape (2,)"),
        (lambda t: 1 / 0, "the gradient of your own fails: ZeroDivisionError: division by zero"),
        (lambda t: t / [1, 0], "by theta[1] is inf at the first state of chain 0; correct it"),
        (lambda t: t.astype(int), "by theta consists of whole numbers (int64)"),
        (lambda t: t[None, :], "the shape (1, 2); return an array of the shape (2,): theta is a"),
        (lambda t: (1.0, t), "(value_and_grad), return the gradient alone"),
        (lambda t: {"w": t}, "ravel_pytree(parameters) returns it"),
        (lambda t: [t, t[:1]], "numpy.concatenate([p.ravel() for p in ...])"),
        (lambda t: t + rng.normal(), "gives two results at one point, so that no run could be"),
    ],
)
def test_a_mistake_is_one_sentence(function, said):
    with (
        np.errstate(all="ignore"),
        pytest.raises(RecipeError, match=re.escape(said)) as error,
    ):
        check_python_gradient(PythonGradient(function, (theta,), True), POINT)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("returned", [(np.zeros(2),), (0.0, 0.0, 0.0), np.zeros(2)])
def test_of_several_blocks_a_tuple_is_needed(returned):
    gradient = PythonGradient(lambda *_: returned, (theta, eta), True)
    with pytest.raises(RecipeError, match="must return a tuple of 2 arrays, by theta, eta"):
        gradient(*np.zeros((2, 1)), *np.zeros((2, 1)))


def test_the_value_beside_the_gradient_of_several_blocks_is_said():
    gradient = PythonGradient(lambda a, b, c: (1.0, (a, b, c)), (theta, eta, s), True)
    with pytest.raises(RecipeError, match=r"by theta, eta, s; .* return the gradient alone"):
        gradient(*np.zeros((3, 1)), *np.zeros((3, 1)))


def test_a_gradient_that_is_not_finite_on_the_way_says_where():
    def stops(theta):
        return theta if abs(theta[0]) < 0.5 else theta * np.nan

    draws = quiet(ONE, gradient=stops, initial={theta: [0.0, 0.0]}, step_size=0.2)
    assert len(draws.divergences) == 3
    for divergence in draws.divergences:
        said = re.fullmatch(
            r"chain \d stopped in step \d+: the gradient of your own returned nan by theta\[0\] at"
            r" the finite theta = \[(\S+), \S+\]; correct it there, or take a smaller step .*",
            str(divergence),
        )
        last = draws["theta"][divergence.chain, divergence.step - 1, 0]
        assert float(said[1]) == pytest.approx(last, rel=1e-5)
        assert abs(last) > 0.5
    assert not any("ten times smaller" in w for w in draws.warnings)


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_a_state_that_is_not_finite_is_not_the_gradients_fault():
    draws = quiet(ONE, gradient=lambda theta: -(theta**3), step_size=1.0, initial={theta: [9.0, 9]})
    assert all("finite theta" not in str(d) or "inf by" in str(d) for d in draws.divergences)
    results, point = [np.empty(1)], [np.array([np.inf])]
    calls = Calls({0: PythonGradient(lambda t: t, (theta,), True)})
    calls.call(0, 0, (*results, *point))
    assert not calls.faults


def test_what_the_function_does_with_its_arguments_changes_nothing():
    def greedy(theta):
        theta += 1
        return theta

    point, result = np.array([1.0, 2.0]), np.empty(2)
    PythonGradient(greedy, (theta,), True)(result, point)
    assert (point.tolist(), result.tolist()) == ([1, 2], [2, 3])


class OnADevice:
    """Stands for an array that numpy cannot read, as it is on a GPU or has a graph."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert a cuda:0 tensor")


class Tensor(OnADevice):
    """As PyTorch has it."""

    __cuda_array_interface__ = None  # PyTorch has this as well, but no get

    def detach(self):
        return self

    def cpu(self):
        return Result(self.values)


class CudaArray(OnADevice):
    """As CuPy has it."""

    __cuda_array_interface__ = None

    def get(self):
        return self.values


@pytest.mark.parametrize("kind", [Tensor, CudaArray])
def test_arrays_on_a_gpu_are_taken(kind):
    result = np.empty(2)
    PythonGradient(lambda t: kind(3 * t), (theta,), True)(result, np.array([1.0, 2.0]))
    assert result.tolist() == [3, 6]


def test_arrays_of_other_libraries_are_taken():
    result = np.empty(2)
    PythonGradient(Compiled(2.0), (theta,), True)(result, np.array([1.0, 2.0]))
    assert result.tolist() == [2, 4]
    PythonGradient(lambda t: (t,), (theta,), True)(result, np.array([1.0, 2.0]))
    assert result.tolist() == [1, 2]


def test_a_function_for_numba_is_known_by_its_arguments():
    def for_numba(g_theta, theta):
        g_theta[:] = theta

    assert not is_for_python(for_numba, 1)
    assert not is_for_python(njit(for_numba), 1)
    for one in (of_normal, np.sin, functools.partial(np.multiply, 2), Compiled(1.0), [].append):
        assert is_for_python(one, 1)


def test_another_function_is_another_run():
    def made(scale):
        return lambda theta: scale * theta

    x = np.arange(3.0)
    assert source_text(made(1)) == source_text(made(1))
    kinds = [
        made(1),
        made(2),
        made(x),
        made(x + 1),
        Compiled(1.0),
        Compiled(2.0),
        functools.partial(np.multiply, 1.0),
        functools.partial(np.multiply, 2.0),
        functools.partial(of_normal),
        functools.wraps(of_normal)(Compiled(1.0)),
    ]
    assert len({source_text(PythonGradient(f, (theta,), True)) for f in kinds}) == len(kinds)


@pytest.mark.slow
def test_one_step_takes_it_too():
    module = generate(ONE, scheme="euler")
    state = {"theta": np.array([[1.0, 2.0], [3.0, 4.0]])}
    moved = [
        one_step(module, step_size=0.1, gradient=gradient)(state, np.random.default_rng(0))["theta"]
        for gradient in (of_normal, lambda theta: 0 * theta)
    ]
    np.testing.assert_allclose(moved[0] - moved[1], -0.1 * state["theta"], atol=1e-12)
    with pytest.raises(RecipeError, match="the gradient of your own fails: ZeroDivisionError"):
        one_step(module, step_size=0.1, gradient=lambda theta: 1 / 0)(
            state, np.random.default_rng(0)
        )


def test_the_arguments_of_a_gradient_are_said():
    with pytest.raises(RecipeError) as refused:
        quiet(ONE, gradient=lambda mu, eta, s: (mu, eta, s))
    assert str(refused.value) == (
        "the gradient of your own can be called neither as f(theta), which returns it, nor as"
        " f(g_theta, theta), which writes it (for Numba); the sampler of several blocks is"
        ' spread(sampler, "U", (mu, eta))'
    )
    y = Data("y")
    posterior = Posterior(theta, None, 0, {y: [1.0]}, gradient=lambda theta, y: theta)
    with pytest.raises(RecipeError, match=r"neither as f\(theta, rows, y\), which returns"):
        quiet(ONE, posterior)


def test_the_potential_in_the_place_of_its_gradient_is_said():
    with pytest.raises(RecipeError, match="if that is the potential itself, give its gradient"):
        quiet(ONE, gradient=lambda theta: (theta**2).sum() / 2)


def test_a_gradient_in_the_place_of_the_posterior_is_said():
    with pytest.raises(RecipeError, match=r"sample\(sampler, gradient=f\)"):
        quiet(ONE, of_normal)


def test_a_gradient_of_the_wrong_sign_is_thought_of():
    draws = quiet(ONE, gradient=lambda theta: -theta, steps=3000, step_size=0.1)
    assert any("change the sign of the gradient of your own" in w for w in draws.warnings)


def test_a_potential_is_spread_by_its_name():
    mu = Vector("mu")
    two = spread(ONE, "U", (mu, s))
    draws = quiet(two, gradient=lambda mu, s: (mu, s), lengths={"mu": 2})
    assert draws.keys() == ["mu", "s"]
    with pytest.raises(RecipeError, match="V is no potential of this recipe, which has: U"):
        spread(ONE, "V", (mu, s))
