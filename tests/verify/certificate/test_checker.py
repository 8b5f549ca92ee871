"""The checker that stands alone: what it confirms, what it refuses, and that no input makes it do
anything else.
"""

import json
import random
import subprocess
import sys
from itertools import chain, combinations, pairwise
from pathlib import Path

import pytest
from cases.certificate_of_sghmc import altered, findings, resigned, sghmc, signed, x, y
from cases.vanishing_expressions import IDENTITIES, NEAR_MISSES, expressions
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.explicit import World
from sympy import (
    Expr,
    Function,
    Rational,
    Symbol,
    atan,
    cos,
    cosh,
    erf,
    exp,
    log,
    loggamma,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
)

from recipe import Dense, Field, Parameter, Potential, Scalar, Vector, grad, total
from recipe.language.abstract import jets_from_sympy
from recipe.language.calculus import partial
from recipe.language.symbols import GENERIC, OTHER
from verify import checker
from verify.checker import CertificateError, Degrees, Run, Table, check, prime_chain, vanishes
from verify.decide.zero import decide
from verify.decide.zero.decide import DisagreementError, decide_zero
from verify.decide.zero.second_decider import PRIMES, second_opinion
from verify.encode import Encoder

theta = Vector("theta")
r = Vector("r", like=theta)
phi = Vector("phi")
xi = Scalar("xi")
d = theta.dim
U = Potential("U", theta)
F = Field("F", theta, positive=True)
S = Dense("S", theta, symmetric=True)
K = Function("K")
a, c = Symbol("a", positive=True), Symbol("c", positive=True)
b = Symbol("b", real=True)
n = Parameter("n", like=theta)


def table_of(*expressions: Expr) -> tuple[Table, list[int]]:
    to = Encoder()
    indices = [to.node(jets_from_sympy(e)) for e in expressions]
    said = to.declarations()
    return Table(to.nodes, said["symbols"], said["functions"], said["lengths"]), indices


def answer(e: Expr):
    table, (k,) = table_of(e)
    return vanishes(table, k, PRIMES)


