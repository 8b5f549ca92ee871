r"""Softmax regression: the species of 150 irises by four features.

    P(species c | x) = exp(eta_c) / (1 + exp(eta_1) + exp(eta_2)),    eta_c = a_c + x . beta_c
    a_c ~ N(0, 5^2),    beta_cj ~ N(0, 1)

Species 0 is the reference. Features are standardised.
"""

from catalog.posteriors.data import standardised, table
from recipe import Data, Posterior, Scalar, Vector, total
from recipe.laws import categorical_logit, normal

flowers = table("iris")

a1, a2 = Scalar("a1", prior=normal(0, 5)), Scalar("a2", prior=normal(0, 5))
beta1 = Vector("beta1", prior=normal(0, 1))
beta2 = Vector("beta2", like=beta1, prior=normal(0, 1))
x, y = Data("x", standardised(flowers[:, :-1]), like=beta1), Data("y", flowers[:, -1])
logits = [0, a1 + total(x * beta1), a2 + total(x * beta2)]
posterior = Posterior(log_likelihood=categorical_logit(y, logits))
