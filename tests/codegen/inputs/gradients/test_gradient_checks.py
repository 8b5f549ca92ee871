"""What a gradient of one's own must be: wrong ones are refused with the reason, and right ones are
not, in single precision, with kinks and with large cancelled sums.
"""

import re
import warnings

import numpy as np
import pytest
from numba import njit
from sympy import Matrix

from codegen import BiasWarning, sample
from codegen.inputs.gradients.checks import require_estimate, require_gradient, require_prior_once
from codegen.inputs.gradients.user_gradient import check_numba_gradient
from recipe import Data, Posterior, Potential, Recipe, RecipeError, Scalar, Vector, dot, total
from recipe.laws import normal

theta, eta = Vector("theta"), Vector("eta")
U = Potential("U", theta)
ONE = Recipe(theta, U, Matrix([[1]]), Matrix([[0]]), name="one")
rng = np.random.default_rng(0)
N, SD = 400, 0.5
FEATURES = rng.normal(size=(N, 3))
LABELS = FEATURES @ [0.3, -0.6, 0.9] + rng.normal(size=N)
x, y = Data("x", like=theta), Data("y")
LIKELIHOOD = normal(y, total(x * theta), 1)
OPTIONS = {"steps": 400, "warmup": 100, "step_size": 1e-3, "chains": 2, "progress": False}


def of_rows(theta, rows, x, y):
    return x[rows].T @ (x[rows] @ theta - y[rows])


def of_likelihood(theta, rows, x, y):
    return N / rows.size * of_rows(theta, rows, x, y)


def right(theta, rows, x, y):
    return of_likelihood(theta, rows, x, y) + theta / SD**2


def of_a_mean(theta, rows, x, y):
    return right(theta, rows, x, y) / N


def without_scale(theta, rows, x, y):
    return of_rows(theta, rows, x, y) + theta / SD**2


def with_scaled_prior(theta, rows, x, y):
    return of_likelihood(theta, rows, x, y) + N / rows.size * theta / SD**2


def with_two_priors(theta, rows, x, y):
    return right(theta, rows, x, y) + theta / SD**2


def in_single_precision(theta, rows, x, y):
    theta, x, y = (a.astype(np.float32) for a in (theta, x, y))
    return right(theta, rows, x, y)


def run(gradient, likelihood=None, prior=None, **options):
    posterior = Posterior(theta, likelihood, prior, {x: FEATURES, y: LABELS}, gradient=gradient)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BiasWarning)
        return sample(ONE, posterior, **{**OPTIONS, **options})


# -- the prior
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("blocks", "prior", "said"),
    [
        (theta, total(-(theta**2)), "log_prior=-total(theta**2) would be counted nowhere"),
        (Vector("theta", prior=normal(0, 1)), None, "the prior normal(0, 1) of theta would be cou"),
    ],
)
def test_a_prior_that_nothing_would_use_is_refused(blocks, prior, said):
    with pytest.raises(RecipeError, match=re.escape(said)) as refused:
        Posterior(blocks, None, prior, {y: [1.0]}, gradient=right)
    assert "once and not times N/n" in str(refused.value)


def test_without_a_likelihood_the_gradient_is_of_all_of_u():
    left_out = Posterior(theta, data={y: [1.0]}, gradient=right)
    assert (
        left_out.log_prior == Posterior(theta, None, 0, {y: [1.0]}, gradient=right).log_prior == 0
    )


@pytest.mark.parametrize(
    ("times", "said"), [(0, "lacks the prior: it differs"), (2, "has the prior twice")]
)
def test_a_prior_that_is_small_beside_the_data_is_missed(times, said):
    """Its gradient is 1e-4 of that of U, where single precision passes."""

    def wrong(theta, rows, x, y):
        return of_likelihood(theta, rows, x, y) + times * theta / 9

    with pytest.raises(RecipeError, match=said):
        run(wrong, LIKELIHOOD, total(normal(theta, 0, 3)))


def test_a_difference_that_is_not_the_prior_is_something_else():
    prior, slope = [np.array([1.0, 2.0])], [np.array([50.0, 60.0])]
    require_prior_once([np.array([1.0, -2.0])], prior, slope)
    require_prior_once([np.zeros(2)], prior, slope)
    require_prior_once([np.zeros(2)], [np.zeros(2)], slope)
    with pytest.raises(RecipeError, match="lacks the prior"):
        require_prior_once([-prior[0]], prior, slope)


# -- N/n
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gradient", [without_scale, with_scaled_prior])
def test_a_scale_that_is_wrong_is_refused_before_a_run_with_minibatches(gradient):
    with pytest.raises(RecipeError, match=r"by N/n, with n = rows\.size and N the number of all"):
        run(gradient, batch_size=20)


def test_with_all_of_the_data_there_is_nothing_to_scale():
    assert not run(without_scale).divergences


def test_a_missing_scale_is_seen_at_the_mode():
    at_mode = np.linalg.solve(FEATURES.T @ FEATURES, FEATURES.T @ LABELS)
    with pytest.raises(RecipeError, match="unbiased"):
        require_estimate(
            lambda rows: [of_rows(at_mode, rows, FEATURES, LABELS)], np.arange(0, N, 8)
        )


