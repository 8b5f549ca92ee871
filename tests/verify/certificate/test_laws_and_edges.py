"""Certificates about edges, tails, marginal laws, explosion and uniqueness: what the checker
follows, and forged ones that it refuses.
"""

import json
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from generators.tampered_certificates import tampered
from oracles.decoded import claim_of, is_true
from sympy import Function, Integer, Interval, Matrix, Symbol, log, oo

from recipe import Parameter, Potential, Recipe, Scalar, Vector, total
from verify import verify
from verify.certificate import canonical, certificate_of, digest_of
from verify.checker import check
from verify.diffusion.boundary import decide
from verify.evidence import SelfReflectingEdge, SignStep, UnattainableEdge
from verify.verdict import proved

theta = Vector("theta")
r = Vector("r", like=theta)
x = Vector("x", domain=Interval.open(0, oo))
y = Scalar("y", domain=Interval.open(0, 1))
xi = Scalar("xi")
U = Potential("U", theta)
G = Function("G", positive=True)(theta)
a, b, c = (Symbol(name, positive=True) for name in "abc")
free = Symbol("free", real=True)
n = Parameter("n", like=x, integer=True, positive=True)
ROTATION, NOISY = Matrix([[0, -1], [1, 0]]), Matrix([[0, 0], [0, a]])
CIR = Recipe((x,), total(x - (a - 1) * log(x)), x, 0)


def underdamped(H, **more):
    return Recipe((theta, r), H, NOISY, ROTATION, **more)


def certificate(declared, **steps):
    """The certificate of a recipe, as if every obligation named in ``steps`` were proved by these
    steps; what the writer itself finds is added.
    """
    report = verify(declared, require=("normalisable", "non-explosion", "uniqueness"))
    lines = tuple(
        replace(line, required=True, outcome=proved("forged", steps=steps[key]))
        if (key := line.name.replace("-", "_")) in steps
        else replace(line, required=line.required and line.name not in LAW)
        for line in report.lines
    )
    return json.loads(canonical(certificate_of(declared, replace(report, lines=lines))))


LAW = ("normalisable", "non-explosion", "uniqueness")


def statuses(written):
    return {f.name: f.status for f in check(written).findings}


# -- edges
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("recipe", "how"),
    [
        (CIR, "self-reflecting"),
        (Recipe((x,), total(x - (b + 1) * log(x)), x, 0), "self-reflecting"),
        (Recipe((x,), total(x - n * log(x)), x, 0), "self-reflecting"),
        (Recipe((y,), -(a - 1) * log(y) - (b - 1) * log(1 - y), y * (1 - y), 0), "self-reflecting"),
        (Recipe((x,), total(x - 3 * log(x)), x**2, 0), "unattainable"),
        (Recipe((x,), total(x - log(x)), 1, 0), "unattainable"),
        (Recipe((x,), total(x - (1 + a) * log(x)), 1, 0), "unattainable"),
    ],
)
def test_an_edge_is_followed(recipe, how):
    result = check(certificate(recipe))
    (found,) = (f for f in result.findings if f.name == "boundary")
    assert found.status == "confirmed", found
    assert how in found.sentence


def reflecting(drift, form, block=x, end="low"):
    return {"boundary": [SelfReflectingEdge(block, end, drift, form)]}


def avoided(drift, form, constant, power, block=x, end="low"):
    return {"boundary": [UnattainableEdge(block, end, drift, form, constant, power)]}


ONE = Integer(1)
FALSE_EDGES = {
    "no sign of the drift": (
        Recipe((x,), total(x - (free - 1) * log(x)), x, 0),
        reflecting(free - x, ONE),
    ),
    "another drift": (CIR, reflecting(a + 1 - x, ONE)),
    "another diffusion": (CIR, reflecting(a - x, 2 * ONE)),
    "noise that vanishes too fast": (
        Recipe((x,), total(x - 3 * log(x)), x**2, 0),
        reflecting(5 * x - x**2, x),
    ),
    "noise at the edge": (Recipe((x,), total(x), 1, 0), reflecting(-ONE, 1 / x)),
    "outwards": (Recipe((x,), total(x + 2 * log(x)), x, 0), reflecting(-x - 1, ONE)),
    "attained": (Recipe((x,), total(x + log(x) / 2), x, 0), avoided(ONE / 2 - x, ONE, 2 * ONE, 2)),
    "attained, with a form that is not it": (CIR, avoided(a - x, a + x, 2 * ONE, 1)),
    "a negative constant": (
        Recipe((x,), total(x - log(x)), 1, 0),
        avoided(1 / x - 1, ONE, -ONE, 1),
    ),
    "a constant that is none": (CIR, avoided(a - x, a, (1 - a) / x + 1 + a / x, 1)),
    "noise of the edge": (Recipe((x,), total(x), 1, 0), avoided(-ONE, ONE, 2 * ONE, 1)),
}


