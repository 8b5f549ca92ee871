"""Langevin dynamics preconditioned by a constant dense matrix M, such as an inverse Fisher
information.

Ahn, Korattikara & Welling (2012), "Bayesian posterior sampling via stochastic gradient Fisher
scoring", ICML: at small steps their update is that of SGLD with the gradient multiplied by M and
noise of covariance M.
"""

from sympy import Matrix, Symbol, sqrt

from recipe import Dense, Noise, Potential, Recipe, Update, Vector, dot, grad

theta = Vector("theta")
U = Potential("U", theta)
M = Dense("M", theta, positive=True)  # preconditioner, such as the covariance of the law

epsilon = Symbol("epsilon", positive=True)
w = Noise("w", like=theta, covariance=M)

fisher_sgld = Recipe(
    state=(theta,),
    H=U,
    D=Matrix([[M]]),
    Q=Matrix([[0]]),
    source=(
        "Ahn, Korattikara & Welling (2012), Bayesian posterior sampling via stochastic gradient"
        " Fisher scoring, ICML"
    ),
    update=Update(
        step=epsilon,
        target=U,
        rule={theta: theta - epsilon * dot(M, grad(U, theta)) + sqrt(2 * epsilon) * w},
    ),
)