@pytest.mark.parametrize("offset", [0.0, 3000.0])
def test_sums_that_cancel_in_single_precision_pass(offset):
    moved = (FEATURES + offset).astype(np.float32)
    require_estimate(
        lambda rows: [N / rows.size * of_rows(np.ones(3, np.float32), rows, moved, LABELS)],
        np.arange(50),
    )


# -- a mean in the place of a sum
# --------------------------------------------------------------------------------------------------


def suspected(draws):
    return [w for w in draws.warnings if "looks like that of U/N" in w]


@njit
def of_a_mean_by_numba(theta, rows, x, y, g):
    g[:] = theta / SD**2 / x.shape[0]
    for row in rows:
        g += (np.sum(x[row] * theta) - y[row]) * x[row] / rows.size


@pytest.mark.parametrize("options", [{}, {"batch_size": 50}])
@pytest.mark.parametrize(
    "gradient", [of_a_mean, pytest.param(of_a_mean_by_numba, marks=pytest.mark.slow)]
)
def test_the_gradient_of_a_mean_is_suspected(gradient, options):
    (said,) = suspected(run(gradient, step_size=0.3, **options))
    assert "multiply the mean of the loss by N" in said
    found = float(re.search(r"is (\S+) times its curvature", said)[1])
    assert 0.5 < found < 2


@pytest.mark.parametrize("gradient", [right, without_scale, in_single_precision])
def test_no_other_gradient_is(gradient):
    assert not suspected(run(gradient))


# -- no gradient at all
# --------------------------------------------------------------------------------------------------


CURVED = np.array([[2.0, 0.9], [0.9, 1.0]])
NO_GRADIENT = {
    "a rotation": lambda t: [t[0] + 0.9 * t[1], t[1] - 0.9 * t[0]],
    "a scale": lambda t: np.diag([2.0, 1.0]) @ CURVED @ t,
    "clipped": lambda t: CURVED @ t / np.linalg.norm(CURVED @ t),
}


def shifted(matrix, kind=np.float64):
    """A correct gradient, of a quadratic far from its mode."""
    return lambda t: (matrix.astype(kind) @ (t - 3).astype(kind)).astype(np.float64)


@pytest.mark.parametrize("name", NO_GRADIENT)
def test_what_is_no_gradient_is_refused(name):
    with pytest.raises(RecipeError, match="by theta is the gradient of nothing: its matrix of der"):
        sample(
            ONE, gradient=lambda t: np.asarray(NO_GRADIENT[name](t)), initial={"theta": [1.0, 2.0]},
            **OPTIONS,
        )  # fmt: skip


@njit
def rotated_by_numba(g, theta):
    g[0], g[1] = theta[0] + 0.9 * theta[1], theta[1] - 0.9 * theta[0]


@njit
def added_by_numba(g, theta):
    g += theta


@njit
def changing_by_numba(g, theta):
    theta *= 2
    g[:] = theta


@njit
def failing_by_numba(g, theta):
    if theta[0] > 0:
        raise ValueError("no luck")
    g[:] = theta


@pytest.mark.parametrize(
    ("gradient", "said"),
    [
        (rotated_by_numba, "by theta is the gradient of nothing"),
        (added_by_numba, "does not write a finite number into every coordinate"),
        (changing_by_numba, "may write into its first ones only"),
        (failing_by_numba, "fails: ValueError: no luck"),
    ],
)
def test_what_numba_computes_without_data_is_looked_at(gradient, said):
    with pytest.raises(RecipeError, match=said):
        sample(ONE, gradient=gradient, initial={"theta": [1.0, 2.0]}, **OPTIONS)


def test_a_right_gradient_of_numba_in_two_blocks_passes():
    @njit
    def right(g_mu, g_s, mu, s):
        g_mu[:] = mu - s[0]
        g_s[0] = s[0] - np.sum(mu - s[0])

    at = [np.array([0.1, 0.2]), np.array([0.5])]
    check_numba_gradient(right, (MU, S), at)

    @njit
    def wrong(g_mu, g_s, mu, s):
        g_mu[:] = mu - s[0]
        g_s[0] = s[0] + np.sum(mu - s[0])

    with pytest.raises(RecipeError, match="by mu and by s are not"):
        check_numba_gradient(wrong, (MU, S), at)


MU, TAU, S = Vector("mu"), Vector("tau"), Scalar("s")


@pytest.mark.parametrize(
    ("function", "wrong"),
    [
        (lambda m, t, s: [3 * m + t, t + m, s], ()),
        (lambda m, t, s: [t + m, 3 * m + t, s], ("mu", "tau")),
        (lambda m, t, s: [3 * m + s, t, s], ("mu", "s")),
        (lambda m, t, s: [3 * m, t + 2 * s, np.sum(t) + s], ("tau", "s")),
    ],
)
def test_the_pair_of_blocks_is_named(function, wrong):
    at = [np.array([0.1, 0.2, 0.3]), np.array([0.3, 0.1, -0.1]), np.array([0.5])]
    if not wrong:
        require_gradient(lambda arrays: function(*arrays), (MU, TAU, S), at)
        return
    one, other = wrong
    with pytest.raises(RecipeError, match=f"gradients of your own by {one} and by {other} are not"):
        require_gradient(lambda arrays: function(*arrays), (MU, TAU, S), at)