@pytest.mark.parametrize("name", FALSE_EDGES)
def test_a_forged_edge_is_refused(name):
    recipe, steps = FALSE_EDGES[name]
    written = certificate(recipe, **steps)
    # those that the writer found itself are left out, as they would be true
    (line,) = (o for o in written["obligations"] if o["name"] == "boundary")
    line["steps"] = line["steps"][: len(steps["boundary"])]
    written = written | {"sha256": digest_of(written)}
    assert statuses(written)["boundary"] == "cannot be certified"


def test_an_edge_of_a_process_with_a_current_is_refused():
    recipe = Recipe((x, xi), total(x) + xi**2 / 2, Matrix([[x, 0], [0, 1]]), Matrix.zeros(2))
    assert statuses(certificate(recipe))["boundary"] == "confirmed"
    written = certificate(recipe)
    written["subject"]["H"] = written["subject"]["D"][1][1]["value"]
    written = written | {"sha256": digest_of(written)}
    assert statuses(written)["boundary"] == "cannot be certified"


# -- laws
# --------------------------------------------------------------------------------------------------

MASS = G * r**2 / 2
TRUE_LAWS = {
    "a quadratic momentum": (underdamped(U + total(r**2) / (2 * b)), {"normalisable"}),
    "a thermostat": (
        underdamped(U + total((r - b * theta) ** 2) / 2, marginal={theta: U}),
        {"normalisable", "marginal"},
    ),
    "a mass with its determinant": (
        underdamped(U + total(MASS - log(G) / 2), marginal={theta: U}),
        {"normalisable", "marginal"},
    ),
    "a mass without it": (
        underdamped(U + total(MASS), marginal={theta: U + total(log(G)) / 2}),
        {"marginal"},
    ),
    "a length as a precision": (
        Recipe(
            (theta, xi),
            U + theta.dim * (xi - a) ** 2 / 2,
            Matrix([[1, 0], [0, 1]]),
            Matrix.zeros(2),
            marginal={theta: U},
        ),
        {"normalisable", "marginal", "non-explosion", "uniqueness"},
    ),
    "Langevin dynamics": (
        Recipe((theta,), U, a, 0),
        {"normalisable", "non-explosion", "uniqueness"},
    ),
    "a bounded domain": (
        Recipe((y,), -log(y) - log(1 - y), y * (1 - y), 0),
        {"non-explosion", "boundary"},
    ),
    "a metric": (Recipe((theta,), U, 1 / G, 0), {"normalisable", "uniqueness"}),
}


@cache
def law(name):
    return certificate(TRUE_LAWS[name][0])


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", TRUE_LAWS)
def test_a_law_is_followed(name):
    found = statuses(law(name))
    for obligation in TRUE_LAWS[name][1]:
        assert found[obligation] == "confirmed", obligation
    assert is_true(claim_of(law(name)))


def test_what_is_assumed_of_a_potential_is_said():
    assert "exp(-U) is normalisable" in check(law("a quadratic momentum")).assumptions


