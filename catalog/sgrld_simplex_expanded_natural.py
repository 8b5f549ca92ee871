"""Stochastic gradient Riemannian Langevin dynamics on the simplex, coordinates "expanded natural":
logs of K positive numbers.

Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS, Table 1, last column: pi = exp(theta) / total(exp(theta)), where exp(theta_k) has
the gamma law of shape alpha_k before the data, of which n_k are of category k; so pi has the law
Dirichlet(n + alpha). Steps are those of Ma, Chen & Fox (2015), half of theirs.
"""

from sympy import Matrix, Symbol, exp, log, sqrt

from recipe import Noise, Parameter, Recipe, Update, Vector, total

epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta")
n = Parameter("n", like=theta, nonnegative=True)  # counts of the categories
alpha = Parameter("alpha", like=theta, positive=True)  # parameters of the Dirichlet prior

pi = exp(theta) / total(exp(theta))
H = -total((n + alpha) * theta) + total(exp(theta)) + total(n) * log(total(exp(theta)))

gradient = n + alpha - total(n) * pi - exp(theta)
first_curvature_term = exp(-theta)
second_curvature_term = exp(-theta)
w = Noise("w", like=theta)

# Without data each exp(theta_k) is a square-root process, which reaches 0 where alpha_k < 1: then
# theta_k reaches -oo in finite time. So whether the process explodes is no formality here.
sgrld_simplex_expanded_natural = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[exp(-theta)]]),
    Q=Matrix([[0]]),
    require=["non-explosion"],
    where=[n + alpha >= 1, total(alpha) >= 1],
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
                * (exp(-theta) * gradient - 2 * first_curvature_term + second_curvature_term)
                + sqrt(2 * epsilon * exp(-theta)) * w
            )
        },
    ),
)
