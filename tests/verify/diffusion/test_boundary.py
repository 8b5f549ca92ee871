"""``boundary``: verdicts at the edges of domains, beside quadrature that sees the drift and the
diffusion as numbers only.
"""

import mpmath
import pytest
from cases.catalog_recipes import catalog_recipes
from helpers.outcomes import outcome_of
from sympy import (
    Dummy,
    Function,
    Interval,
    Matrix,
    Rational,
    Symbol,
    cos,
    diag,
    exp,
    integrate,
    lambdify,
    log,
    oo,
    pi,
    simplify,
    sin,
    sqrt,
    symbols,
)

from recipe import (
    Noise,
    Parameter,
    Potential,
    Recipe,
    Reflection,
    Scalar,
    Simplex,
    Update,
    Vector,
    derive,
    mirror,
    outer,
    total,
)
from recipe.language.entry import parts
from verify import Verdict, verify
from verify.decide.asymptotics.leading import NoLeadingTermError, growth, leading

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

a, b, s, C = symbols("a b s C", positive=True)
n = Symbol("n", nonnegative=True)
theta = Vector("theta", domain=Interval.open(0, oo))
r = Vector("r", like=theta)
alpha = Parameter("alpha", like=theta, positive=True)
x = Scalar("x", domain=Interval.open(0, oo))
y = Scalar("y")
u = Vector("u", domain=Interval.open(0, 1))
between = Vector("v", domain=Interval(-1, 2))
closed = Vector("c", domain=Interval(0, oo))
below = Scalar("w", domain=Interval.open(-oo, 3))
simplex = Vector("p", domain=Simplex())
V = Potential("V", theta)
g = Function("g")
K = total(r**2) / 2
FRICTION, CANONICAL, NONE = Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]]), Matrix.zeros(2)


def one(block, H, D):
    return Recipe((block,), H, D, 0)


def moved(H, Q=CANONICAL):
    return Recipe((theta, r), H, FRICTION, Q)


def boundary(declared):
    return outcome_of(verify(declared), "boundary")


r_closed, w_closed = Vector("r", like=closed), Vector("z", like=closed)
p = simplex
alpha_p = Parameter("alpha", like=p, positive=True)


def on_closed(extra=0, **more):
    """Langevin dynamics on theta >= 0 for every U that is smooth there."""
    H = Potential("U", closed) + total(r_closed**2) / 2 + extra
    return Recipe((closed, r_closed), H, FRICTION, CANONICAL, **more)


def with_bystander(reflection):
    """The same beside a block of noise that moves nothing else."""
    H = Potential("U", closed) + total(r_closed**2 + w_closed**2) / 2
    state = (closed, r_closed, w_closed)
    return Recipe(
        state,
        H,
        diag(0, C, 1),
        Matrix([[0, -1, 0], [1, 0, 0], [0, 0, 0]]),
        reflections=[reflection],
    )


def dirichlet(D, exponents, last=s):
    return one(p, -total((exponents - 1) * log(p)) - (last - 1) * log(1 - total(p)), D)


