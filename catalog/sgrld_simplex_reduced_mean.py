"""Stochastic gradient Riemannian Langevin dynamics on the simplex, coordinates "reduced mean": the
first K - 1 probabilities.

Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS, Table 1, first column: theta = (pi_1, ..., pi_(K-1)), whose law is the Dirichlet
posterior for counts n and the prior alpha. n_K and alpha_K belong to the last probability; one that
was observed stands last, so that n_K > 0. Steps are those of Ma, Chen & Fox (2015), half of theirs.
"""

from sympy import Expr, Matrix, Symbol, log, sqrt

from recipe import Noise, Parameter, Recipe, Simplex, Update, Vector, outer, total

source = (
    "Patterson & Teh (2013), Stochastic gradient Riemannian Langevin dynamics on the probability"
    " simplex, NIPS"
)
epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta", domain=Simplex())
n = Parameter("n", like=theta, nonnegative=True)  # counts of all categories but the last
n_K = Parameter("n_K", positive=True)  # count of the last category
alpha = Parameter("alpha", like=theta, positive=True)  # Dirichlet prior of all but the last
alpha_K = Parameter("alpha_K", positive=True)  # Dirichlet prior of the last category

K = theta.dim + 1
N = total(n) + n_K
pi_K = 1 - total(theta)
H = -total((n + alpha - 1) * log(theta)) - (n_K + alpha_K - 1) * log(pi_K)


def times_inverse_metric(v: Expr) -> Expr:
    """``G^-1 v``, with ``G^-1 = (diag(theta) - theta theta^T) / N``."""
    return theta * (v - total(theta * v)) / N


# diag(sqrt(theta)) - c theta sqrt(theta)^T is a root of diag(theta) - theta theta^T where 2 c - c^2
# total(theta) = 1: a draw takes one sum and a few products a coordinate.
c = 1 / (1 + sqrt(pi_K))
w = Noise("w", like=theta)
root_times_noise = (sqrt(theta) * w - c * theta * total(sqrt(theta) * w)) / sqrt(N)

gradient = (n + alpha - 1) / theta - (n_K + alpha_K - 1) / pi_K
printed_gradient = (n + alpha) / theta - (n_K + alpha_K - 1) / pi_K  # as Table 1 has it
first_curvature_term = (K * theta - 1) / N
second_curvature_term = (K * theta - 1) / N


def langevin(gradient: Expr) -> dict[Vector, Expr]:
    """The step of equation (4) with a given gradient of log p."""
    drift = times_inverse_metric(gradient) - 2 * first_curvature_term + second_curvature_term
    return {theta: theta + epsilon * drift + sqrt(2 * epsilon) * root_times_noise}


sgrld_simplex_reduced_mean = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[theta / N - outer(theta, theta) / N]]),
    Q=Matrix([[0]]),
    noise_factor=Matrix([[sqrt(theta / N) - c / sqrt(N) * outer(theta, sqrt(theta))]]),
    source=source,
    update=Update(step=epsilon, target=H, rule=langevin(gradient)),
)

sgrld_simplex_reduced_mean_as_printed = Update(
    step=epsilon,
    target=H,
    rule=langevin(printed_gradient),
    source=source + ", Table 1",
    expect="refuted",
)
