"""Certificates of samplers in other coordinates: the checker derives the Jacobian and the chain
rule anew, and refuses another original, another map, or another inverse.
"""

import copy
import json
from functools import cache
from random import Random

import pytest
from generators.tampered_certificates import tampered
from oracles.decoded import claim_of, is_true
from sympy import Interval, Matrix, Symbol, log, oo

from recipe import Potential, Recipe, Scalar, Vector, corv, ito, maps, total
from verify import verify
from verify.certificate import canonical, certificate_of, digest_of
from verify.certificate.difference import first_difference
from verify.checker import check

A, a = Symbol("A", positive=True), Symbol("a", positive=True)
theta = Vector("theta", domain=Interval.open(0, oo))
r = Vector("r", like=theta)
x = Scalar("x", domain=Interval.open(0, 1))
U = Potential("U", theta)
ROTATION = Matrix([[0, -1], [1, 0]])
SAMPLERS = {
    "ito": ito(Recipe((theta,), U, A * theta, 0), theta, maps.exp),
    "corv": corv(
        Recipe((theta, r), U + total(r**2) / 2, Matrix([[0, 0], [0, A]]), ROTATION),
        theta,
        maps.softplus,
    ),
    "scalar": ito(Recipe((x,), -a * log(x) - 2 * log(1 - x), x * (1 - x), 0), x, maps.sigmoid),
}
SAMPLE = 15  # changes of each certificate that are tried by default


@cache
def certificate(name):
    report = verify(SAMPLERS[name])
    return json.loads(canonical(certificate_of(SAMPLERS[name], report)))


def signed(changed):
    return changed | {"sha256": digest_of(changed)}


def status_of(changed, name):
    return {f.name: f.status for f in check(signed(changed)).findings}.get(name)


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_in_other_coordinates_is_confirmed(name):
    result = check(certificate(name))
    assert result.status == "confirmed", result
    assert {"monotone", "onto", "push-forward"} <= {
        f.name for f in result.findings if f.status == "confirmed"
    }
    assert is_true(claim_of(certificate(name)))
    assert first_difference(certificate(name), SAMPLERS[name]) is None


@pytest.mark.parametrize("f", [maps.exp, maps.softplus])
def test_maps_onto_a_half_line(f):
    sampler = corv(Recipe((theta,), U, A, 0), theta, f)
    result = check(json.loads(canonical(certificate_of(sampler, verify(sampler)))))
    assert result.status == "confirmed", result


@pytest.mark.parametrize("f", [maps.sigmoid, maps.complementary_log_log])
def test_maps_onto_an_interval(f):
    V = Potential("V", x)
    sampler = corv(Recipe((x,), V, A, 0), x, f)
    result = check(json.loads(canonical(certificate_of(sampler, verify(sampler)))))
    assert result.status == "confirmed", result


def doubled(table, index):
    """The index of twice a node, which is added to its table."""
    table["nodes"] += [["num", 2, 1], ["*", len(table["nodes"]), index]]
    return len(table["nodes"]) - 1


def forged(name, what):
    """A certificate of a false claim about the change of variable alone: all else stays true."""
    changed = copy.deepcopy(certificate(name))
    subject = changed["subject"]
    (m,), transform = subject["maps"].values(), subject["transform"]
    original = transform["original"]
    match what:
        case "another diffusion":
            entry = original["D"][-1][-1]
            key = next(iter(entry.keys() - {"kernel"}))
            entry[key] = doubled(original, entry[key])
        case "another law":
            original["H"] = doubled(original, original["H"])
        case "another drift":
            block = original["state"][-1]
            original["drift"][block] = doubled(original, original["drift"][block])
        case "another kind":
            transform["kind"] = {"ito": "corv", "corv": "ito"}[transform["kind"]]
        case "another map":
            m["forward"] = doubled(changed, m["forward"])
        case "another slope":
            m["slope"] = doubled(changed, m["slope"])
        case "both":
            m["forward"], m["slope"] = (doubled(changed, m[k]) for k in ("forward", "slope"))
        case "another inverse":
            m["inverse"]["value"] = doubled(m["inverse"], m["inverse"]["value"])
        case "no map":
            vector = changed["symbols"]["phi"]["kind"] == "vector"
            changed["nodes"].append(["at", "phi", 0] if vector else ["sym", "phi"])
            m["forward"] = len(changed["nodes"]) - 1
        case "no transform":
            del subject["transform"]
            changed["obligations"] = [
                o for o in changed["obligations"] if o["name"] != "push-forward"
            ]
            m["slope"] = doubled(changed, m["slope"])
    return changed


FORGERIES = (
    "another diffusion",
    "another law",
    "another drift",
    "another kind",
    "another map",
    "another slope",
    "both",
    "another inverse",
    "no map",
    "no transform",
)


@pytest.mark.by_default(10)
@pytest.mark.parametrize("what", FORGERIES)
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_forged_change_of_variable_is_refused(name, what):
    assert check(signed(forged(name, what))).status != "confirmed"


def test_a_map_that_is_not_onto_is_refused():
    """f = exp onto (1, oo), with its inverse log there: f goes below 1."""
    changed = copy.deepcopy(certificate("ito"))
    m = changed["subject"]["maps"]["phi"]
    changed["nodes"].append(["num", 1, 1])
    m["domain"] = ["interval", len(changed["nodes"]) - 1, "oo", True, True]
    for table in (m["inverse"], changed["subject"]["transform"]["original"]):
        table["nodes"].append(["num", 1, 1])
        table["symbols"]["theta"]["domain"] = [
            "interval",
            len(table["nodes"]) - 1,
            "oo",
            True,
            True,
        ]
    assert status_of(changed, "onto") == "cannot be certified"


def test_an_image_in_another_domain_is_refused():
    changed = copy.deepcopy(certificate("ito"))
    changed["subject"]["maps"]["phi"]["domain"] = None
    assert check(signed(changed)).status == "not a certificate"


@pytest.mark.by_default(1)
@pytest.mark.parametrize("name", SAMPLERS)
def test_a_change_of_the_original_or_a_map_is_noticed(name):
    written, claim = certificate(name), claim_of(certificate(name))
    every = [
        (what, altered)
        for what, altered in tampered(written)
        if "subject/maps" in what or "subject/transform" in what
    ]
    for what, altered in Random(name).sample(every, min(SAMPLE, len(every))):
        if check(altered).status == "confirmed":
            said = claim_of(altered)
            assert said == claim or is_true(said), what
            assert said == claim or first_difference(altered, SAMPLERS[name]), what