@pytest.mark.parametrize("d", [3, 5, 10, 20])
def test_a_preconditioned_gradient_is_refused(d):
    """For ten seeds; the same one without its scales passes, in single precision as well."""
    for seed in range(10):
        chosen = np.random.default_rng(seed)
        root = chosen.normal(size=(d, d))
        matrix, at = root @ root.T / d + np.eye(d), [chosen.normal(size=d)]
        for kind in (np.float64, np.float32):
            right = shifted(matrix, kind)
            require_gradient(lambda a, f=right: [f(a[0])], (theta,), at)
            scales = np.linspace(1, 3, d)
            with pytest.raises(RecipeError, match="is the gradient of nothing"):
                require_gradient(lambda a, f=right, s=scales: [s * f(a[0])], (theta,), at)


@pytest.mark.parametrize("seed", [*range(8), 37])  # of 37 the kinks once looked like a fault
@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("smooth", [True, False])
def test_gradients_of_networks_pass(seed, kind, smooth):
    """Two hidden layers, by hand, with kinks or without, some of whose units are dead."""
    chosen = np.random.default_rng(seed)
    points = chosen.normal(size=(40, 3)).astype(kind)
    aims = chosen.normal(size=40).astype(kind)

    def gradient(arrays):
        one, two, out = (
            a.astype(kind).reshape(shape)
            for a, shape in zip(arrays, [(3, 9), (9, 9), (9,)], strict=True)
        )
        before = points @ one
        first = np.tanh(before) if smooth else np.maximum(before, 0)
        middle = first @ two
        second = np.tanh(middle) if smooth else np.maximum(middle, 0)
        error = second @ out - aims
        back = np.outer(error, out) * (1 - second**2 if smooth else middle > 0)
        slope = (back @ two.T) * (1 - first**2 if smooth else before > 0)
        return [
            (g * kind(1000)).ravel().astype(np.float64)
            for g in (points.T @ slope, first.T @ back, second.T @ error)
        ]

    blocks = [Vector(name) for name in ("one", "two", "out")]
    at = [chosen.normal(size=n) for n in (27, 81, 9)]
    require_gradient(gradient, blocks, at)

    def swapped(arrays):
        one, two, out = gradient([*arrays])
        return [one, two[::-1], out]

    with pytest.raises(RecipeError):
        require_gradient(swapped, blocks, at)


@pytest.mark.parametrize("place", [0.0, 1e3, 1e6])
def test_far_from_the_origin_rounding_is_no_asymmetry(place):
    single = shifted(CURVED * 1e6, np.float32)
    at = [np.array([place, 2 * place + 0.1])]
    require_gradient(lambda arrays: [single(arrays[0])], (theta,), at)


def test_half_precision_is_a_warning():
    def rough(theta):
        return (CURVED @ theta).astype(np.float16)

    draws = sample(ONE, gradient=rough, initial={"theta": [0.1, 0.1]}, **OPTIONS)
    assert any("is in float16, of 3 digits" in w for w in draws.warnings)


# -- arguments in the words of another library
# --------------------------------------------------------------------------------------------------


class Key:
    """Stands for ``jax.random.PRNGKey(0)``."""

    shape, dtype = (2,), np.dtype(np.uint32)


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"seed": Key()}, "a key of JAX is no seed; give a whole number, such as seed=0"),
        ({"seed": 0.5}, "seed=0.5 must be a whole number"),
        ({"lengths": {"theta": (3, 4)}}, "give the number of its coordinates, 12; a gradient of"),
        ({"initial": {"theta": {"w": [1.0]}}}, "ravel_pytree(parameters)[0]"),
        ({"step_size": "auto"}, "needs the log likelihood, from which the bias is known before"),
        ({"check": True}, "check=True is no function; it is called with the module before that is"),
    ],
)
def test_arguments_of_other_libraries_are_one_sentence(argument, said):
    with pytest.raises(RecipeError, match=re.escape(said)):
        sample(ONE, gradient=lambda theta: theta, **{**OPTIONS, **argument})


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (theta.sum, "theta.sum() is about arrays, and a block stands for one of its co"),
        (lambda: np.sum(theta), "write total(theta)"),
        (lambda: x.dot(theta), "write the product x @ theta as total(x * theta)"),
        (lambda: x.T, "x.T is about arrays"),
        (lambda: dot(x, theta), "the sum of the products of two vectors is total(x * theta)"),
    ],
)
def test_methods_of_arrays_are_said(call, said):
    with pytest.raises(RecipeError, match=re.escape(said)):
        call()
    assert not hasattr(theta, "T")
