"""A potential and its gradient that need the same sums over coordinates share their functions."""

import re

import numpy as np

from catalog.hmc import hmc_kernel
from codegen import generate
from recipe import Data, Posterior, Vector, total

theta = Vector("theta")
x, y = Data("x", like=theta), Data("y")
DATA = {x: np.arange(33.0).reshape(3, 11) / 9 - 1.5, y: np.array([0.3, -1.0, 2.0])}


def text_of(log_likelihood):
    posterior = Posterior((theta,), log_likelihood, -total(theta**2) / 2, DATA)
    return generate(hmc_kernel, posterior).source


def functions_of_rows(text):
    """The functions of sums over coordinates that each of the two calls, for a tile of rows."""
    gradient, value = text.index("def gradient_U("), text.index("def potential_U(")
    bodies = text[gradient : text.index("\n\n\n", gradient)], text[value : text.index("def run(")]
    return [set(re.findall(r"(sums\w*)\(.*row_of, tile", body)) for body in bodies]


def test_the_same_sums_are_one_function_that_stands_once():
    text = text_of(-((y - total(x * theta)) ** 2))
    of_gradient, of_value = functions_of_rows(text)
    assert len(of_gradient) == 1
    assert of_gradient == of_value
    assert len(re.findall(r"def sums\w*\(.*row_of, tile", text)) == 1


def test_other_sums_are_functions_of_their_own():
    """The value has a sum that no derivative needs."""
    of_gradient, of_value = functions_of_rows(text_of(y * total(x * theta**2)))
    assert not of_gradient
    assert len(of_value) == 1
