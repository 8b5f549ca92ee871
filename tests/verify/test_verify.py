"""Verdicts on the catalog, on mutants of it, and on claims that are known to be right or wrong."""

import pytest
from cases.catalog_recipes import catalog_recipes
from cases.wrong_claims import (
    WRONG,
    A,
    F,
    G,
    K,
    U,
    d,
    eps,
    langevin,
    nose_hoover,
    r,
    riemannian,
    theta,
    w,
    xi,
)
from helpers.outcomes import outcome_of
from sympy import (
    Integer,
    Interval,
    Matrix,
    Mul,
    Rational,
    Symbol,
    cos,
    exp,
    log,
    oo,
    sin,
    sqrt,
)

from recipe import (
    Dense,
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    dot,
    grad,
    outer,
    total,
)
from verify import Verdict, verify
from verify.report import Report

CATALOG = catalog_recipes()
PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
CANONICAL = Matrix([[0, -1], [1, 0]])
FRICTION = Matrix([[0, 0], [0, A]])


def of(report: Report, name: str) -> Verdict:
    """The verdict on one obligation."""
    return outcome_of(report, name).verdict


# -- the catalog
# --------------------------------------------------------------------------------------------------


NOT_SO = {  # what is refuted of an entry, and not required of it
    # Yokoi, Otsuka & Sato (2020), theorem 2: an Euler step of Ito's transform diverges at the edge
    "ito_sgld": ["boundary-step"],
    "hmc": ["uniqueness"],  # without a refresh H never changes
}


@pytest.mark.by_default(14)
@pytest.mark.parametrize("name", sorted(CATALOG))
def test_the_catalog_is_proved(name):
    report = verify(CATALOG[name])
    not_proved = {
        line.name: line.outcome.verdict
        for line in report.lines
        if line.required and line.outcome.verdict is not PROVED
    }
    assert not_proved == {}
    assert report.verdict is PROVED
    assert of(report, "agrees-with-update") is PROVED
    refuted = [line.name for line in report.lines if line.outcome.verdict is REFUTED]
    assert refuted == NOT_SO.get(name, [])


def test_what_leaves_its_domain_is_refuted_as_a_whole():
    half_line = Vector("theta", domain=Interval.open(0, oo))
    report = verify(
        Recipe((half_line,), total(half_line), 1, 0)
    )  # Langevin dynamics leaves the half line
    assert of(report, "stationarity") is PROVED
    assert of(report, "boundary") is REFUTED
    assert report.verdict is REFUTED


def mutants(recipe: Recipe) -> list[tuple[str, dict]]:
    """One change each to D, Q or H that changes the process."""
    found = []
    for letter, matrix in (("D", recipe.D.written), ("Q", recipe.Q.written)):
        for a in range(matrix.rows):
            for b in range(matrix.cols):
                if matrix[a, b] == 0:
                    continue
                for how, value in (
                    ("doubled", 2 * matrix[a, b]),
                    ("negated", -matrix[a, b]),
                    ("dropped", Integer(0)),
                ):
                    changed = Matrix(matrix)
                    changed[a, b] = value
                    found.append((f"{letter}[{a},{b}] {how}", {letter: changed}))
    block = recipe.state[0]
    found.append(
        ("H without its potential", {"H": recipe.H - Potential("U", block.image or block)})
    )
    found.append(
        ("H with a drift", {"H": recipe.H + (total(block) if isinstance(block, Vector) else block)})
    )
    return found


MUTANTS = [
    (name, change, parts)
    for name, recipe in sorted(CATALOG.items())
    for change, parts in mutants(recipe)
]


@pytest.mark.by_default(5)
@pytest.mark.parametrize(
    ("name", "change", "parts"), MUTANTS, ids=[f"{n}: {c}" for n, c, _ in MUTANTS]
)
def test_a_mutant_of_the_catalog_is_refuted_against_its_published_update(name, change, parts):
    entry = CATALOG[name]
    written = {"H": entry.H, "D": entry.D.written, "Q": entry.Q.written} | parts
    report = verify(
        Recipe(
            entry.state,
            written["H"],
            written["D"],
            written["Q"],
            update=entry.update,
            where=entry.where,
        )
    )
    assert of(report, "agrees-with-update") is REFUTED
    assert report.verdict is REFUTED


