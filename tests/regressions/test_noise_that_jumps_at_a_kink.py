"""Found on 21 November 2026: a rule whose noise jumps at the kink of its own coordinate was
*proved* to leave its law stationary.
"""

import mpmath
import pytest
import sympy
from helpers.outcomes import outcome_of
from sympy import Abs, Interval, Matrix, Symbol, sign, sqrt

from recipe import (
    Noise,
    Preimage,
    Scalar,
    Update,
    maps,
)
from recipe.language.calculus import partial
from verify import Verdict, verify

PROVED, REFUTED, UNDECIDED = Verdict
AROUND = Interval.open(-1, 1)
C, eps = Symbol("C", positive=True), Symbol("epsilon", positive=True)


NOISE = {
    # H = (y^2 + z^2)/2 and no current; the noise of y, of both together, or of z alone is another
    # on both sides of y = 0
    "its own": (lambda y, z: (1 + sign(y) / 2, 0, 1), UNDECIDED),
    "crossed": (lambda y, z: (1, sign(y) / 2, sqrt(3) / 2), UNDECIDED),
    "of another": (lambda y, z: (1, 0, 1 + sign(y) / 2), PROVED),
    "where it vanishes": (lambda y, z: (1, Abs(y) * sign(y) / (1 + Abs(y)), 1), PROVED),
}


def mean_over_both_sides(e, y, z):
    """The mean of a drift that is linear in z under two standard normals, which a stationary law
    needs to be 0.
    """
    at_zero = sympy.sympify(e).xreplace({z: sympy.Integer(0)})
    sides = [
        sympy.lambdify(
            y, at_zero.xreplace({Abs(y): side * y, sign(y): sympy.Integer(side)}), "mpmath"
        )
        for side in (1, -1)
    ]
    density = lambda t: mpmath.exp(-(t**2) / 2) / mpmath.sqrt(2 * mpmath.pi)  # noqa: E731
    return mpmath.quad(lambda t: density(t) * (sides[0](t) + sides[1](-t)), [0, 1, 4, 12])


@pytest.mark.parametrize("name", NOISE)
def test_a_noise_that_jumps_at_its_kink_is_not_proved(name):
    entries, verdict = NOISE[name]
    y, z = Preimage("y", Scalar("x", domain=AROUND), maps.softsign), Scalar("z")
    a, b, c = entries(y, z)
    D = Matrix([[a**2, a * b], [a * b, b**2 + c**2]])
    drift = [sum(partial(D[i, j], s) - D[i, j] * s for j, s in enumerate((y, z))) for i in range(2)]
    v, u = Noise("v", like=y), Noise("u", like=z)
    steps = {
        y: y + eps * drift[0] + sqrt(2 * eps) * a * v,
        z: z + eps * drift[1] + sqrt(2 * eps) * (b * v + c * u),
    }
    outcome = outcome_of(verify(Update(eps, steps, (y**2 + z**2) / 2)), "stationarity")
    assert outcome.verdict is verdict
    assert verdict is PROVED or "D[y, " in outcome.by
    means = [mean_over_both_sides(f, y, z) for f in drift]
    assert all(abs(mean) < 1e-9 for mean in means) is (verdict is PROVED)
