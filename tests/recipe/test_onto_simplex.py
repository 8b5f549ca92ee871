"""The map from real coordinates onto the simplex, against formulas for explicit coordinates."""

import numpy as np
import pytest
from scipy import stats
from sympy import Rational, exp

from catalog.sghmc import sghmc
from codegen.inputs.evaluate import Values
from codegen.inputs.preimages import map_values
from recipe import (
    Data,
    Posterior,
    Potential,
    Preimage,
    RecipeError,
    Scalar,
    Simplex,
    Vector,
    bind,
    total,
)
from recipe.declare.transformations.onto_simplex import log_volume, preimage_of_simplex
from recipe.declare.transformations.preimage import in_preimages
from recipe.language.abstract import Partial
from recipe.language.calculus import gradient
from recipe.language.total import Total, opened, relabel, sum_over
from recipe.laws import categorical, dirichlet, normal

P = Vector("p", domain=Simplex())
PHI = preimage_of_simplex("phi", P)


def by_hand(phi):
    """The probabilities, all K of them: the softmax of an orthonormal image of phi in the plane
    where K numbers have the sum 0.
    """
    count = len(phi) + 1
    basis = np.zeros((count, count - 1))  # Helmert's, turned so that it is symmetric
    for k in range(count - 1):
        basis[k, k] = 1
    basis[:-1] -= 1 / (count + np.sqrt(count))
    basis[-1] = -1 / np.sqrt(count)
    assert np.allclose(basis.T @ basis, np.eye(count - 1))
    weights = np.exp(basis @ phi)
    return weights / weights.sum()


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_the_map_is_the_softmax_of_orthonormal_coordinates(size):
    phi = np.random.default_rng(size).normal(size=(5, size)) * 2
    found = map_values(PHI.forward, phi, {})
    for row, at in zip(found, phi, strict=True):
        assert np.allclose(row, by_hand(at)[:-1], rtol=1e-12)
    assert np.allclose(map_values(PHI.inverse, found, {}), phi, rtol=1e-9)


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_the_volume_is_the_determinant_of_differences(size):
    rng, volume = np.random.default_rng(size), []
    for at in rng.normal(size=(3, size)):
        step = 1e-5 * np.eye(size)
        columns = [(by_hand(at + h)[:-1] - by_hand(at - h)[:-1]) / 2e-5 for h in step]
        exact = np.log(abs(np.linalg.det(np.array(columns))))
        volume.append(exact - value(log_volume(PHI), at))
    assert np.allclose(volume, np.log(size + 1) / 2, atol=1e-7)  # the constant that it leaves out


@pytest.mark.parametrize("size", [1, 2, 5])
def test_the_chain_rule_is_that_of_differences(size):
    """The gradient of U(f(phi)) for U = total(p^3) + total(p)^2, whose slope is put in."""
    at = np.random.default_rng(size).normal(size=size)

    def potential(phi):
        p = by_hand(phi)[:-1]
        return np.sum(p**3) + np.sum(p) ** 2

    abstract = gradient(Potential("U", P), PHI)
    bound = bind_gradient(abstract, 3 * P**2 + 2 * total(P))
    wanted = [(potential(at + h) - potential(at - h)) / 2e-6 for h in 1e-6 * np.eye(size)]
    assert np.allclose(value(bound, at), wanted, atol=1e-8)


def bind_gradient(e, slope):
    """The expression with a derivative by p, and p itself as a function of phi, put in."""

    def put(node):
        if isinstance(node, Partial):
            return relabel(slope, 0, node.wrt[0].label)
        if isinstance(node, Total):
            body, k = opened(node)
            return sum_over(put(body), k, node.index.length)
        return node.func(*map(put, node.args)) if node.args else node

    return in_preimages(put(e), (PHI,))


def value(e, at):
    found = Values({PHI: at[None, :]}).at(e)
    return found[0, 0]


def test_a_posterior_with_simplex_and_other_blocks_is_bound():
    mu, y = Scalar("mu"), Data("y")
    prior = dirichlet(P, 2) + normal(mu, 0, 1)
    bound = bind(sghmc, Posterior((mu, P), normal(y, mu, 1), prior, {y: [0.0]}))
    assert [b.image for b in bound.state] == [None, P, None, None]


@pytest.mark.parametrize("concentration", [1, 2, Rational(1, 2)])
def test_the_dirichlet_law_of_any_number_of_categories_is_a_prior(concentration):
    y = Data("y")
    given = Posterior(P, categorical(y, P), dirichlet(P, concentration), {y: [0, 1]})
    found = Values({P: np.array([[0.2, 0.5]])}).at(given.log_prior)
    wanted = stats.dirichlet([float(concentration)] * 3).logpdf([0.2, 0.5, 0.3])
    assert float(found[0, 0]) == pytest.approx(wanted)


def test_a_simplex_is_no_image_of_single_coordinates():
    with pytest.raises(RecipeError, match="simplex"):
        Preimage("phi", P, exp)
