"""Patterson & Teh (2013), "Stochastic gradient Riemannian Langevin dynamics on the probability
simplex", NIPS.

* ``reduced_mean_gradient``: Table 1 prints the gradient ``(n + alpha)/theta`` in the coordinates
  "reduced mean"; it is ``(n + alpha - 1)/theta``. Here at K = 2, where the simplex is the interval
  (0, 1).
* ``reduced_natural_curvature``: in the coordinates "reduced natural" Table 1 prints both curvature
  terms as ``(1/pi_j^2 - (K - 1)/pi_K^2)/n``, with derivatives by pi in the place of derivatives by
  theta; they are ``(1/pi_j - 1/pi_K)/n``, as in ``catalog/sgrld_simplex_reduced_natural.py``. Here
  at K = 2.
* ``eq_4``: the correction that they take from Girolami & Calderhead (2011), "Riemann manifold
  Langevin and Hamiltonian Monte Carlo methods", Journal of the Royal Statistical Society B 73,
  equation (10): ``-2 G^-1 dG G^-1 + G^-1 tr(G^-1 dG)``, summed. It equals div G^-1 for the four
  metrics of Table 1, but not in general: here for ``G = diag(1 + b^2, 1)``, where div G^-1 is 0 and
  theirs is not. ``eq_4_corrected`` has div G^-1. ``eq_4_in_one_dimension`` is right for every G.
* ``girolami_calderhead``: the rule of Girolami & Calderhead themselves, without a Metropolis test,
  which is the same one.
"""

from sympy import Expr, Function, Interval, Matrix, Symbol, exp, log, sqrt, zeros

from recipe import Noise, Potential, Scalar, Update, grad

source = (
    "Patterson & Teh (2013), Stochastic gradient Riemannian Langevin dynamics on the probability"
    " simplex, NIPS"
)
eps = Symbol("epsilon", positive=True)


def reduced_mean(excess: Expr | int, of: str, expect: str) -> Update:
    """Equation (4) at K = 2 for the first probability theta.

    The gradient of the log density is too large by ``excess / theta``. Steps are those of Ma, Chen
    & Fox (2015), half of those in the paper.
    """
    theta = Scalar("theta", domain=Interval.open(0, 1))
    w = Noise("w", like=theta)
    n, n_2 = Symbol("n", positive=True), Symbol("n_2", positive=True)
    alpha, alpha_2 = Symbol("alpha", positive=True), Symbol("alpha_2", positive=True)
    D = theta * (1 - theta) / (n + n_2)
    gradient = (n + alpha - 1 + excess) / theta - (n_2 + alpha_2 - 1) / (1 - theta)
    return Update(
        step=eps,
        target=-(n + alpha - 1) * log(theta) - (n_2 + alpha_2 - 1) * log(1 - theta),
        rule={theta: theta + eps * (D * gradient + D.diff(theta)) + sqrt(2 * eps * D) * w},
        source=f"{source}, Table 1, reduced mean{of}",
        expect=expect,
    )


reduced_mean_gradient = reduced_mean(1, ", as printed", "refuted")
reduced_mean_gradient_corrected = reduced_mean(0, ", with (n + alpha - 1)/theta", "proved")


def reduced_natural(power: int, of: str, expect: str) -> Update:
    """Equation (4) at K = 2 for theta, the log odds of the first probability, with the curvature
    terms ``(1/pi^power - 1/pi_2^power)/N``; N is the number of data, a and a_2 are n + alpha.
    """
    theta = Scalar("theta")
    w = Noise("w", like=theta)
    N, a, a_2 = (Symbol(name, positive=True) for name in ("N", "a", "a_2"))
    pi, pi_2 = exp(theta) / (1 + exp(theta)), 1 / (1 + exp(theta))
    D = (1 / pi + 1 / pi_2) / N
    curvature = (1 / pi**power - 1 / pi_2**power) / N
    return Update(
        step=eps,
        target=-a * theta + (a + a_2) * log(1 + exp(theta)),
        rule={
            theta: (
                theta
                + eps * (D * (a - (a + a_2) * pi) - 2 * curvature + curvature)
                + sqrt(2 * eps * D) * w
            )
        },
        source=f"{source}, Table 1, reduced natural{of}",
        expect=expect,
    )


reduced_natural_curvature = reduced_natural(2, ", as printed", "refuted")
reduced_natural_curvature_corrected = reduced_natural(1, ", with 1/pi_j - 1/pi_K", "proved")

a, b = Scalar("a"), Scalar("b")
U = Potential("U", a, b)
G = Matrix([[1 + b**2, 0], [0, 1]])
_inverse = G.inv()
w_a, w_b = Noise("w_a", like=a), Noise("w_b", like=b)


def riemannian(gamma: Matrix, of: str, expect: str, printed: str = source) -> Update:
    """Equation (4) with a given term in the place of Gamma, in the steps of Ma, Chen & Fox
    (2015).
    """
    drift = gamma - _inverse * Matrix([grad(U, a), grad(U, b)])
    return Update(
        step=eps,
        target=U,
        rule={
            a: a + eps * drift[0] + sqrt(2 * eps * _inverse[0, 0]) * w_a,
            b: b + eps * drift[1] + sqrt(2 * eps * _inverse[1, 1]) * w_b,
        },
        source=f"{printed}, equation (4){of}" if printed == source else f"{printed}{of}",
        expect=expect,
    )


_correction, _divergence = zeros(2, 1), zeros(2, 1)
for _k, _x in enumerate((a, b)):
    _slope = G.diff(_x)
    _correction += (-2 * _inverse * _slope * _inverse + _inverse * (_inverse * _slope).trace())[
        :, _k
    ]
    _divergence += _inverse.diff(_x)[:, _k]

eq_4 = riemannian(_correction, ", G = diag(1 + b^2, 1)", "refuted")
girolami_calderhead = riemannian(
    _correction,
    ", equation (10), G = diag(1 + b^2, 1)",
    "refuted",
    "Girolami & Calderhead (2011), Riemann manifold Langevin and Hamiltonian Monte Carlo methods,"
    " J. R. Stat. Soc. B 73",
)
eq_4_corrected = riemannian(_divergence, ", G = diag(1 + b^2, 1), with div G^-1", "proved")

_U, _G = Potential("U", a), Function("G", positive=True)(a)
eq_4_in_one_dimension = Update(
    step=eps,
    target=_U,
    rule={
        a: (
            a
            + eps * (-grad(_U, a) / _G - 2 * _G.diff(a) / _G**2 + _G.diff(a) / _G**2)
            + sqrt(2 * eps / _G) * w_a
        )
    },
    source=f"{source}, equation (4), in one dimension",
    expect="proved",
)
