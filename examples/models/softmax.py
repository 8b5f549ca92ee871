r"""Softmax regression: the species of 150 irises by four features.

    P(species c | x) = exp(eta_c) / (1 + exp(eta_1) + exp(eta_2)),    eta_c = a_c + x . beta_c
    a_c ~ N(0, 5^2),    beta_cj ~ N(0, 1)

Species 0 is the reference. Features are standardised.
"""

from catalog.posteriors.data import standardised, table
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import categorical_logit, normal

flowers = table("iris")

a1, a2, beta1 = Scalar("a1"), Scalar("a2"), Vector("beta1")
beta2 = Vector("beta2", like=beta1)
x, y = Data("x", like=beta1), Data("y")
posterior = Posterior(
    (a1, a2, beta1, beta2),
    log_likelihood=categorical_logit(y, [0, a1 + total(x * beta1), a2 + total(x * beta2)]),
    log_prior=normal(a1, 0, 5)
    + normal(a2, 0, 5)
    + total(normal(beta1, 0, 1))
    + total(normal(beta2, 0, 1)),
    data={x: standardised(flowers[:, :-1]), y: flowers[:, -1]},
)