GAMMA = total(b * theta - (a - 1) * log(theta))
CASES = {
    # Cox-Ingersoll-Ross and Jacobi processes, for every shape
    "CIR": (PROVED, one(theta, GAMMA, s * theta)),
    "CIR with a shape a coordinate": (
        PROVED,
        one(theta, total(theta - (alpha - 1) * log(theta)), theta),
    ),
    "CIR of one number": (PROVED, one(x, b * x - (a - 1) * log(x), s * x)),
    "Jacobi": (PROVED, one(u, -total((a - 1) * log(u) + (b - 1) * log(1 - u)), s * u * (1 - u))),
    "CIR with noise beside it": (
        PROVED,
        Recipe((x, y), x - (a - 1) * log(x) + y**2 / 2, Matrix([[x, 0], [0, 1]]), NONE),
    ),
    "CIR at an upper end": (PROVED, one(below, (3 - below) - (a - 1) * log(3 - below), 3 - below)),
    "CIR as a printed rule": (
        PROVED,
        Update(
            Symbol("h", positive=True),
            {
                x: (
                    x
                    + Symbol("h", positive=True) * (a - x)
                    + sqrt(2 * Symbol("h", positive=True) * x) * Noise("n", like=x)
                )
            },
            x - (a - 1) * log(x),
        ),
    ),
    # Langevin dynamics on a half line
    "Langevin, exponential law": (REFUTED, one(theta, total(theta), 1)),
    "Langevin, gamma law of any shape": (REFUTED, one(theta, GAMMA, 1)),
    "Langevin, gamma law of shape 2 and more": (
        PROVED,
        one(theta, total(theta - (1 + n) * log(theta)), 1),
    ),
    "Langevin, gamma law of shape 3/2": (UNDECIDED, one(theta, total(theta - log(theta) / 2), 1)),
    "Langevin, inverse gamma law": (PROVED, one(theta, total(a / theta + (b + 1) * log(theta)), 1)),
    "Langevin, log-normal law": (PROVED, one(theta, total(log(theta) ** 2 / 2 + log(theta)), 1)),
    "Langevin between two ends": (REFUTED, one(between, total(between), 1)),
    "Langevin on a closed half line, any U": (REFUTED, one(closed, Potential("U", closed), 1)),
    "Langevin, coordinates that depend on one another": (
        REFUTED,
        one(theta, total(theta) + total(theta) ** 2, 1),
    ),
    "the same with a law that vanishes at the edge": (
        UNDECIDED,
        one(theta, total(theta) ** 2 - 3 * total(log(theta)), 1),
    ),
    # other noise
    "noise like theta^2": (PROVED, one(theta, total(theta), theta**2)),
    "noise like theta log(theta)": (PROVED, one(x, x, x * log(1 + 1 / x))),
    "noise like theta log(theta)^2": (UNDECIDED, one(x, x, x * log(1 + 1 / x) ** 2)),
    "absorbed at the edge": (
        UNDECIDED,
        one(theta, total(theta + Rational(3, 4) * log(theta)), theta ** Rational(3, 2)),
    ),
    "a drift that is infinite at the edge": (UNDECIDED, one(theta, total(theta), sqrt(theta))),
    "an unknown elementwise law": (UNDECIDED, one(theta, total(g(theta)), 1)),
    "any V": (PROVED, one(theta, V, theta)),  # under an assumption on V
    "a law that is not normalisable": (
        UNDECIDED,
        one(theta, total(theta + log(theta)), sqrt(theta) ** 3 / theta),
    ),
    "the simplex": (UNDECIDED, one(simplex, -total(log(simplex)), simplex)),
    # reflected along the normal of the edge
    "reflected: Langevin, gamma law of any shape": (PROVED, mirror(one(theta, GAMMA, 1), theta)),
    "reflected: Langevin between two ends": (
        PROVED,
        mirror(one(between, total(between), 1), between),
    ),
    "reflected: Langevin on a closed half line, any U": (
        PROVED,
        mirror(one(closed, Potential("U", closed), 1), closed),
    ),
    "reflected: coordinates that depend on one another": (
        PROVED,
        mirror(one(theta, total(theta) + total(theta) ** 2, 1), theta),
    ),
    "reflected: a drift that is infinite at the edge": (
        PROVED,
        mirror(one(theta, total(theta), sqrt(theta)), theta),
    ),
    "reflected: CIR, where it is harmless": (PROVED, mirror(one(theta, GAMMA, s * theta), theta)),
    "reflected: any V, of which nothing is known at the edge": (
        UNDECIDED,
        mirror(one(theta, V, 1), theta),
    ),
    "reflected: a law that is not normalisable": (
        UNDECIDED,
        mirror(one(theta, total(theta + log(theta)), 1 / theta), theta),
    ),
    "reflected: a current across the edge": (
        UNDECIDED,
        Recipe(
            (x, y),
            x + y**2 / 2,
            Matrix([[1, 0], [0, 1]]),
            Matrix([[0, -1], [1, 0]]),
            reflections=[Reflection(x)],
        ),
    ),
    "reflected: noise that is shared": (
        UNDECIDED,
        Recipe((x, y), x + y**2 / 2, Matrix([[2, 1], [1, 1]]), NONE, reflections=[Reflection(x)]),
    ),
    # the simplex
    "Wright and Fisher, a Dirichlet law": (PROVED, dirichlet(p - outer(p, p), alpha_p)),
    "Wright and Fisher, faster": (PROVED, dirichlet(2 * p - 2 * outer(p, p), alpha_p)),
    "Wright and Fisher, one exponent of unknown sign": (
        UNDECIDED,
        dirichlet(p - outer(p, p), alpha_p, Symbol("c", real=True)),
    ),
    "the simplex, without the noise that the coordinates share": (UNDECIDED, dirichlet(p, alpha_p)),
    "the simplex, constant noise": (UNDECIDED, dirichlet(1, alpha_p)),
    # momentum methods
    "HMC, exponential law": (REFUTED, moved(total(theta) + K)),
    "HMC, gamma law of shape above 1": (PROVED, moved(total(b * theta - a * log(theta)) + K)),
    "HMC, gamma law of any shape": (UNDECIDED, moved(GAMMA + K)),
    "HMC, any V": (UNDECIDED, moved(V + K)),
    "reflected: HMC, exponential law": (PROVED, mirror(moved(total(theta) + K), theta)),
    "reflected: HMC with a metric": (
        PROVED,
        mirror(moved(total(theta) + K, Matrix([[0, -1], [1, 0]]) / (1 + theta)), theta),
    ),
    "reflected: HMC on a closed half line, any U": (PROVED, mirror(on_closed(), closed)),
    "reflected: HMC, gamma law of any shape": (UNDECIDED, mirror(moved(GAMMA + K), theta)),
    "reflected: the momentum keeps its sign": (
        REFUTED,
        on_closed(reflections=[Reflection(closed)]),
    ),
    "reflected: another momentum turns": (REFUTED, with_bystander(Reflection(closed, (w_closed,)))),
    "reflected: both momenta turn": (
        PROVED,
        with_bystander(Reflection(closed, (r_closed, w_closed))),
    ),
    "reflected: a law that sees the sign of the momentum": (
        UNDECIDED,
        on_closed(extra=total(r_closed) / 2, reflections=[Reflection(closed, (r_closed,))]),
    ),
    "a speed that vanishes at the edge": (
        PROVED,
        moved(total(theta) + K, Matrix([[0, -theta], [theta, 0]])),
    ),
    # theta + r^2/2 - log(theta)/2 is conserved, and grows without bound at the edge.
    "a speed that vanishes like a root": (
        PROVED,
        moved(total(theta) + K, Matrix([[0, -sqrt(theta)], [sqrt(theta), 0]])),
    ),
}


