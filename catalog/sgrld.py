"""Stochastic gradient Riemannian Langevin dynamics with a diagonal metric G.

Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS, in the step convention of Ma, Chen & Fox (2015). ``sgrld`` has any metric, each of
whose values may depend on all of theta; ``sgrld_reciprocal`` has the metric 1/theta of the
coordinates "expanded mean", on positive theta.
"""

from sympy import Interval, Matrix, Symbol, oo, sqrt

from recipe import Field, Noise, Potential, Recipe, Update, Vector, div, grad

source = (
    "Patterson & Teh (2013), Stochastic gradient Riemannian Langevin dynamics on the probability"
    " simplex, NIPS"
)
epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta")
U = Potential("U", theta)
G = Field("G", theta, positive=True)  # metric, any field of theta
w = Noise("w", like=theta)

# The correction is div G^-1 and it is added. Ma, Chen & Fox (9) print it with the other sign, and
# Patterson & Teh (4) print Girolami & Calderhead's expression, which equals div G^-1 for their
# metrics and not for every G.
sgrld = Recipe(
    state=(theta,),
    H=U,
    D=Matrix([[1 / G]]),
    Q=Matrix([[0]]),
    source=source,
    update=Update(
        step=epsilon,
        target=U,
        rule={
            theta: (
                theta
                - epsilon * (grad(U, theta) / G - div(1 / G, theta))
                + sqrt(2 * epsilon / G) * w
            )
        },
    ),
)

x = Vector("theta", domain=Interval.open(0, oo))
V = Potential("U", x)
n = Noise("w", like=x)

sgrld_reciprocal = Recipe(
    state=(x,),
    H=V,
    D=Matrix([[x]]),
    Q=Matrix([[0]]),
    source=source,
    update=Update(
        step=epsilon,
        target=V,
        rule={x: x - epsilon * (x * grad(V, x) - 1) + sqrt(2 * epsilon * x) * n},
    ),
)
