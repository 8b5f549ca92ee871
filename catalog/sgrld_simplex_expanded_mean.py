"""Stochastic gradient Riemannian Langevin dynamics on the simplex, coordinates "expanded mean": K
unnormalised probabilities.

Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS, Table 1, third column: pi = theta / total(theta), where theta_k > 0 has the gamma
law of shape alpha_k before the data, of which n_k are of category k; so pi has the law Dirichlet(n
+ alpha). Steps are those of Ma, Chen & Fox (2015), half of theirs. Patterson & Teh take the
absolute value of what an Euler step gives: ``sgrld_simplex_expanded_mean_reflected``.
"""

from sympy import Interval, Matrix, Symbol, log, oo, sqrt

from recipe import Noise, Parameter, Recipe, Update, Vector, mirror, total

epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta", domain=Interval.open(0, oo))
n = Parameter("n", like=theta, nonnegative=True)  # counts of the categories
alpha = Parameter("alpha", like=theta, positive=True)  # parameters of the Dirichlet prior

# -log of the gamma law of theta, and of the probability of the counts, which is a product of powers
# of theta / total(theta).
H = -total((n + alpha - 1) * log(theta)) + total(theta) + total(n) * log(total(theta))

gradient = (n + alpha - 1) / theta - total(n) / total(theta) - 1
first_curvature_term = -1
second_curvature_term = -1
w = Noise("w", like=theta)

sgrld_simplex_expanded_mean = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[theta]]),
    Q=Matrix([[0]]),
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
                + epsilon * (theta * gradient - 2 * first_curvature_term + second_curvature_term)
                + sqrt(2 * epsilon * theta) * w
            )
        },
    ),
)

# Where n_k + alpha_k < 1 the diffusion reaches 0 and turns back by itself; a step of it overshoots,
# and is reflected.
sgrld_simplex_expanded_mean_reflected = mirror(sgrld_simplex_expanded_mean, theta)