@pytest.mark.by_default(14)
@pytest.mark.parametrize("name", CASES)
def test_edges(name):
    verdict, declared = CASES[name]
    outcome = boundary(declared)
    assert outcome.verdict is verdict, outcome.by
    assert (outcome.witness is not None) == (verdict is REFUTED)


def test_both_ends_of_an_interval_are_named():
    by = boundary(CASES["Jacobi"][1]).by
    assert (
        by == "u = 0: self-reflecting, as the drift a*s there points inside (k = a - 1, m = 1); "
        "u = 1: self-reflecting, as the drift b*s there points inside (k = b - 1, m = 1)"
    )


def test_a_witness_has_parameters_within_their_assumptions_and_the_exponents():
    outcome = boundary(CASES["Langevin, gamma law of any shape"][1])
    assert outcome.witness.point["theta"] == "0"
    shape = Rational(outcome.witness.point["a"])
    assert 0 < shape <= 1
    assert f"k = {shape - 1} and D like e^m with m = 0" in outcome.witness.finding
    assert outcome.by.startswith("theta = 0: in need of mirror")
    assert "mirror(recipe, theta) reflects it at 0" in outcome.repair


def test_an_abstract_law_is_told_what_to_give():
    assert "bind it to total(h(theta))" in boundary(one(theta, V, 1)).by


