"""Certificates of kernels: the checker follows each part of a sweep, and refuses forged ones."""

import json
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from generators.tampered_certificates import tampered
from oracles.decoded_kernels import kernel_of
from sympy import Matrix, Rational, Symbol, cosh, exp, sqrt

from recipe import (
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    compose,
    flip,
    grad,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)
from verify import Verdict, verify
from verify.certificate import canonical, certificate_of
from verify.certificate.difference import first_difference
from verify.checker import check
from verify.engine import outcome_of
from verify.kernels.sweep import decide_sweep
from verify.verdict import proved

theta = Vector("theta")
r = Vector("r", like=theta)
x, p = Scalar("x"), Scalar("p")
U, V = Potential("U", theta), Potential("V", x)
h, m = Symbol("h", positive=True), Symbol("m", positive=True)
w = Noise("w", like=theta)
ZERO, ROTATION = Matrix([[0, 0], [0, 0]]), Matrix([[0, -1], [1, 0]])
H = U + total(r**2) / (2 * m)
FLOW = Recipe((theta, r), H, ZERO, ROTATION)


def kick(size):
    return r, r - size * h * grad(U, theta)


DRIFT = (theta, theta + h * r / m)
HALF = Rational(1, 2)
LEAPFROG = Update(h, [kick(HALF), DRIFT, kick(HALF)], H)
MALA = metropolis(Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U))
NORMAL = total(theta**2) / 2


def crank_nicolson(root):
    return Update(h, {theta: sqrt(1 - h) * theta + root * w}, NORMAL)


KERNELS = {
    "hmc": compose(refresh(FLOW, r), metropolis(LEAPFROG, times=(1, 5), flip=r)),
    "kept state": compose(metropolis(LEAPFROG, flip=r, flip_on_rejection=False), refresh(FLOW, r)),
    "ghmc": compose(refresh(FLOW, r, keep=exp(-h)), metropolis(LEAPFROG, flip=r), flip(FLOW, r)),
    "path": compose(metropolis(LEAPFROG, times=3, flip=r, around=refresh(FLOW, r, keep=exp(-h)))),
    "repeated": compose(repeat(compose(refresh(FLOW, r), metropolis(LEAPFROG, flip=r)), (1, 3))),
    "mala": compose(MALA),
    "crank-nicolson": compose(step(crank_nicolson(sqrt(h)))),
    "scalar": compose(
        metropolis(
            Update(
                h,
                {x: x - h * grad(V, x) * cosh(x) + sqrt(2 * h * cosh(x)) * Noise("u", like=x)},
                V,
            )
        )
    ),
}
SAMPLE = 25  # changes of each certificate that are tried by default


@cache
def certificate(name):
    return json.loads(canonical(certificate_of(KERNELS[name], verify(KERNELS[name]))))


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_is_confirmed(name):
    result = check(certificate(name))
    assert result.status == "confirmed", result
    statuses = {f.name: f.status for f in result.findings}
    assert statuses["invariance"] == "confirmed"
    assert statuses.get("detailed-balance", "confirmed") == "confirmed"
    law = "exp(-H) is normalisable"  # assumed, unless it is confirmed
    assert (law in result.assumptions) == (statuses.get("normalisable") != "confirmed")
    assert first_difference(certificate(name), KERNELS[name]) is None


def test_a_condition_on_the_step_is_said_in_the_scope():
    result = check(certificate("crank-nicolson"))
    assert any("where" in line and "h" in line for line in result.scope)


def test_a_condition_that_no_small_step_fulfils_is_refused():
    written = json.loads(json.dumps(certificate("crank-nicolson")))
    (condition,) = written["subject"]["conditions"]
    written["nodes"] += [["num", -1, 1], ["*", len(written["nodes"]), condition["e"]]]
    condition["e"] = len(written["nodes"]) - 1
    assert check(resigned(written)).status == "not confirmed"


@pytest.mark.parametrize(
    "what", ["noise in H", "a step in H", "noise in the ratio", "what is proposed"]
)
def test_a_symbol_in_the_wrong_place_is_refused(what):
    written = json.loads(json.dumps(certificate("mala")))
    (part,) = written["subject"]["parts"]
    partner = part["partners"][0][1]
    node = {
        "noise in H": ["total", len(written["nodes"]), "d_theta", 1],
        "a step in H": ["sym", "h"],
        "noise in the ratio": ["total", len(written["nodes"]), "d_theta", 1],
        "what is proposed": ["at", partner, 0],
    }[what]
    if node[0] == "total":
        written["nodes"].append(["at", "w", 1])
    written["nodes"].append(node)
    here = len(written["nodes"]) - 1
    subject = written["subject"]
    old = {"what is proposed": part["rule"][0][1], "noise in the ratio": part["cost"]}
    written["nodes"].append(["+", here, old.get(what, subject["H"])])
    if what == "what is proposed":
        part["rule"][0][1] = here + 1
    elif what == "noise in the ratio":
        part["cost"] = here + 1
    else:
        subject["H"] = here + 1
    result = check(resigned(written))
    assert result.status == "not a certificate"
    assert "may not" in result.sentence or "has noise" in result.sentence


def test_a_partner_stands_for_one_block():
    written = json.loads(json.dumps(certificate("mala")))
    (part,) = written["subject"]["parts"]
    part["partners"] = [["theta", "theta"]]
    assert check(resigned(written)).status == "not a certificate"


