"""Certificates of discrete steps: their limit, and transitions that are exact at every size."""

import json
from dataclasses import replace
from functools import cache
from random import Random

import pytest
from generators.tampered_certificates import tampered
from oracles.decoded import claim_of, is_true
from sympy import Matrix, Symbol, exp, sqrt

from recipe import Noise, Potential, Recipe, Scalar, Update, Vector, grad, total
from recipe.scheme import discretised
from verify import verify
from verify.certificate import canonical, certificate_of, digest_of
from verify.certificate.difference import first_difference
from verify.checker import check
from verify.verdict import proved

theta = Vector("theta")
r = Vector("r", like=theta)
x = Scalar("x")
U = Potential("U", theta)
C, m = Symbol("C", positive=True), Symbol("m", real=True)
UNDERDAMPED = Recipe(
    (theta, r),
    U + total(r**2) / 2,
    Matrix([[0, 0], [0, C]]),
    Matrix([[0, -1], [1, 0]]),
)
NORMAL = Recipe((theta,), total((theta - m) ** 2) / 2, C, 0)
FREE = Recipe((theta, x), total(theta**2) / 2 + x**2, Matrix([[C, 0], [0, 1]]), Matrix.zeros(2))
STEPS = {
    "euler": discretised(UNDERDAMPED, "euler"),
    "baoab": discretised(UNDERDAMPED, "baoab"),
    "obabo": discretised(UNDERDAMPED, "obabo"),
    "exact": discretised(NORMAL, "exact"),
    "two exact blocks": discretised(FREE, "exact"),
}
SAMPLE = 15  # changes of the step of each certificate that are tried by default


def written(step, *forged):
    """The certificate of a step, as if the obligations of these names were proved."""
    report = verify(step)
    lines = tuple(
        replace(line, outcome=proved("forged")) if line.name in forged else line
        for line in report.lines
    )
    return json.loads(canonical(certificate_of(step, replace(report, lines=lines))))


@cache
def certificate(name):
    return written(STEPS[name])


def statuses(data):
    return {f.name: f.status for f in check(data).findings}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_confirmed(name):
    result = check(certificate(name))
    assert result.status == "confirmed", result
    found = {f.name: f for f in result.findings}
    assert found["consistency"].status == "confirmed"
    if name != "euler":
        assert found["exact-transition"].status == "confirmed"
        whole = "the step is the transition of the process" in found["exact-transition"].sentence
        assert whole == ("exact" in name)
    assert f"its step by {STEPS[name].scheme}" in result.about
    assert first_difference(certificate(name), STEPS[name]) is None


@pytest.mark.parametrize("name", ["invariant-order", "stable-step", "noise-budget"])
def test_what_has_no_procedure_is_named(name):
    found = {f.name: f for f in check(certificate("baoab")).findings}
    assert found[name].status == "cannot be certified"


# -- forgeries
# --------------------------------------------------------------------------------------------------

h = STEPS["baoab"].update.step
w = Noise("w_r", like=r)
KICK, DRIFT = (r, r - h * grad(U, theta) / 2), (theta, theta + h * r / 2)
EXACT = (r, exp(-C * h) * r + sqrt(1 - exp(-2 * C * h)) * w)
BOTH = ("consistency", "exact-transition")


def baoab(*rule):
    step = STEPS["baoab"]
    return replace(step, update=Update(h, list(rule), step.update.target))


def around(rule):
    return baoab(KICK, DRIFT, rule, DRIFT, KICK)


NOT_EXACT = {
    "an Euler step": around((r, (1 - C * h) * r + sqrt(2 * C * h) * w)),
    "a rational step": around((r, r / (1 + C * h) + sqrt(2 * C * h) * w)),
    "noise of an Euler step": around((r, exp(-C * h) * r + sqrt(2 * C * h) * w)),
    "a kick that bends": baoab((r, r - (h / 2 + h**2) * grad(U, theta)), DRIFT, EXACT, DRIFT, KICK),
    "one noise twice": baoab(
        KICK,
        (r, exp(-C * h / 2) * r + sqrt(1 - exp(-C * h)) * w),
        (theta, theta + h * r),
        (r, exp(-C * h / 2) * r + sqrt(1 - exp(-C * h)) * w),
        KICK,
    ),
}
NOT_CONSISTENT = {
    "twice the kick": baoab((r, r - h * grad(U, theta)), DRIFT, EXACT, DRIFT, KICK),
    "half of the noise": around((r, exp(-C * h) * r + sqrt((1 - exp(-2 * C * h)) / 2) * w)),
    "another friction": around((r, exp(-2 * C * h) * r + sqrt(1 - exp(-2 * C * h)) * w)),
    "no drift": baoab(KICK, EXACT, (theta, theta), KICK),
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", NOT_EXACT)
def test_a_step_that_is_not_exact_is_refused(name):
    found = statuses(written(NOT_EXACT[name], *BOTH))
    assert found["exact-transition"] == "cannot be certified"


@pytest.mark.parametrize("name", NOT_CONSISTENT)
def test_a_step_of_another_process_is_refused(name):
    found = statuses(written(NOT_CONSISTENT[name], *BOTH))
    assert found["consistency"] in ("rejected", "cannot be certified")
    assert found["exact-transition"] == "cannot be certified"


def test_pieces_are_not_the_whole_process():
    data = json.loads(json.dumps(certificate("baoab")))
    data["subject"]["scheme"]["splitting"] = False
    found = statuses(data | {"sha256": digest_of(data)})
    assert found["exact-transition"] == "cannot be certified"


def test_a_step_has_a_claim_on_its_limit():
    data = json.loads(json.dumps(certificate("euler")))
    data["obligations"] = [o for o in data["obligations"] if o["name"] != "consistency"]
    assert check(data | {"sha256": digest_of(data)}).status == "rejected"


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", ["baoab", "two exact blocks"])
def test_a_change_of_a_step_is_noticed(name):
    """What is confirmed of a changed step has the right limit in explicit coordinates."""
    every = [(what, new) for what, new in tampered(certificate(name)) if "subject/scheme" in what]
    for what, altered in Random(name).sample(every, min(SAMPLE, len(every))):
        if check(altered).status == "confirmed":
            scheme = {
                k: altered["subject"]["scheme"][k] for k in ("step", "sequential", "rule", "target")
            }
            moved = {**altered, "subject": altered["subject"] | {"update": scheme}}
            assert is_true(claim_of(moved)), what
            same = scheme == {k: certificate(name)["subject"]["scheme"][k] for k in scheme}
            assert same or first_difference(altered, STEPS[name]) is not None, what