def test_the_line_has_no_edge():
    assert all(line.name != "boundary" for line in verify(catalog_recipes()["sgld"]).lines)


# -- a second look: quadrature, with f and D as numbers
# ---------------------------------------------------------------------------

SHAPES = [mpmath.mpf(k) / 4 for k in (1, 2, 3, 4, 5, 6, 8, 11)]


def numbers(recipe, values):
    """The drift and the diffusion of the first block as functions of a number."""
    block = recipe.state[0]
    dynamics = derive(recipe).dynamics
    place = Dummy("place")
    put = {Symbol(str(k), positive=True): v for k, v in values.items()} | {block: place}
    return [
        lambdify(place, e.subs(put), "mpmath")
        for e in (dynamics.drift[block], parts(dynamics.diffusion[block, block])[0])
    ]


def order_of_flux(f, D):
    """``lim e f / D``: the exponent k + m of p D, as (log p D)' = f / D."""
    e = mpmath.mpf(10) ** -20
    return e * f(e) / D(e)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ["CIR of one number", "Langevin of one number"])
def test_the_verdict_agrees_with_the_scale_function_in_numbers(name, shape):
    """Attained iff the integral of 1 / (p D) converges at 0; left iff p D has then no limit 0."""
    mpmath.mp.dps = 40
    D = x if name.startswith("CIR") else 1
    recipe = one(x, x - (Rational(str(shape)) - 1) * log(x), D)
    order = order_of_flux(*numbers(recipe, {}))
    attained = order < 1 - mpmath.mpf(10) ** -10
    flows = order <= mpmath.mpf(10) ** -10
    verdict = boundary(recipe).verdict
    assert not (verdict is PROVED and attained and flows)
    assert verdict is not REFUTED or (attained and flows)
    if not attained:
        assert verdict is PROVED


@pytest.mark.by_default(6)
@pytest.mark.parametrize("shape", ["0.3", "0.7", "1.5", "2.5"])
@pytest.mark.parametrize(("D", "leaks"), [(x, False), (x**2, False), (1, True)])
def test_the_mean_of_the_generator_vanishes_where_the_edge_is_proved(shape, D, leaks):
    """The integral of ``p (D phi'' + f phi')`` is the flux through the edge, for ``phi = exp(-x)``:
    0 for an invariant law.
    """
    mpmath.mp.dps = 30
    shape = Rational(shape)
    recipe = one(x, x - (shape - 1) * log(x), D)
    f, d = numbers(recipe, {})
    p = lambda e: mpmath.exp(-e) * e ** (mpmath.mpf(shape.p) / shape.q - 1)  # noqa: E731
    integrand = lambda e: p(e) * mpmath.exp(-e) * (d(e) - f(e))  # noqa: E731
    flux = mpmath.quad(
        lambda t: integrand(mpmath.exp(t)) * mpmath.exp(t), [-400, -100, -20, -5, 0, 2, 5]
    )
    if boundary(recipe).verdict is PROVED:
        assert abs(flux) < 1e-10
    if leaks and shape < 1:
        assert boundary(recipe).verdict is REFUTED
        assert abs(flux) > 1


e = Symbol("e", positive=True)
TERMS = [
    e * (1 - e),
    exp(e) - 1,
    1 - cos(e),
    log(1 + e),
    e**2 * log(e),
    2 * sqrt(e) - e,
    1 / (exp(e) - 1) - 1 / e,
    sin(e) / e - 1,
    (1 - e) ** 2 - 1,
    exp(-3 * log(e) + e),
    e**e,
    log(2 * e) - log(e),
    e * log(1 + 1 / e) ** 2,
    (e + e**3) ** Rational(-3, 2),
]


@pytest.mark.parametrize("term", TERMS, ids=str)
def test_a_leading_term_is_what_the_expression_goes_to(term):
    mpmath.mp.dps = 200
    found = leading(term, e)
    values = []
    for small in (mpmath.mpf(10) ** -20, mpmath.mpf(10) ** -40):
        size = mpmath.log(1 / small)
        whole = [mpmath.mpf(str(v.evalf(50))) for v in (found.coefficient, found.power, found.logs)]
        values.append(
            abs(
                lambdify(e, term, "mpmath")(small)
                / (whole[0] * small ** whole[1] * size ** whole[2])
                - 1
            )
        )
    assert values[1] < 1e-10 or values[1] < values[0] < 0.2


