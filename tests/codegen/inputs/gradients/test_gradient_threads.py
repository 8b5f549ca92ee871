"""A gradient in Python with a state of its own: one thread moves all chains, so that no chain reads
the numbers of another one.
"""

import functools
import threading
import time

import numpy as np
import pytest
from helpers.gradient_text import source_text
from sympy import Matrix

from codegen import sample, thread_safe
from codegen.inputs.gradients.thread_safe import is_thread_safe
from recipe import Potential, Recipe, RecipeError, Vector

theta = Vector("theta")
U = Potential("U", theta)
ONE = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="one")


def quiet(gradient, **options):
    given = {"steps": 60, "step_size": 0.05, "chains": 4, "lengths": {"theta": 2}}
    return sample(ONE, gradient=gradient, progress=False, **{**given, **options})


class Model:
    """Keeps its argument from one line to the next, as a module of PyTorch does."""

    def __init__(self):
        self.callers = set()

    def gradient(self, theta):
        self.theta = theta
        self.callers.add(threading.get_ident())
        time.sleep(1e-5)  # lets go of Python's lock, as work of a library does
        return self.theta


@pytest.mark.parametrize("threads", [None, 4])
def test_an_object_with_a_state_gives_the_draws_of_one_thread(threads):
    alone = quiet(Model().gradient, threads=1)
    model = Model()
    np.testing.assert_array_equal(quiet(model.gradient, threads=threads)["theta"], alone["theta"])
    assert len(model.callers - {threading.get_ident()}) == 1


def test_a_function_that_is_said_to_be_safe_runs_in_threads():
    callers, meeting = set(), threading.Barrier(2, timeout=20)

    @thread_safe
    def gradient(theta):
        if threading.current_thread() is not threading.main_thread() and len(callers) < 2:
            callers.add(threading.get_ident())
            meeting.wait()  # for ever, if nobody else came
        return theta

    quiet(gradient, threads=2, chains=2)
    assert len(callers) == 2


class PjitFunction:
    """Stands for what ``jax.jit`` returns."""

    __module__ = "jaxlib._jax"

    def __call__(self, theta):
        return theta


def test_what_jax_has_compiled_needs_no_word():
    assert is_thread_safe(PjitFunction())
    assert is_thread_safe(functools.partial(PjitFunction(), 1))
    assert not is_thread_safe(lambda theta: theta)
    assert not is_thread_safe(Model().gradient)


def test_a_marked_function_is_the_same_run():
    def gradient(theta):
        return theta

    assert source_text(thread_safe(gradient)) == source_text(gradient)
    with pytest.raises(RecipeError, match=r"thread_safe\(3\): give a function"):
        thread_safe(3)


def test_a_module_of_pytorch_as_the_page_has_it():
    torch = pytest.importorskip("torch")
    from torch.nn.utils import vector_to_parameters

    network = torch.nn.Linear(2, 1, bias=False, dtype=torch.float64)
    x = torch.tensor([[1.0, 0.5], [0.2, -1.0], [0.3, 0.4]], dtype=torch.float64)
    y = torch.tensor([1.0, -1.0, 0.5], dtype=torch.float64)

    def gradient(theta):
        vector_to_parameters(torch.from_numpy(theta), network.parameters())
        network.zero_grad()
        potential = ((y - network(x)[:, 0]) ** 2).sum() / 2
        potential.backward()
        return torch.cat([p.grad.ravel() for p in network.parameters()])

    features, labels = x.numpy(), y.numpy()
    by_numpy = quiet(lambda theta: features.T @ (features @ theta - labels))
    np.testing.assert_allclose(quiet(gradient)["theta"], by_numpy["theta"], rtol=1e-8)
