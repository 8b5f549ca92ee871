"""Latent Dirichlet allocation as Patterson & Teh (2013) print it, and printed mistakes."""

from sympy import Interval, Symbol, exp, log, loggamma, oo

from recipe import LabelledPosterior, Labels, Scalar, Vector, total

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


w = Scalar("w", domain=Interval.open(0, oo))  # of a label; its share is w over the sum of all
y = members
OF_ROW = exp(total(y.row * log(theta / total(theta))))
OF_MEMBERS = y.data / y.batch * y.members
WEIGHTED_GRADIENT = {
    theta: (beta - 1) / theta
    - 1
    + y.data / y.batch * (y.summed / theta - total(y.summed) / total(theta)),
    w: (alpha - 1) / w - 1 + OF_MEMBERS / w,
}


def weighted(**changes):
    """A mixture of multinomials whose components have weights."""
    arguments = {
        "blocks": (theta, w),
        "labels": y,
        "log_joint": y.sum(y.count * log(w) + total(y.counts * log(theta / total(theta)))),
        "log_prior": LOG_PRIOR + (alpha - 1) * log(w) - w,
        "conditional": w * OF_ROW,
        "gradient": WEIGHTED_GRADIENT,
    }
    return LabelledPosterior(**arguments | changes)


def _of_w(e):
    return {"gradient": {**WEIGHTED_GRADIENT, w: e}}


PRIOR_OF_W = (alpha - 1) / w - 1
WEIGHTED_MISTAKES = {
    "the weights omitted": ({"conditional": OF_ROW}, "conditional"),
    "a square of the weight": ({"conditional": w**2 * OF_ROW}, "conditional"),
    "the prior in the draw": ({"conditional": (w + alpha) * OF_ROW}, "conditional"),
    "a weight for each item": ({"conditional": w**y.size * OF_ROW}, "conditional"),
    "N/n omitted": (_of_w(PRIOR_OF_W + y.members / w), "agrees-with-gradient"),
    "the count one more": (
        _of_w(PRIOR_OF_W + y.data / y.batch * (y.members + 1) / w),
        "agrees-with-gradient",
    ),
    "the count one less": (
        _of_w(PRIOR_OF_W + y.data / y.batch * (y.members - 1) / w),
        "agrees-with-gradient",
    ),
    "items in the place of data": (
        _of_w(PRIOR_OF_W + y.data / y.batch * total(y.summed) / w),
        "agrees-with-gradient",
    ),
    "the prior counted N/n times": (
        _of_w(y.data / y.batch * (PRIOR_OF_W + y.members / w)),
        "agrees-with-gradient",
    ),
    "the prior of the row for the weight": (
        _of_w((beta - 1) / w - 1 + OF_MEMBERS / w),
        "agrees-with-gradient",
    ),
}

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