def test_a_partner_has_the_domain_of_its_block():
    """On half a line ``sqrt(y^2) - y`` is 0, so that a ratio with it seemed to be right."""
    quartic = x**2 / 2 + x**4 / 4
    rule = Update(h, {x: x - h * grad(quartic, x) / 2 + sqrt(h) * Noise("u", like=x)}, quartic)
    kernel = compose(metropolis(rule))
    written = json.loads(canonical(certificate_of(kernel, verify(kernel))))
    assert check(written).status == "confirmed"
    nodes, (part,) = written["nodes"], written["subject"]["parts"]
    ((_, partner),) = part["partners"]

    def add(*node):
        nodes.append([*node])
        return len(nodes) - 1

    y, nothing = nodes.index(["sym", partner]), add("num", 0, 1)
    root = add("^", add("^", y, nodes.index(["num", 2, 1])), add("num", 1, 2))
    part["cost"] = add("+", part["cost"], root, add("*", nodes.index(["num", -1, 1]), y))
    assert check(resigned(written)).status == "not confirmed"
    written["symbols"][partner]["domain"] = ["interval", nothing, "oo", True, True]
    assert check(resigned(written)).status == "not a certificate"


def resigned(written):
    from verify.certificate import digest_of

    return written | {"sha256": digest_of(written)}


# -- forgeries
# --------------------------------------------------------------------------------------------------


def forged(kernel):
    """The certificate of a kernel that somebody says is proved."""
    report = verify(kernel)
    lines = tuple(
        replace(line, outcome=proved("forged"))
        if line.name in ("well-defined", "invariance")
        else line
        for line in report.lines
    )
    return json.loads(canonical(certificate_of(kernel, replace(report, lines=lines))))


def leaping(*rule, **more):
    return compose(refresh(FLOW, r), metropolis(Update(h, list(rule), H), **more))


def redrawn(value):
    return compose(step(Update(h, {theta: theta, r: value}, H)))


v = Noise("v", like=r)
(MALA_PART,) = compose(MALA).parts
WRONG = {
    "an uneven leapfrog": leaping(kick(Rational(1, 3)), DRIFT, kick(Rational(2, 3)), flip=r),
    "symplectic Euler": leaping(kick(1), DRIFT, flip=r),
    "no sign turned": leaping(kick(HALF), DRIFT, kick(HALF)),
    "another sign turned": leaping(kick(HALF), DRIFT, kick(HALF), flip=theta),
    "a kept state": compose(
        refresh(FLOW, r, keep=exp(-h)), metropolis(LEAPFROG, flip=r, flip_on_rejection=False)
    ),
    "a kept state before a partial refresh": compose(
        metropolis(LEAPFROG, flip=r, flip_on_rejection=False), refresh(FLOW, r, keep=exp(-h))
    ),
    "a map that shrinks": leaping((r, r / 2), DRIFT, (r, 2 * r), flip=r),
    "a map that stretches": leaping((theta, 2 * theta), (r, r), flip=r),
    "another variance": redrawn(v),
    "another mean": redrawn(sqrt(m) * v + h),
    "a partial refresh that is not one": redrawn(exp(-h) * r + sqrt(m) * sqrt(1 - exp(-h)) * v),
    "noise of both coordinates": redrawn(sqrt(m) * total(v)),
    "noise that is not linear": redrawn(sqrt(m) * v**3),
    "a sign of what is not even": compose(
        flip(Recipe((theta, r), H + total(r), ZERO, ROTATION), r)
    ),
    "a step without a test": compose(step(FLOW, "euler")),
    "a drift": compose(step(Update(h, {theta: theta + h, r: r}, H))),
    "no density in the ratio": compose(replace(MALA_PART, cost=U)),
    "another proposal": compose(
        replace(
            MALA_PART,
            proposal=Update(h, {theta: theta - h * grad(U, theta) + sqrt(h) * w}, U),
        )
    ),
    "a proposal without its drift": compose(
        replace(MALA_PART, proposal=Update(h, {theta: theta + sqrt(2 * h) * w}, U))
    ),
    "noise that is shared": compose(
        replace(
            MALA_PART,
            proposal=Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * total(w)}, U),
        )
    ),
    "another root": compose(step(crank_nicolson(h))),
}


@pytest.mark.by_default(4)
@pytest.mark.parametrize("name", WRONG)
def test_a_forged_kernel_is_refused(name):
    result = check(forged(WRONG[name]))
    assert result.status in ("not confirmed", "rejected"), result


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", KERNELS)
def test_a_change_of_a_kernel_is_noticed(name):
    """What is confirmed of a changed certificate, the verifier proves of the changed kernel.

    That exp(-H) is normalisable is assumed by both here.
    """
    written = certificate(name)
    every = list(tampered(written))
    said = ("subject", "nodes", "symbols", "functions")
    for what, altered in Random(name).sample(every, min(SAMPLE, len(every))):
        if check(altered).status == "confirmed" and any(altered[k] != written[k] for k in said):
            changed = kernel_of(altered)
            assert decide_sweep(changed).verdict is Verdict.PROVED, what
            assert outcome_of(changed, "well-defined").verdict is Verdict.PROVED, what


@pytest.mark.parametrize(
    ("name", "other", "words"),
    [
        ("hmc", compose(refresh(FLOW, r), metropolis(LEAPFROG, times=(1, 6), flip=r)), "the parts"),
        ("hmc", compose(refresh(FLOW, r), metropolis(LEAPFROG, times=(1, 5))), "the parts"),
        ("hmc", compose(metropolis(LEAPFROG, times=(1, 5), flip=r), refresh(FLOW, r)), "part 1"),
        ("mala", compose(replace(MALA_PART, cost=U)), "the cost"),
        (
            "crank-nicolson",
            compose(step(Update(h, {theta: theta}, NORMAL))),
            "part 1, rule 1, for theta",
        ),
        ("hmc", Update(h, {theta: theta - h * grad(U, theta)}, U), "is about a kernel"),
    ],
)
def test_the_first_difference_of_a_kernel_is_named(name, other, words):
    assert words in first_difference(certificate(name), other)
