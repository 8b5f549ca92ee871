"""Laws by name: the log density of each, as an expression for a ``Posterior``.

Names and arguments are those of the common libraries. Each function returns a ``LogDensity`` with
all normalising constants. The support of a law is checked: that of a block against its domain when
the law is written, and that of data when a run reads them.

Example:
    >>> from sympy import Interval, oo
    >>> from recipe import Data, Posterior, Scalar
    >>> from recipe.laws import bernoulli_logit, normal
    >>> a, b, x, y = Scalar("a"), Scalar("b"), Data("x"), Data("y")
    >>> model = Posterior(
    ...     (a, b),
    ...     log_likelihood=bernoulli_logit(y, a + b * x),
    ...     log_prior=normal(a, 0, 2) + normal(b, 0, 1),
    ...     data={x: [0.5, -1.0], y: [1, 0]},
    ... )
"""

from recipe.laws.bounded import beta, dirichlet, uniform
from recipe.laws.counts import (
    binomial,
    binomial_logit,
    negative_binomial,
    negative_binomial_log,
    poisson,
    poisson_log,
)
from recipe.laws.labels import (
    bernoulli,
    bernoulli_logit,
    categorical,
    categorical_logit,
    ordered_logistic,
)
from recipe.laws.mixture import mixture
from recipe.laws.positive import (
    exponential,
    gamma,
    half_cauchy,
    half_normal,
    half_student_t,
    inverse_gamma,
    log_normal,
    weibull,
)
from recipe.laws.real import cauchy, laplace, logistic, normal, student_t

__all__ = [
    "bernoulli",
    "bernoulli_logit",
    "beta",
    "binomial",
    "binomial_logit",
    "categorical",
    "categorical_logit",
    "cauchy",
    "dirichlet",
    "exponential",
    "gamma",
    "half_cauchy",
    "half_normal",
    "half_student_t",
    "inverse_gamma",
    "laplace",
    "log_normal",
    "logistic",
    "mixture",
    "negative_binomial",
    "negative_binomial_log",
    "normal",
    "ordered_logistic",
    "poisson",
    "poisson_log",
    "student_t",
    "uniform",
    "weibull",
]
