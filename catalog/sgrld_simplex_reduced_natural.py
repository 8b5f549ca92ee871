"""Stochastic gradient Riemannian Langevin dynamics on the simplex, coordinates "reduced natural":
log odds to the last category.

Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS, Table 1, second column: theta_k = log(pi_k / pi_K) for k < K, with the law of the
Dirichlet posterior for counts n and the prior alpha. n_K and alpha_K belong to the last
probability; one that was observed stands last, so that n_K > 0. Steps are those of Ma, Chen & Fox
(2015), half of theirs.
"""

from sympy import Expr, Matrix, Symbol, exp, log, sqrt

from recipe import Noise, Parameter, Recipe, Update, Vector, outer, total

epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta")
n = Parameter("n", like=theta, nonnegative=True)  # counts of all categories but the last
n_K = Parameter("n_K", positive=True)  # count of the last category
alpha = Parameter("alpha", like=theta, positive=True)  # Dirichlet prior of all but the last
alpha_K = Parameter("alpha_K", positive=True)  # Dirichlet prior of the last category

N = total(n) + n_K
Z = 1 + total(exp(theta))
pi, pi_K = exp(theta) / Z, 1 / Z

# The density of theta is Dirichlet's times the Jacobian pi_1 ... pi_K.
A = total(n + alpha) + n_K + alpha_K
H = -total((n + alpha) * theta) + A * log(Z)


def times_inverse_metric(v: Expr) -> Expr:
    """``G^-1 v``, with ``G^-1 = (diag(1/pi) + 1 1^T / pi_K) / N``."""
    return (v / pi + total(v) / pi_K) / N


# A root of diag(exp(-theta)) + 1 1^T: with s = total(exp(theta)) it is diag(exp(-theta/2)) + c
# outer(1, exp(theta/2)) where 2 c + c^2 s = 1.
c = 1 / (1 + sqrt(Z))
w = Noise("w", like=theta)
root_times_noise = sqrt(Z / N) * (exp(-theta / 2) * w + c * total(exp(theta / 2) * w))

gradient = n + alpha - A * pi
first_curvature_term = (1 / pi - 1 / pi_K) / N
second_curvature_term = (1 / pi - 1 / pi_K) / N

# A probability that reaches 0, as it does where n_k + alpha_k < 1, is a coordinate that reaches -oo
# in finite time: so whether the process explodes is no formality here.
sgrld_simplex_reduced_natural = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[Z / N * exp(-theta) + Z / N * outer(1, 1)]]),
    Q=Matrix([[0]]),
    require=["non-explosion"],
    where=[n + alpha >= 1, n_K + alpha_K >= 1],
    noise_factor=Matrix(
        [[sqrt(Z / N) * exp(-theta / 2) + sqrt(Z / N) * c * outer(1, exp(theta / 2))]]
    ),
    source=(
        "Patterson & Teh (2013), Stochastic gradient Riemannian Langevin dynamics on the"
        " probability simplex, NIPS"
    ),
    update=Update(
        step=epsilon,
        target=H,
        rule={
            theta: (
                theta
                + epsilon
                * (
                    times_inverse_metric(gradient)
                    - 2 * first_curvature_term
                    + second_curvature_term
                )
                + sqrt(2 * epsilon) * root_times_noise
            )
        },
    ),
)