RIGHT = {
    "sgrhmc, elementwise metric": riemannian(G),
    "sgrhmc, metric of the whole block": riemannian(F),
    "sgrld": langevin(F),
    "sgrld, concrete metric": langevin(1 + total(theta**2) * theta**2),
    "sgnht": nose_hoover(d * (xi - A) ** 2 / 2),
    "exact friction": Update(
        eps,
        {
            theta: theta + eps * r,
            r: exp(-A * eps) * r - eps * grad(U, theta) + sqrt(1 - exp(-2 * A * eps)) * w,
        },
        U + K,
    ),
    "a dense preconditioner": Update(
        eps,
        {
            theta: (
                theta
                - eps * dot(Dense("M", theta, positive=True), grad(U, theta))
                + sqrt(2 * eps)
                * Noise("w", like=theta, covariance=Dense("M", theta, positive=True))
            )
        },
        U,
    ),
    "temperature": Update(
        eps, {theta: theta - eps * grad(U, theta) + sqrt(2 * A * eps) * w}, U / A
    ),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_claim_is_proved(name):
    assert verify(RIGHT[name]).verdict is PROVED


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_claim_is_refuted_with_a_witness(name):
    report = verify(WRONG[name])
    assert of(report, "stationarity") is REFUTED
    assert outcome_of(report, "stationarity").witness is not None


def test_the_printed_nose_hoover_hamiltonian_is_refuted_at_two_dimensions_and_not_at_one():
    witness = outcome_of(verify(WRONG["sgnht as it is printed"]), "stationarity").witness
    assert witness.point["d_theta"] == "2"


# -- each obligation: a recipe that passes, one that is refuted, one that cannot be decided -----

positive = Vector("positive", domain=Interval.open(0, oo))
closed = Vector("closed", domain=Interval(0, oo))
x, y, z = Scalar("x"), Scalar("y"), Scalar("z")
B = Symbol("B", real=True)


def plain(block, D, H=None):
    return Recipe((block,), total(block**2) if H is None else H, D, 0)


# Zero for every theta, by eight double angles in turn, which the canonical form does not know.
HIDDEN = sin(256 * theta) - 256 * sin(theta) * Mul(*(cos(2**k * theta) for k in range(8)))
CASES = [
    ("well-defined", PROVED, plain(positive, 1 / positive)),
    ("well-defined", PROVED, plain(theta, 1, total(log(1 + theta**2)))),
    (
        "well-defined",
        PROVED,
        plain(theta, 1, total(theta ** (2 * Symbol("n", integer=True, positive=True)))),
    ),
    ("well-defined", REFUTED, plain(theta, 1 / theta**2)),
    ("well-defined", REFUTED, plain(theta, 1, total(log(theta)))),
    ("well-defined", REFUTED, plain(closed, sqrt(closed))),
    ("well-defined", PROVED, plain(theta, 1 / (3 + sin(theta) + cos(theta)))),
    ("well-defined", UNDECIDED, plain(theta, 1 / (1 + HIDDEN))),
    (
        "diffusion-symmetric",
        PROVED,
        Recipe((theta, xi), U + xi**2, Matrix([[1, theta], [theta, 1 + d]]), Matrix.zeros(2)),
    ),
    ("diffusion-symmetric", PROVED, plain(theta, 1 + outer(theta, r * 0 + theta))),
    (
        "diffusion-symmetric",
        REFUTED,
        Recipe((theta, r), U + K, Matrix([[1, Rational(1, 2)], [0, 1]]), Matrix.zeros(2)),
    ),
    ("diffusion-symmetric", REFUTED, plain(theta, 2 + Dense("M", theta))),
    (
        "curl-skew",
        PROVED,
        Recipe((theta,), U, 1, outer(theta, sin(theta)) - outer(sin(theta), theta)),
    ),
    ("curl-skew", REFUTED, Recipe((theta, r), U + K, FRICTION, Matrix([[0, -1], [1, theta]]))),
    ("curl-skew", REFUTED, Recipe((theta,), U, 1, outer(theta, sin(theta)))),
    (
        "diffusion-psd",
        PROVED,
        Recipe((x, y), x**2 + y**2, Matrix([[1 + x**2, x], [x, 1]]), Matrix.zeros(2)),
    ),
    (
        "diffusion-psd",
        PROVED,
        Recipe(
            (x, y, z),
            x**2,
            Matrix([[1, x, x], [x, x**2, x**2], [x, x**2, x**2 + 1]]),
            Matrix.zeros(3),
        ),
    ),
    ("diffusion-psd", PROVED, plain(theta, 1 + total(theta**2) * outer(sin(theta), sin(theta)))),
    (
        "diffusion-psd",
        REFUTED,
        Recipe((x, y), x**2 + y**2, Matrix([[1, x], [x, 1]]), Matrix.zeros(2)),
    ),
    ("diffusion-psd", REFUTED, plain(theta, B)),
    ("diffusion-psd", REFUTED, plain(theta, 1 - outer(theta, theta))),
    (
        "diffusion-psd",
        REFUTED,
        Recipe((theta, xi), U + xi**2, Matrix([[1, theta], [theta, 1]]), Matrix.zeros(2)),
    ),
    ("diffusion-psd", REFUTED, plain(theta, theta ** Symbol("n", integer=True, positive=True))),
    ("diffusion-psd", UNDECIDED, plain(theta, 1 + HIDDEN)),
    (
        "diffusion-psd",
        PROVED,
        Recipe(
            (theta, xi), U + xi**2, Matrix([[1, theta], [theta, total(theta**2)]]), Matrix.zeros(2)
        ),
    ),
    (
        "stationarity",
        PROVED,
        Recipe(
            (theta, xi),
            U + xi**2 * total(theta**4),
            Matrix.zeros(2),
            Matrix([[0, theta], [-theta, 0]]),
        ),
    ),
    (
        "stationarity",
        REFUTED,
        Recipe((theta, xi), U + xi**2, Matrix.zeros(2), Matrix([[0, theta], [theta, 0]])),
    ),
    ("marginal", PROVED, Recipe((theta, r), U + K, FRICTION, CANONICAL, marginal={theta: U})),
    (
        "marginal",
        REFUTED,
        Recipe((theta, r), U + total(r**2 * G), FRICTION, CANONICAL, marginal={theta: U}),
    ),
    (
        "marginal",
        PROVED,
        Recipe(
            (x, y, z),
            x**2 * y**4 + z**2,
            Matrix.eye(3),
            Matrix.zeros(3),
            marginal={(x, y): x**2 * y**4},
        ),
    ),
    (
        "marginal",
        REFUTED,
        Recipe(
            (x, y, z), x**2 + y**2 * z**2, Matrix.eye(3), Matrix.zeros(3), marginal={(x, y): x**2}
        ),
    ),
    (
        "marginal",
        UNDECIDED,
        Recipe(
            (x, y, z),
            x**2 + Potential("W", y, z),
            Matrix.eye(3),
            Matrix.zeros(3),
            marginal={(x, y): x**2},
        ),
    ),
]


@pytest.mark.by_default(15)
@pytest.mark.slow_for("well-defined undecided 7", "diffusion-psd undecided 23")
@pytest.mark.parametrize(
    ("name", "verdict", "recipe"),
    CASES,
    ids=[f"{n} {v.value} {k}" for k, (n, v, _) in enumerate(CASES)],
)
def test_each_obligation_passes_refutes_and_abstains(name, verdict, recipe):
    outcome = outcome_of(verify(recipe), name)
    assert outcome.verdict is verdict
    assert (outcome.witness is not None) == (verdict is REFUTED)


def with_factor(D, factor, state=(theta, xi), H=U + xi**2):
    return verify(Recipe(state, H, D, Matrix.zeros(len(state)), noise_factor=factor))


@pytest.mark.slow
def test_a_factor_proves_what_structure_does_not():
    D = Matrix([[1, theta], [theta, total(theta**2) + HIDDEN.xreplace({theta: xi})]])
    right = with_factor(
        Matrix([[1 + theta**2, theta], [theta, 1]]), Matrix([[1, theta], [0, 1]]), (theta, r), U + K
    )
    assert (of(right, "diffusion-psd"), of(right, "noise-factor")) == (PROVED, PROVED)
    wrong = with_factor(D, Matrix([[1, 0], [2 * theta, 0]]))
    assert (of(wrong, "diffusion-psd"), of(wrong, "noise-factor")) == (UNDECIDED, REFUTED)


@pytest.mark.parametrize(
    ("D", "factor"),
    [
        (Matrix([[1, 0], [0, 1]]), Matrix([[5, 0], [0, 1]])),
        (Matrix([[1, 1], [1, 1]]), Matrix([[1, 1], [1, 0]])),
    ],
)
def test_a_wrong_factor_of_a_good_matrix_is_refuted(D, factor):
    report = with_factor(D, factor, (x, y), x**2 + y**2)
    assert of(report, "diffusion-psd") is PROVED
    assert of(report, "noise-factor") is REFUTED


def test_a_factor_may_meet_any_names_of_parameters():
    step, w0 = Symbol("step", positive=True), Symbol("w0", positive=True)
    report = with_factor(
        Matrix([[step**2, 0], [0, w0**2]]), Matrix([[step, 0], [0, w0]]), (x, y), x**2 + y**2
    )
    assert of(report, "noise-factor") is PROVED


def test_a_kernel_is_judged_off_the_diagonal():
    report = verify(Recipe((theta,), U, 1, outer(theta, theta) - theta**2))  # at d = 1 this is zero
    assert outcome_of(report, "curl-skew").witness.point["d_theta"] == "2"


def test_a_small_step_does_not_make_a_root_real():
    B = Symbol("B", real=True)
    rule = {
        theta: theta - eps * B * grad(U, theta) + sqrt(2 * B * eps + eps**2) * w
    }  # its limit has D = B, of either sign
    found = outcome_of(verify(Update(eps, rule, U)), "well-defined")
    assert found.verdict is REFUTED
    assert "for every small step" in found.by
    assert verify(Update(eps, {b: e.subs(B, A) for b, e in rule.items()}, U)).verdict is PROVED


def test_a_sign_for_small_steps_that_the_leading_coefficient_leaves_open_is_undecided():
    rule = {
        theta: theta - eps * grad(U, theta) + sqrt(2 * eps + eps**2 * xi) * w,
        xi: xi + eps**2 * sqrt(eps * xi**2 - eps**2),
    }
    assert of(verify(Update(eps, rule, U)), "well-defined") is UNDECIDED


def test_a_root_and_a_logarithm_of_one_thing():
    q, n = (
        Scalar("q", domain=Interval.open(0, oo)),
        Noise("n", like=Scalar("q", domain=Interval.open(0, oo))),
    )
    report = verify(Update(eps, {q: q - eps * sqrt(q) * log(q) + sqrt(2 * eps) * n}, q**2 / 2))
    assert of(report, "stationarity") is REFUTED


def test_a_domain_that_nothing_satisfies_proves_nothing():
    never = Symbol("m", irrational=True)  # no rational point has such a parameter, so none is known
    assert of(verify(plain(theta, 1, total(theta**2) * never)), "well-defined") is UNDECIDED


def test_the_repair_of_a_skew_pair_is_named():
    recipe = Recipe(
        (theta, r, xi), U + K, Matrix.zeros(3), Matrix([[0, -1, 0], [1, 0, r / d], [0, r / d, 0]])
    )
    assert "Q[xi, r] must be -r/d" in outcome_of(verify(recipe), "curl-skew").repair


def test_what_is_required_and_not_decided_leaves_the_report_undecided():
    assert verify(CATALOG["hmc"]).verdict is PROVED
    assert verify(CATALOG["scir"], require=["uniqueness"]).verdict is UNDECIDED
    assert verify(CATALOG["sgld"], require=["boundary"]).verdict is PROVED  # there is no edge
    assert verify(CATALOG["sgld"], require=["marginal"]).verdict is UNDECIDED  # it declares none
    with pytest.raises(RecipeError, match="there is no obligation 'beauty'"):
        verify(CATALOG["sgld"], require=["beauty"])


def test_what_cannot_be_verified_is_said():
    with pytest.raises(RecipeError, match="not a Recipe, an Update or a Discretisation"):
        verify(theta)
    with pytest.raises(RecipeError, match="has no limit"):
        verify(Update(eps, {theta: theta + sqrt(eps)}, U))
    with pytest.raises(RecipeError, match="has no limit"):
        verify(Update(eps, {theta: theta + eps ** Rational(1, 3) * w}, U))


def test_a_report_as_json_has_the_promised_fields():
    data = verify(WRONG["sgnht as it is printed"]).as_json()
    assert {"name", "kind", "verdict", "obligations"} <= data.keys()
    for line in data["obligations"]:
        assert {"name", "verdict", "scope", "by", "assumptions", "witness"} <= line.keys()
