"""Samplers written by hand in plain numpy, with a knob for every way to get them wrong; nothing of
this project is imported.

A knob is a number beside a coefficient, 1 where the sampler is right. All take and return many
chains at once, a row each.
"""

from collections import defaultdict

import numpy as np

MEAN = np.array([1.0, -0.5, 2.0])
SCALE = np.array(
    [[1.5, 0.6, -0.3], [0.6, 0.8, 0.2], [-0.3, 0.2, 2.5]]
)  # correlated, and no two scales are alike
PRECISION = np.linalg.inv(SCALE)
FREEDOM = 3.0


def heavy(theta):
    """The gradient of minus the log density of Student's law with 3 degrees of freedom, plus a
    slope: asymmetric about 0.
    """
    x = theta - MEAN
    y = x @ PRECISION
    return (FREEDOM + 3) * y / (FREEDOM + (x * y).sum(axis=-1, keepdims=True)) + 0.4


def quartic(theta):
    """That of ``theta^4/4 + theta^3/3 + theta^2/20 - 2 theta`` a coordinate: skewed."""
    return theta**3 + theta**2 + 0.1 * theta - 2


def knobs(wrong):
    return defaultdict(lambda: 1.0, wrong or {})


def sgld(h, gradient=heavy, wrong=None):
    k = knobs(wrong)

    def step(state, rng):
        theta = state["theta"]
        return {
            "theta": theta
            - k["drift"] * h * gradient(theta)
            + k["noise"] * np.sqrt(2 * h) * rng.standard_normal(theta.shape)
        }

    return step


def sghmc(h, C, gradient=heavy, wrong=None):
    """Euler: positions and momenta from the same old state."""
    k = knobs(wrong)

    def step(state, rng):
        theta, r = state["theta"], state["r"]
        w = np.sqrt(2 * C * h) * rng.standard_normal(r.shape)
        return {
            "theta": k["identity"] * theta + k["move"] * h * r,
            "r": r - k["force"] * h * gradient(theta) - k["friction"] * h * C * r + k["noise"] * w,
        }

    return step


def sgnht(h, A, gradient=heavy, wrong=None):
    k = knobs(wrong)

    def step(state, rng):
        theta, r, xi = state["theta"], state["r"], state["xi"]
        noise = k["noise"] * np.sqrt(2 * A * h) * rng.standard_normal(r.shape)
        r = r - k["friction"] * h * xi * r - k["force"] * h * gradient(theta) + noise
        xi = xi + k["thermostat"] * h * ((r**2).mean(axis=1, keepdims=True) - k["temperature"])
        return {"theta": theta + k["move"] * h * r, "r": r, "xi": xi}

    return step


def obabo(h, C, gradient=heavy, wrong=None):
    k = knobs(wrong)
    c = np.exp(-k["decay"] * C * h / 2)
    s = k["noise"] * np.sqrt(1 - np.exp(-C * h))

    def step(state, rng):
        theta, r = state["theta"], state["r"]
        r = c * r + s * rng.standard_normal(r.shape)
        r = r - k["first half"] * h / 2 * gradient(theta)
        theta = theta + k["move"] * h * r
        r = r - k["second half"] * h / 2 * gradient(theta)
        return {"theta": theta, "r": c * r + k["second noise"] * s * rng.standard_normal(r.shape)}

    return step


def baoab(h, C, gradient=heavy, wrong=None):
    k = knobs(wrong)
    c, s = np.exp(-k["decay"] * C * h), k["noise"] * np.sqrt(1 - np.exp(-2 * C * h))

    def step(state, rng):
        theta, r = state["theta"], state["r"]
        r = r - k["first half"] * h / 2 * gradient(theta)
        theta = theta + h / 2 * r
        r = c * r + s * rng.standard_normal(r.shape)
        theta = theta + k["second move"] * h / 2 * r
        return {"theta": theta, "r": r - k["second half"] * h / 2 * gradient(theta)}

    return step


def sgrhmc(h, gradient=heavy, wrong=None):
    """The metric ``1 + 1/(1 + theta^2)``; ``gamma`` is the knob of the correction: 0 drops it, -1
    turns its sign.
    """
    k = knobs(wrong)

    def step(state, rng):
        theta, r = state["theta"], state["r"]
        G = 1 + 1 / (1 + theta**2)
        gamma = theta / ((1 + theta**2) ** 2 * G**1.5)  # the derivative of G^(-1/2)
        noise = k["noise"] * np.sqrt(2 * h / G) * rng.standard_normal(r.shape)
        force = k["force"] * gradient(theta) / np.sqrt(G)
        return {
            "theta": theta + k["move"] * h * r / np.sqrt(G),
            "r": r - h * force + k["gamma"] * h * gamma - k["friction"] * h * r / G + noise,
        }

    return step


def scir(h, a, wrong=None):
    k = knobs(wrong)

    def step(state, rng):
        theta = state["theta"]
        scale = (1 - np.exp(-h)) / 2
        nonc = k["memory"] * theta * np.exp(-h) / scale
        return {"theta": k["scale"] * scale * rng.noncentral_chisquare(2 * k["shape"] * a, nonc)}

    return step


def refreshed_euler(h, C, gradient=heavy, wrong=None):
    """The momentum is redrawn, and then one Euler step."""
    k, euler = knobs(wrong), sghmc(h, C, gradient)

    def step(state, rng):
        return euler(
            {"theta": state["theta"], "r": k["refresh"] * rng.standard_normal(state["r"].shape)},
            rng,
        )

    return step


def mirrored(h, gradient, lower=0.0, upper=np.inf, wrong=None):
    """Langevin dynamics by Euler, reflected at the ends of an interval as often as it takes."""
    k, free = knobs(wrong), sgld(h, gradient, wrong)

    def step(state, rng):
        x = free(state, rng)["theta"]
        while ((x < lower) | (x > upper)).any():
            x = np.where(x < lower, k["fold"] * (2 * lower - x), x)
            x = np.where(x > upper, 2 * upper - x, x)
        return {"theta": x}

    return step