# -- primes
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("primes", [PRIMES, prime_chain(2)])
def test_a_chain_is_one_of_primes_whose_squares_are_a_group_of_prime_order(primes):
    from sympy import isprime

    assert all(isprime(p) and p.bit_length() > 185 for p in primes)
    assert all(p == 2 * q + 1 for p, q in pairwise(primes))
    for p in primes:
        assert all(pow(q, p // 2, p) == 1 for q in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31))


def test_every_check_has_primes_of_its_own():
    assert prime_chain(1) != prime_chain(1)


# -- identities and near misses
# --------------------------------------------------------------------------------------------------

TRUE = {
    "quotients": 1 / (1 + theta**2) - theta**2 / (theta**2 + theta**4),
    "nested exponentials": exp(exp(b) + theta) * exp(-exp(b)) - exp(theta),
    "three deep": exp(exp(exp(b)) + 1) - exp(1) * exp(exp(exp(b))),
    "circle": sin(theta + r) ** 2 + cos(theta + r) ** 2 - 1,
    "odd and even": sin(-theta * r + 1) + sin(theta * r - 1) + cos(b - c) - cos(c - b),
    "hyperbola": cosh(theta) ** 2 - sinh(theta) ** 2 - 1,
    "hyperbolic": tanh(theta) * cosh(theta) - sinh(theta),
    "tangent": tan(theta) * cos(theta) - sin(theta),
    "logarithms": log(a * c) - log(a) - log(c) + log(6) - log(2) - log(3) + log(a**b) - b * log(a),
    "powers": a**b * a**c - a ** (b + c) + (a * c) ** b - a**b * c**b,
    "cube roots": a ** Rational(1, 3) * a ** Rational(1, 6) - sqrt(a),
    "roots of numbers": sqrt(2) * sqrt(3) - sqrt(6),
    "elementwise": K(theta * (1 + theta)) - K(theta + theta**2),
    "special": (
        erf(-theta) + erf(theta) + atan(theta) + atan(-theta) + loggamma(a) - loggamma(a * b / b)
    ),
    "a sum of sums": total(theta) * total(phi) - total(phi * total(theta)),
    "matrices": total(r * total(theta)) - total(theta) * total(r),
    "mixed": (
        partial(partial(U, theta), theta.at(OTHER)) - partial(partial(U, theta.at(OTHER)), theta)
    ),
    "a length": total(1 + theta, over=theta) - d - total(theta),
}
FALSE = {
    "a coefficient": sin(theta) ** 2 + cos(theta) ** 2 - 1 - Rational(1, 10**15),
    "exponents": exp(theta) * exp(r) - exp(theta + r * (1 + Rational(1, 10**15))),
    "newton": total(r) ** 3 - 3 * total(r) * total(r**2) + 2 * total(r**3),
    "a rank-one difference": (d - 2) * theta * theta.at(OTHER),
    "two lengths": (d - 1) * (d - 2) * (phi.dim - 1) * total(theta) * total(phi),
    "another argument": K(theta) - K(theta + 1),
    "symmetric but not by name": (
        total(theta * total(F * r)) - total(r * total(F * theta)) + total(F**2 * (theta - r))
    ),
}
NOT_FOR_EVERY_POINT = {
    "a root of a square": sqrt(x**2) - x,
    "a root of a product": sqrt(x**2 * y**2) - x * y,
    "roots of roots": sqrt(1 + sqrt(x**2)) - sqrt(1 + x),
    "two roots of squares": sqrt(x**2) * sqrt((1 + y) ** 2) - x * (1 + y),
    "a cube of a root": (x**2) ** Rational(3, 2) - x**3,
    "functions of totals": exp(total(theta**2)) - exp(total(theta) ** 2),
    "functions of totals that are equal at one": K(total(theta**2)) - K(total(theta) ** 2),
    "functions of a coordinate and a total": exp(theta * total(theta)) - exp(theta**2),
    "functions of a length": K(d) - K(d**2),
    "a logarithm of a square": log(x**2) - 2 * log(x),
}


@pytest.mark.parametrize("name", TRUE)
def test_an_identity_is_confirmed(name):
    assert answer(TRUE[name]).kind == "zero"


@pytest.mark.parametrize("name", FALSE)
def test_a_near_miss_is_not_zero(name):
    assert answer(FALSE[name]).kind == "nonzero"


@pytest.mark.parametrize("name", NOT_FOR_EVERY_POINT)
def test_an_identity_at_some_points_only_is_never_confirmed(name):
    assert answer(NOT_FOR_EVERY_POINT[name]).kind != "zero"


@pytest.mark.parametrize("name", IDENTITIES)
def test_the_identities_of_the_canonical_form_are_never_contradicted(name):
    found = answer(IDENTITIES[name])
    assert found.kind == "zero" or not found.certain


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_the_near_misses_of_the_canonical_form_are_not_zero(name):
    assert answer(NEAR_MISSES[name]).kind == "nonzero"


def test_a_parameter_may_be_called_pi():
    parameter = {"pi": {"kind": "parameter", "facts": ["positive"], "domain": None}}
    table = Table(
        [["pi"], ["sym", "pi"], ["num", -1, 1], ["*", 1, 2], ["+", 0, 3]], parameter, {}, []
    )
    assert vanishes(table, 4, PRIMES).kind == "nonzero"


def test_small_lengths_are_not_enough_and_the_theorem_is_sharp():
    assert answer(FALSE["newton"]).why == "it is not zero at d_theta = 3"
    assert answer(FALSE["a rank-one difference"]).why == "it is not zero at d_theta = 3"


def value_at(e: Expr, size: int, seed: int) -> float:
    """An independent value in explicit coordinates; the free labels stand for the first two."""
    value = World({theta.length: size, phi.length: 2}).read(
        jets_from_sympy(e), {GENERIC: 0, OTHER: 1}
    )
    rng = random.Random(seed)
    return value.subs(
        {s: Rational(rng.randint(8, 40), 16) for s in sorted(value.free_symbols, key=str)}
    ).evalf(40)


@settings(derandomize=True, deadline=None, max_examples=80)
@given(expressions(), expressions(), st.integers(0, 10**6))
def test_what_is_confirmed_is_zero_in_explicit_coordinates(e, f, seed):
    assert answer((e + f) * (e - f) - e**2 + f**2).kind in ("zero", "unknown")
    difference = (e - f).expand()
    found = answer(difference).kind
    zero = all(abs(value_at(difference, size, seed)) < 1e-30 for size in (1, 3))
    assert zero == (found == "zero") or found == "unknown"


# -- how many lengths are enough
# --------------------------------------------------------------------------------------------------


class OnSubset(Run):
    """A run whose coordinates are those of a subset: equal coordinates of different subsets have
    equal values.
    """

    def __init__(self, table, subset, values):
        super().__init__(table, PRIMES, {"d_theta": len(subset)}, order=2)
        self.subset, self._values = subset, values

    def drawn(self, what, indices, level, allowed=checker.ANY):
        return super().drawn(
            what, tuple(self.subset[i] if i >= 0 else i for i in indices), level, allowed
        )


def true_degree(table: Table, evaluate, largest: int) -> int:
    """The largest support S for which the alternating sum over the subsets of S that contain
    coordinate 0 does not vanish.
    """
    values: dict = {}
    support = [0, *range(1, largest + 1)]
    found = 0
    for extra in chain.from_iterable(combinations(support[1:], k) for k in range(largest + 1)):
        alternating = 0
        for inner in chain.from_iterable(combinations(extra, k) for k in range(len(extra) + 1)):
            sign = (-1) ** (len(extra) - len(inner))
            alternating += sign * evaluate(OnSubset(table, (0, *inner), values))
        if alternating % PRIMES[0]:
            found = max(found, len(extra))
    return found


def reciprocals(table: Table, degree: checker.Degree) -> dict[tuple[int, int], int]:
    """How often each denominator has to be multiplied with; those in other denominators come
    last.
    """
    left, found = dict(degree), {}
    while keys := [key for key in left if isinstance(key, tuple)]:
        found[max(keys)] = times = left.pop(max(keys))
        for key, n in Degrees(table, 0).value(max(keys)[0]).items():
            left[key] = left.get(key, 0) + n * max(keys)[1] * times
    return found


words = [
    theta,
    r,
    xi,
    d,
    n,
    total(theta),
    total(r * theta),
    total(theta**2 * xi),
    1 / d,
    1 / (1 + total(theta**2)),
    total(n * r),
    total(1 / (1 + theta**2)),
    total(theta * total(r)),
    log(1 + total(theta**2)),
    atan(total(r)),
    1 / (d + 1 / d),
]


@settings(derandomize=True, deadline=None, max_examples=25)
@given(
    st.lists(st.sampled_from(words), min_size=1, max_size=3),
    st.sampled_from(words),
    st.integers(0, 2),
)
def test_the_bound_of_the_degree_is_never_too_small(factors, term, order):
    e = term
    for f in factors:
        e = e * f + f
    table, (k,) = table_of(e)
    bound = Degrees(table, 2).of(k).get(order)
    top = checker.cleared(table, bound or {})
    variables = (("theta", 0),) * order

    def evaluate(run):
        series = run.series(k, dict.fromkeys(table.nodes[k].free, 0))
        value = series.terms.get((order, variables), 0)
        for (base, power), times in reciprocals(table, bound or {}).items():
            b = run.series(base, {}).constant()
            value *= pow(b if power == 1 else 1 + b * b, times, run.p)
        return value

    if bound is None:
        assert evaluate(Run(table, PRIMES, {"d_theta": 3}, 2)) == 0
    elif sum(top.values()) < 5:
        assert true_degree(table, evaluate, 5) <= sum(top.values())


# -- the second decider of the verifier
# --------------------------------------------------------------------------------------------


def test_a_proof_says_that_it_was_confirmed():
    assert (
        decide_zero(IDENTITIES["partial fractions"]).by
        == "canonical form, confirmed by a second decider"
    )
    assert decide_zero(IDENTITIES["softplus"]).by == "canonical form"


def test_a_contradiction_between_the_deciders_stops_everything(monkeypatch):
    monkeypatch.setattr(decide, "is_zero", lambda e: True)
    with pytest.raises(
        DisagreementError, match="second decider says that it is not zero at d_theta = 2"
    ):
        decide_zero(total(theta) ** 2 - total(theta**2))


def test_a_refutation_that_the_second_decider_denies_stops_everything(monkeypatch):
    monkeypatch.setattr(decide, "second_opinion", lambda e: checker.Answer("zero"))
    with pytest.raises(DisagreementError, match="the second decider says that it is zero"):
        decide_zero(theta - r)


def test_what_is_beyond_the_second_decider_is_unknown():
    deep = b
    for _ in range(50):
        deep = sin(deep) + 1
    assert (second_opinion(deep).kind, "too high a degree" in second_opinion(deep).why) == (
        "unknown",
        True,
    )
    assert second_opinion(exp(exp(exp(exp(b)))) - exp(exp(exp(exp(b) + c)))).kind == "unknown"


# -- certificates, written by hand
# -------------------------------------------------------------------------------------------------


def sgld() -> dict:
    """dtheta = -grad U dt + sqrt(2) dW, by its published update."""
    nodes = [
        ["num", 0, 1], ["num", 1, 1], ["num", -1, 1], ["num", 2, 1], ["num", 1, 2],
        ["value", "U", None], ["d", "U", None, [["theta", 0]]], ["*", 2, 6], ["sym", "eps"],
        ["at", "theta", 0], ["at", "w", 0], ["^", 8, 4], ["^", 3, 4], ["*", 12, 11, 10],
        ["*", 8, 7], ["+", 9, 14, 13],
    ]  # fmt: skip
    symbols = {
        "theta": {"kind": "vector", "facts": [], "domain": None, "length": "d"},
        "w": {"kind": "vector noise", "facts": [], "domain": None, "length": "d"},
        "eps": {"kind": "step", "facts": ["positive"], "domain": None},
    }
    subject = {
        "name": "sgld", "kind": "recipe", "state": ["theta"], "H": 5,
        "D": [[{"diagonal": 1, "kernel": 0}]], "Q": [[{"diagonal": 0, "kernel": 0}]],
        "drift": {"theta": 7}, "marginal": [],
        "update": {"step": "eps", "sequential": False, "rule": [["theta", 15]], "target": 5},
    }  # fmt: skip
    names = [
        "well-defined",
        "diffusion-symmetric",
        "curl-skew",
        "diffusion-psd",
        "stationarity",
        "agrees-with-update",
    ]
    return signed(nodes, symbols, subject, names)


@pytest.mark.parametrize("certificate", [sgld(), sghmc()], ids=["sgld", "sghmc"])
def test_a_certificate_written_by_hand_is_confirmed(certificate):
    result = check(json.loads(json.dumps(certificate)))
    assert (result.status, result.sentence, result.exit_status) == (
        "confirmed",
        "confirmed, error below 2^-100",
        0,
    )
    assert {f.status for f in result.findings} == {"confirmed"}
    assert any("normalisable" in line for line in result.assumptions)


WRONG = {
    "the drift": (("subject", "drift", "r"), 17, "stationarity"),
    "D": (("subject", "D", 1, 1, "diagonal"), 1, "stationarity"),
    "Q is not skew": (("subject", "Q", 0, 1, "diagonal"), 1, "curl-skew"),
    "D is not symmetric": (("subject", "D", 0, 1, "diagonal"), 5, "diffusion-symmetric"),
    "the rule": (("subject", "update", "rule", 1, 1), 21, "agrees-with-update"),
    "the target of the rule": (("subject", "update", "target"), 13, "agrees-with-update"),
    "a coefficient": (("nodes", 4), ["num", 1, 3], "stationarity"),
    "an index": (("nodes", 10), ["at", "theta", 1], "stationarity"),
}


@pytest.mark.parametrize("how", WRONG)
def test_a_wrong_claim_is_rejected_by_name(how):
    path, value, name = WRONG[how]
    certificate = altered(sghmc(), path, value)
    if how == "the rule":  # node 26 less its drift
        certificate["nodes"].append(["+", 8, 25])
        certificate = altered(certificate, path, len(certificate["nodes"]) - 1)
    result = check(certificate)
    assert result.status == "rejected"
    assert name in {f.name for f in result.findings if f.status == "rejected"}


def test_damage_is_seen():
    assert (
        check(sgld() | {"scope": "everything"}).sentence
        == "the certificate is damaged: its sha256 is another one"
    )


@pytest.mark.parametrize("gone", range(7))
def test_an_obligation_cannot_be_left_out(gone):
    certificate = sghmc()
    name = certificate["obligations"].pop(gone)["name"]
    result = check(resigned(certificate))
    assert (result.status, name in result.sentence) == ("rejected", True)
    certificate = sghmc()
    certificate["obligations"][gone]["required"] = False
    assert check(resigned(certificate)).status == "rejected"


def test_what_the_checker_cannot_do_is_not_confirmed():
    certificate = sgld()
    certificate["obligations"].append(certificate["obligations"][0] | {"name": "lipschitz"})
    result = check(resigned(certificate))
    assert (result.status, result.exit_status) == ("not confirmed", 3)
    half_line = ["interval", 0, "oo", True, True]
    result = check(altered(sgld(), ("symbols", "theta", "domain"), half_line))
    assert (result.status, result.sentence) == (
        "rejected",
        "the certificate does not claim boundary, without which it claims nothing",
    )


def low_rank(weight: int = 1, sign: str = "> 0", column: int = 9) -> dict:
    """D = 1 + outer(theta, theta), by two blocks of columns; the drift is its formula, with U in
    it.
    """
    certificate = sgld()
    del certificate["subject"]["update"]
    del certificate["symbols"]["w"], certificate["symbols"]["eps"]
    certificate["nodes"] = [
        *certificate["nodes"][:8],
        ["+", 1, 1],
        ["at", "theta", 0],
        ["at", "theta", -1],
        ["*", 9, 10],
        ["at", "theta", 1],
        ["d", "U", None, [["theta", 1]]],
        ["*", 12, 13],
        ["total", 14, "d", 1],
        ["*", 2, 9, 15],
        ["dim", "d"],
        ["*", 17, 9],
        ["+", 7, 16, 18, 9],
    ]
    certificate["subject"] |= {"drift": {"theta": 19}, "D": [[{"diagonal": 1, "kernel": 11}]]}
    columns = [
        {
            "length": "d",
            "rows": {"theta": {"diagonal": 1, "kernel": 0}},
            "weight": 1,
            "matrix": None,
        },
        {"length": None, "rows": {"theta": {"value": column}}, "weight": weight, "matrix": None},
    ]
    signs = [{"kind": "sign", "e": w, "sign": sign, "form": w} for w in (1, weight)]
    certificate["obligations"] = certificate["obligations"][:-1]
    certificate["obligations"][3]["steps"] = [
        {"kind": "factor", "columns": columns, "signs": signs}
    ]
    return resigned(certificate)


def test_a_factor_proves_a_diffusion_for_every_length():
    assert check(low_rank()).status == "confirmed"
    assert findings(low_rank(weight=3))["diffusion-psd"] == "rejected"
    assert findings(low_rank(column=8))["diffusion-psd"] == "rejected"
    assert findings(low_rank(weight=2))["diffusion-psd"] == "cannot be certified"
    assert findings(low_rank(sign="!= 0"))["diffusion-psd"] == "cannot be certified"


# -- hostile input
# --------------------------------------------------------------------------------------------------

HOSTILE = {
    "a node that refers to itself": (("nodes", 7), ["*", 7, 6], "no earlier node"),
    "a forward reference": (("nodes", 7), ["*", 2, 14], "no earlier node"),
    "a negative reference": (("nodes", 7), ["*", -1, 6], "no earlier node"),
    "a true reference": (("nodes", 7), ["*", True, 6], "no earlier node"),
    "a huge integer": (("nodes", 3), ["num", 10**5000, 1], "at most 2048 bits"),
    "a huge reference": (("nodes", 7), ["*", 10**5000, 6], "limit"),
    "a denominator of zero": (("nodes", 3), ["num", 1, 0], "must be a fraction"),
    "a float": (("nodes", 3), ["num", 1.5, 1], "must be a fraction"),
    "not a number": (("nodes", 3), ["num", float("nan"), 1], "must be a fraction"),
    "a huge power": (("nodes", 4), ["num", 10**9, 1], "too high a power"),
    "an unknown kind": (("nodes", 5), ["eval", "1"], "unknown kind"),
    "an unknown function": (("nodes", 7), ["fn", "__import__", 6], "unknown function"),
    "an unknown symbol": (("nodes", 8), ["sym", "os"], "no such symbol"),
    "a symbol of another kind": (("nodes", 8), ["sym", "theta"], "no such symbol"),
    "an unknown potential": (("nodes", 5), ["value", "V", None], "is not declared as"),
    "an unknown block": (("nodes", 6), ["d", "U", None, [["x", 0]]], "does not depend"),
    "too many parts": (("nodes", 5), ["value", "U", None, 1], "too many or too few parts"),
    "no list": (("nodes", 5), {"value": "U"}, "must be a list"),
    "no table": (("nodes",), {}, "nodes must be a list"),
    "a name for two things": (
        ("functions", "theta"),
        {"kind": "potential", "blocks": ["theta"]},
        "declared twice",
    ),
    "an unknown fact": (("symbols", "eps", "facts"), ["big"], "facts of 'eps'"),
    "a contradiction": (("symbols", "eps", "facts"), ["negative"], "contradict each other"),
    "a fact of a block": (("symbols", "theta", "facts"), ["positive"], "can only have a domain"),
    "an unknown key": (("subject", "extra"), 1, "unknown key 'extra'"),
    "a block twice": (("subject", "state"), ["theta", "theta"], "names a block twice"),
    "a block that is none": (("subject", "state"), [["theta"]], "the state is wrong"),
    "no drift": (("subject", "drift"), {}, "the drift lacks theta"),
    "a vector for a number": (("subject", "H"), 9, "H is of another length"),
    "noise in the drift": (("subject", "drift", "theta"), 10, "neither the step nor noise"),
    "another version": (("version",), 1, "reads version 2"),
    "an undecided obligation": (
        ("obligations", 0, "verdict"),
        "undecided",
        "not claimed to be proved",
    ),
    "an obligation twice": (("obligations", 1, "name"), "well-defined", "claimed twice"),
    "an unknown step": (
        ("obligations", 0, "steps"),
        [{"kind": "trust me"}],
        "neither a sign, a factor nor an edge",
    ),
    "an empty domain": (("symbols", "theta", "domain"), ["interval", 1, 0, True, True], "is empty"),
}


@pytest.mark.parametrize("how", HOSTILE)
def test_what_is_no_certificate_is_refused_in_one_sentence(how):
    path, value, sentence = HOSTILE[how]
    certificate = sgld()
    place = certificate
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    result = check(certificate)
    assert (result.status, result.exit_status) == ("not a certificate", 2)
    assert sentence in result.sentence


@pytest.mark.parametrize("thing", [None, 1, "text", [], {}, {"version": 1}])
def test_anything_else_is_no_certificate(thing):
    assert check(thing).status == "not a certificate"


JUNK = [
    None,
    True,
    False,
    -1,
    0,
    1,
    10**30,
    1.5,
    float("inf"),
    "",
    "theta",
    "oo",
    [],
    [[]],
    {},
    {"kind": []},
    ["num", 1, 1],
    [0, [1]],
]


def leaves(data, path=()):
    """The places of a certificate, inner ones included."""
    yield path
    for key in (
        data if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    ):
        yield from leaves(data[key], (*path, key))


@pytest.mark.parametrize("seed", range(4))
def test_junk_in_any_place_is_answered_and_never_confirmed_where_it_matters(seed):
    rng, original = random.Random(seed), sghmc()
    places = [p for p in leaves(original) if p]
    for _ in range(150):
        path, value = rng.choice(places), rng.choice(JUNK)
        certificate = altered(original, path, value)
        result = check(certificate)
        assert result.status in ("confirmed", "rejected", "not confirmed", "not a certificate")
        harmless = (
            certificate == original
            or type(value) in (bool, int, str, list)
            or path == ("subject", "name")
        )
        assert result.status != "confirmed" or harmless


def test_depth_and_degree_are_limited():
    deep, high = sgld(), sgld()
    deep["nodes"] += [["+", 9 if k == 0 else 15 + k] for k in range(200)]
    assert "deeper than 90" in check(deep).sentence
    high["nodes"] += [["*", 9, 9] if k == 0 else ["*", 15 + k, 15 + k] for k in range(60)]
    assert "too high a degree" in check(high).sentence


def test_knowing_the_primes_of_another_run_does_not_help():
    certificate = sgld()
    certificate["nodes"][7] = ["*", 16, 6]
    certificate["nodes"] = [
        *certificate["nodes"][:7],
        ["num", -1 + PRIMES[0], 1],
        *certificate["nodes"][7:],
    ]
    shifted = [
        [x + 1 if type(x) is int and x >= 7 and node[0] in "+*^" else x for x in node]
        for node in certificate["nodes"][8:]
    ]
    certificate["nodes"][8:] = shifted
    certificate["nodes"][8] = ["*", 7, 6]
    certificate["subject"]["drift"]["theta"] = 8
    certificate["subject"]["update"]["rule"][0][1] = 16
    assert check(resigned(certificate)).status == "rejected"


# -- alone
# --------------------------------------------------------------------------------------------------


def alone(folder: Path, text: str) -> subprocess.CompletedProcess:
    (folder / "checker.py").write_bytes(Path(checker.__file__).read_bytes())
    (folder / "cert.json").write_text(text)
    command = [sys.executable, "-I", "-S", "checker.py", "cert.json"]
    return subprocess.run(
        command, cwd=folder, env={}, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_copy_of_the_file_is_all_that_it_takes(tmp_path):
    done = alone(tmp_path, json.dumps(sghmc()))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("confirmed, error below 2^-100\n")
    assert "stationarity" in done.stdout


@pytest.mark.parametrize(
    ("text", "status", "sentence"),
    [
        (json.dumps(altered(sghmc(), ("subject", "drift", "r"), 17)), 1, "rejected"),
        ("{", 2, "cannot be read"),
        ('{"version": 1, "version": 1}', 2, "twice"),
        ('{"version": NaN}', 2, "NaN is no integer"),
        ("[" * 100_000, 2, "not a certificate"),
        ("\udcff".encode("utf-8", "surrogatepass").decode("latin-1"), 2, "not a certificate"),
    ],
)
def test_exit_status(tmp_path, text, status, sentence):
    done = alone(tmp_path, text)
    assert (done.returncode, done.stderr) == (status, "")
    assert sentence in done.stdout


def test_usage(tmp_path):
    assert checker.main([]) == 2
    assert checker.main([str(tmp_path / "missing.json")]) == 2


def test_a_number_that_is_zero_modulo_a_prime_is_no_zero():
    with pytest.raises(CertificateError):
        Table([["num", 1, 2**3000]], {}, {}, [])
    table, (k,) = table_of(theta * PRIMES[0])
    assert vanishes(table, k, prime_chain(1)).kind == "nonzero"


def test_gradients_of_potentials_are_free():
    assert answer(total(r * grad(U, theta)) - total(theta * grad(U, theta))).certain
