r"""A dose-response curve: how many of five animals at each of four doses died.

    k_n ~ Binomial(5, 1 / (1 + exp(-(a + b x_n)))),    a ~ N(0, 2^2),    b ~ N(0, 10^2)

x is the logarithm of the dose in g/ml. Data: Racine, Grieve, Fluehler & Smith (1986), "Bayesian
methods in practice: experiences in the pharmaceutical industry", Applied Statistics 35.

    recipe sample sghmc --posterior bioassay --step-size 0.05 --param C=1 \
        --steps 100000 --warmup 2000 --thin 10 --chains 4 --seed 1
"""

from sympy import exp, log

from recipe import Data, Posterior, Scalar

a, b, dose, deaths = Scalar("a"), Scalar("b"), Data("dose"), Data("deaths")
posterior = Posterior(
    blocks=(a, b),
    log_likelihood=deaths * (a + b * dose) - 5 * log(1 + exp(a + b * dose)),
    log_prior=-(a**2) / 8 - b**2 / 200,
    data={dose: [-0.86, -0.30, -0.05, 0.73], deaths: [0, 1, 3, 5]},
)
