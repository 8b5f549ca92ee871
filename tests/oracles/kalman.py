"""The filter and smoother of Kalman, Rauch, Tung and Striebel for one state, a time at a time."""

import numpy as np


def smoothed(y, rho, q, r):
    """Means and variances of the states given all values, and the log likelihood of these.

    The model is ``y_t ~ N(q x_t, r^2)``, ``x_0 ~ N(0, 1)``, ``x_t ~ N(rho x_(t-1), 1)``; rho and
    q may be arrays of one shape, and a result has an axis of the times before theirs.
    """
    shape = np.shape(rho)
    ahead, variance, likelihood = np.zeros(shape), np.ones(shape), np.zeros(shape)
    filtered, predicted = [], []
    for value in y:
        predicted.append((ahead, variance))
        spread = q**2 * variance + r**2
        miss = value - q * ahead
        likelihood = likelihood - miss**2 / spread / 2 - np.log(2 * np.pi * spread) / 2
        gain = q * variance / spread
        mean, left = ahead + gain * miss, variance - gain * q * variance
        filtered.append((mean, left))
        ahead, variance = rho * mean, rho**2 * left + 1
    means, variances = [filtered[-1][0]], [filtered[-1][1]]
    for (mean, left), (ahead, variance) in zip(filtered[-2::-1], predicted[:0:-1], strict=True):
        back = rho * left / variance
        means.insert(0, mean + back * (means[0] - ahead))
        variances.insert(0, left + back**2 * (variances[0] - variance))
    return np.array(means), np.array(variances), likelihood
