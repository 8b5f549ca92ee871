r"""Failure rates of ten pumps: independent gamma laws on theta > 0, known exactly.

Gaver & O'Muircheartaigh (1987), "Robust empirical Bayes analyses of event rates", Technometrics
29(1), with a gamma prior of shape 1.8 and rate 0.9; pump i failed failures[i] times in times[i]
thousand hours, so that theta_i has the posterior mean (1.8 + failures) / (0.9 + times). Langevin
dynamics that never leave the domain:

    recipe sample corv_sgld --posterior pumps --step-size 0.01 --steps 200000 \
        --thin 10 --chains 4 --seed 1
"""

import numpy as np
from sympy import Interval, Rational, log, oo

from recipe import Data, Posterior, Vector, total

failures = np.array([5, 1, 5, 14, 3, 19, 1, 1, 4, 22])
times = np.array([94.3, 15.7, 62.9, 126.0, 5.24, 31.4, 1.05, 1.05, 2.1, 10.5])

theta = Vector("theta", domain=Interval.open(0, oo))
pump = Data("pump", like=theta)  # one where the pump is, zero elsewhere
count, hours = Data("count"), Data("hours")

posterior = Posterior(
    theta,
    log_likelihood=count * total(pump * log(theta)) - hours * total(pump * theta),
    log_prior=total(Rational(4, 5) * log(theta) - Rational(9, 10) * theta),
    data={pump: np.eye(10), count: failures, hours: times},
)
