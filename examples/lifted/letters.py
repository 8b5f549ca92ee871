"""The letters that the claims of this folder share."""

from sympy import Interval, Symbol, oo

from recipe import Potential, Scalar, Vector, grad, total

theta = Vector("theta")
p = Vector("p", like=theta)
V = Vector("V", like=theta, domain=Interval.open(0, oo))  # averages of squared gradients
xi = Scalar("xi")
U = Potential("U", theta)
h = Symbol("h", positive=True)  # the step size
T = Symbol("T", positive=True)  # temperature
a = Symbol("a", positive=True)  # friction
b = Symbol("b", nonnegative=True)  # an estimate of the variance of the gradient
s = Symbol("s", positive=True)  # standard deviation of the momenta
k = Symbol("k", positive=True)  # precision of a prior, as weight decay is
slope = grad(U, theta)
H = U + total(p**2) / 2
