"""Latent Dirichlet allocation as Patterson & Teh (2013) print it, and printed mistakes."""

from sympy import Interval, Symbol, log, loggamma, oo

from recipe import LabelledPosterior, Labels, Vector, total

theta = Vector("theta", domain=Interval.open(0, oo))
alpha, beta = Symbol("alpha", positive=True), Symbol("beta", positive=True)
z = Labels("z", like=theta)

LOG_JOINT = (
    loggamma(z.labels * alpha)
    - loggamma(z.labels * alpha + z.size)
    + z.sum(
        loggamma(alpha + z.count) - loggamma(alpha) + total(z.counts * log(theta / total(theta)))
    )
)
LOG_PRIOR = total((beta - 1) * log(theta) - theta)
PI = theta[z.item] / total(theta)
CONDITIONAL = (alpha + z.others) * PI
S = z.summed
GRADIENT = (beta - 1) / theta - 1 + z.data / z.batch * (S / theta - total(S) / total(theta))


def topics(**changes):
    """The model, with other arguments where they are given."""
    arguments = {
        "blocks": theta,
        "labels": z,
        "log_joint": LOG_JOINT,
        "log_prior": LOG_PRIOR,
        "conditional": CONDITIONAL,
        "gradient": GRADIENT,
    }
    return LabelledPosterior(**arguments | changes)


members = Labels("y", like=theta, each="datum")


def mixture(**changes):
    """A mixture of multinomials, one label a datum."""
    arguments = {
        "blocks": theta,
        "labels": members,
        "log_joint": members.sum(total(members.counts * log(theta / total(theta)))),
        "log_prior": LOG_PRIOR,
    }
    return LabelledPosterior(**arguments | changes)


# What is printed wrong, and the obligation that it breaks.
MISTAKES = {
    "a count that is not decremented": ({"conditional": (alpha + z.count) * PI}, "conditional"),
    "alpha and beta exchanged in the draw": (
        {"conditional": (beta + z.others) * PI},
        "conditional",
    ),
    "theta that is not divided by its sum": (
        {"conditional": (alpha + z.others) * theta[z.item]},
        "conditional",
    ),
    "a count without the prior": ({"conditional": z.others * PI}, "conditional"),
    "one more than the count": ({"conditional": (alpha + z.others + 1) * PI}, "conditional"),
    "N/n omitted": (
        {"gradient": (beta - 1) / theta - 1 + S / theta - total(S) / total(theta)},
        "agrees-with-gradient",
    ),
    "N/n omitted in the sum of the row": (
        {
            "gradient": (beta - 1) / theta
            - 1
            + z.data / z.batch * S / theta
            - total(S) / total(theta)
        },
        "agrees-with-gradient",
    ),
    "alpha and beta exchanged in the prior": (
        {
            "gradient": (alpha - 1) / theta
            - 1
            + z.data / z.batch * (S / theta - total(S) / total(theta))
        },
        "agrees-with-gradient",
    ),
    "the sum of the row forgotten": (
        {"gradient": (beta - 1) / theta - 1 + z.data / z.batch * S / theta},
        "agrees-with-gradient",
    ),
}
