"""Every obligation has a declaration that passes it, one that is refuted by it, and one that it
cannot decide.

An obligation that is added to ``verify.obligations`` is added here, in the table: its name, and
three declarations.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from helpers.outcomes import outcome_of
from sympy import (
    Function,
    Interval,
    Matrix,
    Mul,
    Rational,
    S,
    Symbol,
    cbrt,
    cos,
    exp,
    log,
    oo,
    sin,
    sqrt,
)

from recipe import (
    Discretisation,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    corv,
    discretised,
    grad,
    ito,
    maps,
    outer,
    total,
)
from verify import Verdict, verify
from verify.obligations import OBLIGATIONS

HALF_LINE, UNIT = Interval.open(0, oo), Interval.open(0, 1)
theta, xi, x, y = Vector("theta"), Scalar("xi"), Scalar("x"), Scalar("y")
c = Symbol("c", real=True)
r, half = Vector("r", like=theta), Vector("half", domain=HALF_LINE)
U, G = Potential("U", theta), Function("G", positive=True)(theta)
K = total(r**2) / 2
eps, w = Symbol("epsilon", positive=True), Noise("w", like=theta)
CANONICAL, FRICTION = Matrix([[0, -1], [1, 0]]), Matrix([[0, 0], [0, 1]])
# Zero for every theta, by eight double angles in turn, which the canonical form does not know: it
# is neither proved nor refuted.
HIDDEN = sin(256 * theta) - 256 * sin(theta) * Mul(*(cos(2**k * theta) for k in range(8)))

Declared = Recipe | Update | Discretisation


@dataclass(frozen=True)
class Row:
    """Declarations for the three verdicts of one obligation."""

    proved: Declared
    refuted: Declared | None  # None of what finds something, and refutes nothing where it does not
    undecided: Declared


def langevin(D=1, H=U, **more) -> Recipe:
    return Recipe((theta,), H, D, 0, **more)


def pair(D=FRICTION, Q=CANONICAL, H=U + K, **more) -> Recipe:
    return Recipe((theta, r), H, D, Q, **more)


def rule(drift) -> Update:
    return Update(eps, {theta: theta - eps * drift + sqrt(2 * eps) * w}, U)


def mapped(f, onto=HALF_LINE, transform=corv, inverse=None, add=lambda z: 0) -> Recipe:
    """Langevin dynamics for an unknown law on an interval, by a change of variable."""
    z = Vector("z", domain=onto)
    return transform(Recipe((z,), Potential("V", z) + add(z), 1, 0), z, f, inverse=inverse)


def baoab(mean=lambda m: m) -> Discretisation:
    """BAOAB of Langevin dynamics, with another mean of its Ornstein-Uhlenbeck flow."""
    step = discretised(pair(), "baoab")
    flows = [
        replace(s, law=replace(s.law, mean=mean(s.law.mean))) if s.letter == "O" else s
        for s in step.splitting.flows
    ]
    splitting = replace(step.splitting, flows=tuple(flows))
    return replace(step, splitting=splitting, update=splitting.update)


TABLE: dict[str, Row] = {
    "well-defined": Row(
        proved=langevin(1 / (1 + theta**2)),
        refuted=langevin(1 + 0 * theta, total(log(theta))),
        undecided=langevin(1 / (1 + HIDDEN)),
    ),
    "diffusion-symmetric": Row(
        proved=langevin(1 + outer(theta, theta)),
        refuted=pair(Matrix([[1, Rational(1, 2)], [0, 1]])),
        undecided=pair(Matrix([[1, HIDDEN], [0, 1]])),
    ),
    "curl-skew": Row(
        proved=pair(),
        refuted=pair(Q=Matrix([[0, -1], [1, theta]])),
        undecided=pair(Q=Matrix([[HIDDEN, -1], [1, 0]])),
    ),
    "diffusion-psd": Row(
        proved=Recipe((x, y), x**2 + y**2, Matrix([[1 + x**2, x], [x, 1]]), Matrix.zeros(2)),
        refuted=langevin(1 - outer(theta, theta)),
        undecided=langevin(HIDDEN),
    ),
    "noise-factor": Row(
        proved=langevin(theta**2, noise_factor=theta),
        refuted=langevin(theta**2, noise_factor=2 * theta),
        undecided=langevin(theta**2 + HIDDEN, noise_factor=theta),
    ),
    "monotone": Row(
        proved=mapped(exp),
        refuted=mapped(lambda p: p**3, S.Reals, inverse=cbrt),
        undecided=mapped(lambda p: p + sqrt(1 + p**2)),
    ),
    "onto": Row(
        proved=mapped(maps.sigmoid, UNIT),
        refuted=mapped(maps.sigmoid),
        undecided=mapped(lambda p: p + sqrt(1 + p**2)),
    ),
    "stationarity": Row(
        proved=pair(),
        refuted=Recipe((theta, xi), U + xi**2, Matrix.zeros(2), Matrix([[0, theta], [theta, 0]])),
        undecided=rule(grad(U, theta) + HIDDEN),
    ),
    "agrees-with-update": Row(
        proved=langevin(update=rule(grad(U, theta))),
        refuted=langevin(update=rule(2 * grad(U, theta))),
        undecided=langevin(update=rule(grad(U, theta) + HIDDEN)),
    ),
    "marginal": Row(
        proved=pair(marginal={theta: U}),
        refuted=pair(H=U + total(r**2 * G), marginal={theta: U}),
        undecided=pair(H=U + total(Function("k")(r, theta)), marginal={theta: U}),
    ),
    "boundary": Row(
        proved=Recipe((half,), total(half), half, 0),
        refuted=Recipe((half,), total(half), 1, 0),
        undecided=Recipe((half,), Potential("V", half), 1, 0),
    ),
    "normalisable": Row(
        proved=langevin(H=total(theta**2)),
        refuted=Recipe((x, y), (x - y) ** 2, Matrix.eye(2), Matrix.zeros(2)),
        undecided=Recipe((x, y), exp(x**2 + y**2) - 4 * x**4, Matrix.eye(2), Matrix.zeros(2)),
    ),
    "non-explosion": Row(
        proved=pair(),
        # Its residual is zero, and it explodes: a constant flux is added to the drift of the normal
        # law.
        refuted=Update(
            eps, {x: x + eps * (-x + exp(x**2 / 2)) + sqrt(2 * eps) * Noise("n", like=x)}, x**2 / 2
        ),
        undecided=langevin(1 + theta**4),
    ),
    "uniqueness": Row(
        proved=langevin(H=total(theta**4)),
        refuted=Recipe((x, y), x**2 + y**2, Matrix([[1, 0], [0, 0]]), Matrix.zeros(2)),
        undecided=Recipe((x, y), x**2 + y**2, Matrix([[1, 1], [1, 1]]), Matrix([[0, -1], [1, 0]])),
    ),
    "where": Row(
        proved=langevin(H=c * total(theta**2), where=[c > 0]),
        refuted=None,
        undecided=langevin(H=c**2 * total(theta**4) + total(theta**2), where=[c > 1]),
    ),
    "lipschitz": Row(
        proved=mapped(maps.softplus),
        refuted=mapped(maps.exp),
        undecided=mapped(lambda p: p + sin(p) / 2, S.Reals, inverse=lambda t: t),
    ),
    "lipschitz-drift": Row(
        proved=mapped(maps.exp),
        refuted=mapped(maps.complementary_log_log, UNIT),
        undecided=mapped(lambda p: p + sin(p) / 2, S.Reals, inverse=lambda t: t),
    ),
    "smooth": Row(
        proved=mapped(maps.arctan, Interval.open(-1, 1)),
        refuted=mapped(maps.softsign, Interval.open(-1, 1)),
        undecided=mapped(
            lambda p: p + log(2 + p**2 + 2 * cos(p)) / 9, S.Reals, inverse=lambda t: t
        ),
    ),
    "boundary-step": Row(
        proved=mapped(maps.softplus),
        refuted=mapped(maps.softplus, transform=ito),
        undecided=mapped(maps.softplus, add=lambda z: total(z) ** 2),
    ),
    "exact-transition": Row(
        proved=baoab(),
        refuted=baoab(mean=lambda m: m.subs(r, r / 2)),
        undecided=baoab(mean=lambda m: m + HIDDEN),
    ),
    "consistency": Row(
        proved=discretised(langevin(), "leimkuhler-matthews"),
        refuted=Discretisation(langevin(), "printed", rule(2 * grad(U, theta))),
        undecided=Discretisation(langevin(), "printed", rule(grad(U, theta) + HIDDEN)),
    ),
    "invariant-order": Row(
        proved=discretised(pair(), "obabo"),
        refuted=discretised(rule(2 * grad(U, theta)), "printed"),
        undecided=discretised(rule(grad(U, theta) + HIDDEN), "printed"),
    ),
    "stable-step": Row(
        proved=discretised(pair(), "aboba"),
        refuted=discretised(
            Update(
                eps,
                {theta: theta + eps * r, r: r - eps * theta + sqrt(2 * eps) * w},
                total(theta**2) / 2 + K,
            ),
            "printed",
        ),
        undecided=discretised(langevin(H=total(theta**4)), "euler"),
    ),
    "recipe-form": Row(
        proved=rule(grad(U, theta)),
        refuted=None,
        undecided=Update(
            eps, {x: x + eps * (-x + exp(x**2 / 2)) + sqrt(2 * eps) * Noise("n", like=x)}, x**2 / 2
        ),
    ),
    "stationary-law": Row(
        proved=rule(2 * grad(U, theta)),
        refuted=None,
        undecided=rule(grad(U, theta) + sin(U)),
    ),
    "noise-budget": Row(
        proved=discretised(pair(), "baoab"),
        refuted=discretised(pair(D=Matrix.zeros(2)), "leapfrog"),
        undecided=discretised(
            langevin(1 + outer(theta, theta), noise_factor=outer(theta, theta)), "euler"
        ),
    ),
}

PLACES = [
    pytest.param(name, verdict, declared, id=f"{name} {verdict.value}")
    for name, row in TABLE.items()
    for verdict, declared in zip(Verdict, (row.proved, row.refuted, row.undecided), strict=True)
    if declared is not None
]


@pytest.mark.parametrize("name", [obligation.name for obligation in OBLIGATIONS])
def test_every_obligation_is_in_the_table(name):
    assert name in TABLE, (
        f"add {name!r} to the table of this file: what passes it, what it refutes, what it leaves"
        " open"
    )


def test_only_what_constructs_refutes_nothing():
    """That nothing was found refutes nothing."""
    constructive = {"recipe-form", "stationary-law", "where"}
    assert {name for name, row in TABLE.items() if row.refuted is None} == constructive


def test_nothing_else_is_in_the_table():
    assert TABLE.keys() <= {obligation.name for obligation in OBLIGATIONS}


@pytest.mark.by_default(10)
@pytest.mark.slow_for(
    "well-defined undecided",
    "diffusion-symmetric undecided",
    "diffusion-psd undecided",
    "noise-factor undecided",
)
@pytest.mark.parametrize(("name", "verdict", "declared"), PLACES)
def test_the_declaration_gets_the_verdict(name, verdict, declared):
    outcome = outcome_of(verify(declared, require=[name]), name)
    assert outcome.verdict is verdict, outcome.by
    assert (outcome.witness is not None) == (verdict is Verdict.REFUTED)
