"""The Jacobi diffusion, whose law is a beta law: noise that vanishes at both ends of the interval.

Forman & Sorensen (2008), "The Pearson diffusions: a class of statistically tractable diffusion
processes", Scand. J. Stat. 35(3), case 6. It stays in the interval by itself: it never reaches an
end whose exponent is at least 1, and turns back at any other end.
"""

from sympy import Interval, Matrix, Symbol, log, sqrt

from recipe import Noise, Recipe, Update, Vector, total

theta = Vector("theta", domain=Interval.open(0, 1))
a = Symbol("a", positive=True)  # first shape of the beta law
b = Symbol("b", positive=True)  # second shape of the beta law

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
H = -total((a - 1) * log(theta) + (b - 1) * log(1 - theta))

jacobi_beta = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[theta * (1 - theta)]]),
    Q=Matrix([[0]]),
    source="Forman & Sorensen (2008), The Pearson diffusions, Scand. J. Stat. 35(3), case 6",
    update=Update(
        step=epsilon,
        target=H,
        rule={
            theta: theta
            + epsilon * (a - (a + b) * theta)
            + sqrt(2 * epsilon * theta * (1 - theta)) * w
        },
    ),
)