POSITIVE = SignStep(b, "> 0", b)
FALSE_LAWS = {
    "a negative precision": (
        underdamped(U - total(r**2) / 2),
        {"normalisable": [SignStep(-ONE, "> 0", -ONE)], "marginal": []},
    ),
    "another precision": (underdamped(U + free * total(r**2) / 2), {"normalisable": [POSITIVE]}),
    "a quartic momentum": (underdamped(U + total(r**4)), {"normalisable": [POSITIVE]}),
    "coupled momenta": (
        underdamped(U + total(r) ** 2 / 2),
        {"normalisable": [], "marginal": []},
    ),
    "a law twice": (underdamped(2 * U + total(r**2) / 2), {"normalisable": []}),
    "a potential and more": (
        underdamped(U - total(theta**4) + total(r**2) / 2),
        {"normalisable": []},
    ),
    "a mass without its determinant": (
        underdamped(U + total(MASS), marginal={theta: U}),
        {"marginal": [SignStep(G, "> 0", G)]},
    ),
    "a determinant too many": (
        underdamped(U + total(r**2 / 2 - log(G) / 2), marginal={theta: U}),
        {"marginal": []},
    ),
    "a shift of the law": (
        underdamped(U + total(r**2 / 2 - r * theta), marginal={theta: U}),
        {"marginal": []},
    ),
    "a metric that may be incomplete": (Recipe((theta,), U, 1 / G, 0), {"non_explosion": []}),
    "a current": (underdamped(U + total(r**2) / 2), {"non_explosion": []}),
    "noise of one block": (underdamped(U + total(r**2) / 2), {"uniqueness": []}),
    "noise that vanishes": (Recipe((theta,), U, theta**2, 0), {"uniqueness": []}),
}


@pytest.mark.by_default(7)
@pytest.mark.parametrize("name", FALSE_LAWS)
def test_a_forged_law_is_refused(name):
    recipe, steps = FALSE_LAWS[name]
    obligation = next(iter(steps))
    found = statuses(certificate(recipe, **steps))
    assert found[obligation.replace("_", "-")] == "cannot be certified"


def test_two_nodes_of_one_potential_are_twice_its_law():
    written = json.loads(json.dumps(law("a quadratic momentum")))
    (U_node,) = (k for k, node in enumerate(written["nodes"]) if node[0] == "value")
    H = written["subject"]["H"]
    written["nodes"] += [["value", "U", None], ["+", len(written["nodes"]), H]]
    written["subject"]["H"] = len(written["nodes"]) - 1
    written = written | {"sha256": digest_of(written)}
    assert statuses(written)["normalisable"] == "cannot be certified"
    assert U_node < H


# -- changes
# --------------------------------------------------------------------------------------------------

SAMPLE = 12  # changes of the steps of each certificate that are tried by default


@pytest.mark.parametrize("name", ["a mass with its determinant", "a length as a precision", "edge"])
def test_a_change_of_a_step_about_a_law_is_noticed(name):
    """A certificate with another step still claims what is true, or is not confirmed."""
    written = certificate(CIR) if name == "edge" else law(name)
    before, after = statuses(written), None
    every = [(what, new) for what, new in tampered(written) if "/steps" in what]
    for what, altered in Random(name).sample(every, min(SAMPLE, len(every))):
        after = check(altered)
        if after.status == "confirmed":
            assert claim_of(altered) == claim_of(written) or is_true(claim_of(altered)), what
            confirmed = {f.name for f in after.findings if f.status == "confirmed"}
            assert confirmed <= {k for k, status in before.items() if status == "confirmed"}, what


def test_a_reached_edge_beside_a_coefficient_that_grows_there_is_not_confirmed(monkeypatch):
    """The noise 1/z of another block is unbounded at the edge z = 0, which is reached: verify
    leaves the boundary open, and a certificate that was forced is not confirmed.
    """
    z, w = Scalar("z", domain=Interval.open(0, oo)), Scalar("w")
    recipe = Recipe(
        (z, w), z + log(z) / 2 + w**2 / 2, Matrix([[z, 0], [0, 1 / z]]), Matrix.zeros(2)
    )
    outcomes = {line.name: line.outcome.verdict.value for line in verify(recipe).lines}
    assert outcomes["boundary"] == "undecided"
    monkeypatch.setattr(decide, "others_stay_bounded", lambda *_: True)
    forced = certificate(recipe)
    (boundary,) = (o for o in forced["obligations"] if o["name"] == "boundary")
    assert [step["kind"] for step in boundary["steps"]] == ["self-reflecting"]
    assert statuses(forced)["boundary"] != "confirmed"
