"""Maps onto the domains that occur, for ``ito``, ``corv`` and ``Preimage``.

From the real line onto a half line: ``exp``, ``softplus`` and ``integrated_log_log``, onto (0, oo).
From the real line onto an interval: ``sigmoid`` and ``complementary_log_log``, onto (0, 1);
``tanh``, ``arctan`` and ``softsign``, onto (-1, 1). From (0, 1) onto the real line: ``log_odds``.

Derivatives are derived, and the verifier proves that each map is a bijection.
"""

from __future__ import annotations

import sympy
from sympy import Abs, Interval, Lambda, S, pi, tan

from recipe.declare.transformations.map import PHI, THETA, Map
from recipe.language.phi import Ein

exp = Map("exp", Lambda(PHI, sympy.exp(PHI)), Lambda(THETA, sympy.log(THETA)), S.Reals)
softplus = Map(
    "softplus",
    Lambda(PHI, sympy.log(1 + sympy.exp(PHI))),
    Lambda(THETA, sympy.log(sympy.exp(THETA) - 1)),
    S.Reals,
)
# gamma + phi + E1(exp(phi)), the integral of the complementary log-log 1 - exp(-exp(phi)), which is
# its derivative. Yokoi, Otsuka & Sato (2020) have a third map onto (0, oo), "ICLL", and do not
# define it: this one is a candidate, which has the name and the properties, and may be another one.
integrated_log_log = Map("integrated_log_log", Lambda(PHI, Ein(sympy.exp(PHI))), None, S.Reals)
sigmoid = Map(
    "sigmoid",
    Lambda(PHI, 1 / (1 + sympy.exp(-PHI))),
    Lambda(THETA, sympy.log(THETA / (1 - THETA))),
    S.Reals,
)
arctan = Map(
    "arctan", Lambda(PHI, 2 * sympy.atan(PHI) / pi), Lambda(THETA, tan(pi * THETA / 2)), S.Reals
)
softsign = Map(
    "softsign", Lambda(PHI, PHI / (1 + Abs(PHI))), Lambda(THETA, THETA / (1 - Abs(THETA))), S.Reals
)
tanh = Map(
    "tanh",
    Lambda(PHI, sympy.tanh(PHI)),
    Lambda(THETA, sympy.log((1 + THETA) / (1 - THETA)) / 2),
    S.Reals,
)
log_odds = Map(
    "log_odds",
    Lambda(PHI, sympy.log(PHI / (1 - PHI))),
    Lambda(THETA, 1 / (1 + sympy.exp(-THETA))),
    Interval.open(0, 1),
)
# Lipschitz, and yet its CoRV drift is not: (log f')'' = -exp(phi).
complementary_log_log = Map(
    "complementary_log_log",
    Lambda(PHI, 1 - sympy.exp(-sympy.exp(PHI))),
    Lambda(THETA, sympy.log(-sympy.log(1 - THETA))),
    S.Reals,
)