@pytest.mark.parametrize(
    "term", [e**a + e**b, (a - 1) * e + e**2, exp(-1 / e), g(e), log(log(1 / e)) + e], ids=str
)
def test_what_is_not_decided_is_no_leading_term(term):
    with pytest.raises(NoLeadingTermError):
        leading(term, e)


def test_growth_keeps_what_an_exponential_needs():
    found = growth(-(a - 1) * log(e) + 2 + e * log(e) + log(log(1 / e)), e)
    assert (found.log, found.loglog, found.constant, found.escape) == (a - 1, 1, 2, 0)
    assert growth(1 / e - 1 / e**2, e).escape == -1


# -- reflections, and faces
# --------------------------------------------------------------------------------------------------


def test_an_edge_is_one_of_three():
    """Never reached, turned back from by itself, or to be reflected at; the last says how."""
    said = {
        name: boundary(CASES[name][1]).by
        for name in ("Langevin, gamma law of shape 2 and more", "CIR")
    }
    assert said["Langevin, gamma law of shape 2 and more"].startswith(
        "theta = 0: unattainable, as k + m >= 1"
    )
    assert said["CIR"].startswith(
        "theta = 0: self-reflecting, as the drift a*s there points inside"
    )
    for name in (
        "Langevin, gamma law of any shape",
        "HMC, exponential law",
        "Langevin on a closed half line, any U",
    ):
        outcome = boundary(CASES[name][1])
        assert "in need of mirror" in outcome.by
        assert outcome.repair.startswith("mirror(recipe, ")


def test_what_the_absolute_value_of_the_position_does_is_said_with_a_point():
    outcome = boundary(CASES["reflected: the momentum keeps its sign"][1])
    assert "the position is put back and its momentum is not turned" in outcome.by
    assert outcome.witness.point["c"] == ["0"]
    assert Rational(outcome.witness.point["r"][0]) < 0
    assert "d/dt E[r] contains -p(0) E[(r)^2]" in outcome.witness.finding


def test_every_face_of_the_simplex_has_the_exponent_of_its_beta_law():
    """The law of one of K probabilities is a beta law with its exponent, and so is that of what is
    missing to one.
    """
    by = boundary(CASES["Wright and Fisher, a Dirichlet law"][1]).by
    assert (
        "the faces p = 0: self-reflecting, as the drift alpha there points inside (k = alpha - 1, m"
        " = 1)" in by
    )
    assert (
        "the face total(p) = 1: self-reflecting, as the drift s there points inside (k = s - 1, m"
        " = 1)" in by
    )
    never = boundary(dirichlet(p - outer(p, p), 1 + alpha_p, 1 + n)).by
    assert "the faces p = 0: unattainable" in never
    assert "the face total(p) = 1: unattainable" in never


@pytest.mark.slow_for("<lambda>-True1")
@pytest.mark.parametrize(
    ("phi", "allowed"),
    [(lambda q, v: v, False), (lambda q, v: q * v, True), (lambda q, v: q**2 * v**3, True)],
)
def test_the_mean_of_the_generator_at_a_reflecting_edge(phi, allowed):
    """For ``exp(-q - v^2/2)`` on q > 0: 0 where phi does not see the flip at q = 0, and ``-p(0)
    E[v^2] = -1`` for phi = v.
    """
    q, v = symbols("q", positive=True), symbols("v", real=True)
    f = phi(q, v)
    of_phi = v * f.diff(q) - f.diff(v) - 3 * v * f.diff(v) + 3 * f.diff(v, 2)
    mean = integrate(
        integrate(of_phi * exp(-q), (q, 0, oo)) * exp(-(v**2) / 2) / sqrt(2 * pi), (v, -oo, oo)
    )
    assert simplify(mean) == (0 if allowed else -1)
