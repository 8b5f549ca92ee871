"""What users see: reports as text, Markdown and JSON, colour and wrapping, repairs that repair, and
notebooks.
"""

import io
import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import pytest
from cases.catalog_recipes import catalog_recipes
from cases.recipe_files import UNDECIDED, WRONG, file
from cases.wrong_claims import WRONG as CLAIMS
from helpers.command import ROOT, command
from helpers.outcomes import outcome_of
from rich.console import Console
from sympy import Function, Integer, Matrix, Rational, Symbol, exp, sqrt

import recipe as library
from recipe import (
    Dense,
    Field,
    Noise,
    Potential,
    Recipe,
    Scalar,
    Update,
    Vector,
    div,
    dot,
    grad,
    outer,
    total,
)
from recipe.declare.dynamics import derive
from recipe_cli.render.reports import print_report
from recipe_cli.sandbox.messages import DeclarationFacts
from verify import Verdict, verify
from verify.audit.repair import find_repair
from verify.audit.repair.edits import Claim
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.show_difference import explained, factored
from verify.generator.fokker_planck import residual
from verify.obligations import OBLIGATIONS
from verify.report.markdown import markdown
from verify.subject import subject_of

CATALOG = catalog_recipes()
PROVED, REFUTED = Verdict.PROVED, Verdict.REFUTED

theta = Vector("theta")
r = Vector("r", like=theta)
xi = Scalar("xi")
U = Potential("U", theta)
d = theta.dim
A, eps = Symbol("A", positive=True), Symbol("epsilon", positive=True)
w = Noise("w", like=theta)
K = total(r**2) / 2
G = Function("G", positive=True)(theta)
M = Dense("M", theta, positive=True)
force = grad(U, theta)

HALF = """\
wrong (claim, {file}): refuted; it was claimed for every d_theta, every smooth U(theta)
  proved    well-defined    1 condition on signs
  proved    diffusion-psd   half the covariance of the rule's noise
  refuted   stationarity    the residual is total(grad(U, theta)**2 - d(U, theta, theta))/2
                            where d(U, theta, theta) is d^2U/dtheta[i]^2
                            witness: d_theta = 1, dU/dtheta[1] = -7/4, d^2U/dtheta[1]^2 = 1/2; the value is 1.28125, not 0
                            repair: the noise sqrt(eps)*w of theta must be sqrt(2*eps)*w
  not required:
  proved    normalisable    exp(-U) is taken to be normalisable
  undecided non-explosion   no Lyapunov function was found, and no coordinate is seen to explode
  undecided uniqueness      exp(-H) is not proved to be stationary
  proved    stationary-law  the rule leaves exp(-H') stationary, with H' = 2*U
  proved    stable-step     stable iff eps < 2/k
                            var theta = 1/(-eps*k + 2) times that of the target, 1/k
                            as eps vanishes, var theta becomes 1/2 times that of the target
                            for every d and U = k*x^2/2 in each coordinate x, every positive k: so for every quadratic U, k being an eigenvalue of its Hessian
  assumed: exp(-U) is normalisable
  assumed: exp(-H') is normalisable and the process does not explode (without these a stationary law need not be invariant)
"""  # noqa: E501
HALF_AT_80 = """\
wrong (claim, sampler.py): refuted; it was claimed for every d_theta, every
  smooth U(theta)
  proved    well-defined    1 condition on signs
  proved    diffusion-psd   half the covariance of the rule's noise
  refuted   stationarity    the residual is total(grad(U, theta)**2 -
                            d(U, theta, theta))/2
                            where d(U, theta, theta) is d^2U/dtheta[i]^2
                            witness: d_theta = 1, dU/dtheta[1] = -7/4,
                                     d^2U/dtheta[1]^2 = 1/2; the value is
                                     1.28125, not 0
                            repair: the noise sqrt(epsilon)*w of theta must be
                                    sqrt(2*epsilon)*w
  not required:
  proved    normalisable    exp(-U) is taken to be normalisable
  undecided non-explosion   no Lyapunov function was found, and no coordinate is
                            seen to explode
  undecided uniqueness      exp(-H) is not proved to be stationary
  proved    stationary-law  the rule leaves exp(-H') stationary, with H' = 2*U
  proved    stable-step     stable iff epsilon < 2/k
                            var theta = 1/(-epsilon*k + 2) times that of the
                            target, 1/k
                            as epsilon vanishes, var theta becomes 1/2 times
                            that of the target
                            for every d and U = k*x^2/2 in each coordinate x,
                                every positive k: so for every quadratic U, k
                                being an eigenvalue of its Hessian
  assumed: exp(-U) is normalisable
  assumed: exp(-H') is normalisable and the process does not explode (without
           these a stationary law need not be invariant)
  recipe explain stationarity: what it states, and why it matters
"""
HALF_AS_MARKDOWN = r"""## wrong: refuted

claim, `{file}`: **refuted**; it was claimed for every d\_theta, every smooth U(theta)

| verdict | obligation | states | how |
| :-- | :-- | :-- | :-- |
| proved | well-defined | {well-defined} | 1 condition on signs |
| proved | diffusion-psd | $x^{\top} D(z)\, x \geq 0 \text{ for every } x, z$ | half the covariance of the rule's noise |
| **refuted** | stationarity | $\nabla \cdot v - v \cdot \nabla H = 0, \quad v = f + D \nabla H - \nabla \cdot D$ | see below |
| proved | normalisable (not required) | $\int e^{-H} \, \mathrm{d}z < \infty$ | exp(-U) is taken to be normalisable |
| **undecided** | non-explosion (not required) | {non-explosion} | no Lyapunov function was found{rest} |
| **undecided** | uniqueness (not required) | {uniqueness} | exp(-H) is not proved to be stationary |
| proved | stationary-law (not required) | $\nabla \cdot v - v \cdot \nabla H' = 0, \quad v = f + D \nabla H' - \nabla \cdot D$ | the rule leaves exp(-H') stationary, with H' = 2\*U |
| proved | stable-step (not required) | {stable-step} | see below |

### refuted: stationarity

* what should be zero is $\frac{\sum_{k} \left(\left(\partial_{\theta_{k}} U\right)^{2} - \partial_{\theta_{k}}^{2} U\right)}{2}$
* Witness: `d_theta = 1`, `dU/dtheta[1] = -7/4`, `d^2U/dtheta[1]^2 = 1/2`; the value is 1.28125, not 0
* Repair: the noise sqrt(eps)\*w of theta must be sqrt(2\*eps)\*w

### proved: stationary-law

$$H' = 2 U$$

### proved: stable-step

* stable iff eps \< 2/k; for every d and U = k\*x^2/2 in each coordinate x, every positive k: so for every quadratic U, k being an eigenvalue of its Hessian
* var theta = 1/(-eps\*k + 2) times that of the target, 1/k
* as eps vanishes, var theta becomes 1/2 times that of the target

* assumed: exp(-U) is normalisable
* assumed: exp(-H') is normalisable and the process does not explode (without these a stationary law need not be invariant)
"""  # noqa: E501


# -- what the command prints
# --------------------------------------------------------------------------------------------------


def test_a_refuted_claim_as_text(tmp_path):
    where = file(tmp_path, WRONG)
    assert command("verify", where).stdout == HALF.replace("{file}", str(where))


def test_a_refuted_claim_as_markdown(tmp_path):
    where = file(tmp_path, WRONG)
    done = command("verify", where, "--format", "markdown")
    assert done.returncode == 1
    filled = HALF_AS_MARKDOWN.replace("{file}", str(where)).replace(
        "{rest}", ", and no coordinate is seen to explode"
    )
    for obligation in OBLIGATIONS:
        filled = filled.replace(f"{{{obligation.name}}}", obligation.statement)
    assert done.stdout == filled + "\n"


def test_a_proved_recipe_and_an_undecided_one_as_text(tmp_path):
    done = command("verify", "sghmc")
    assert done.stdout.startswith(
        "sghmc (recipe, catalog/sghmc.py): proved for every d_theta, every smooth U(theta)"
    )
    assert (
        "v = div Q - Q grad H in every block, with v of the published rule, and Q is skew-symmetric"
        in done.stdout
    )
    assert "  assumed: " in done.stdout
    assert "recipe explain" not in done.stdout
    done = command("verify", file(tmp_path, UNDECIDED))
    assert "): undecided; the question is for every d_half" in done.stdout
    assert "  undecided boundary" in done.stdout


def test_json_has_the_documented_fields(tmp_path):
    where = file(tmp_path, WRONG)
    short, long = command("verify", where, "--json"), command("verify", where, "--format", "json")
    assert short.stdout == long.stdout
    (entry,) = json.loads(short.stdout)
    assert set(entry) == {
        "version",
        "library",
        "name",
        "file",
        "kind",
        "verdict",
        "expect",
        "scope",
        "obligations",
    }
    assert (entry["version"], entry["library"], entry["name"], entry["expect"]) == (
        1,
        library.__version__,
        "wrong",
        None,
    )
    for line in entry["obligations"]:
        assert set(line) == {
            "name",
            "required",
            "statement",
            "verdict",
            "scope",
            "by",
            "facts",
            "assumptions",
            "residual",
            "witness",
            "repair",
            "found",
        }
    line = next(line for line in entry["obligations"] if line["verdict"] == "refuted")
    assert line["witness"] == {
        "point": {"d_theta": "1", "dU/dtheta[1]": "-7/4", "d^2U/dtheta[1]^2": "1/2"},
        "finding": "the value is 1.28125, not 0",
    }
    assert set(line["residual"]) == {"text", "latex", "where"}
    assert line["repair"] == "the noise sqrt(eps)*w of theta must be sqrt(2*eps)*w"


def test_every_field_of_the_json_is_documented():
    page = (ROOT / "docs" / "report.md").read_text()
    data = verify(CLAIMS["sgld at another temperature"]).as_json() | {"file": "", "expect": None}
    line = next(line for line in data["obligations"] if line["witness"])
    for field in (*data, *line, *line["witness"], *line["residual"]):
        assert f"`{field}`" in page, field


def test_two_formats_at_once_are_refused():
    done = command("verify", "sgld", "--json", "--format", "markdown")
    assert done.returncode == 2
    assert "choose one of them" in done.stderr


# -- terminals
# --------------------------------------------------------------------------------------------------


def test_a_paragraph_without_a_body_needs_no_room():
    lines = tuple(replace(line, required=False) for line in verify(HALF_CLAIM).lines)
    shown = without_codes(printed(replace(verify(HALF_CLAIM), lines=lines), width=8))
    assert "\n  not required:\n" in shown


def printed(report, *, width=80, environment=None, terminal=True):
    """What a terminal of this width would show."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=terminal or None,
        highlight=False,
        _environ=environment or {"TERM": "xterm"},
    )
    print_report(console, DeclarationFacts("wrong", "sampler.py", None), report)
    return stream.getvalue()


def without_codes(shown):
    return re.sub("\x1b\\[[0-9;]*m", "", shown)


HALF_CLAIM = Update(eps, {theta: theta - eps * force + sqrt(eps) * w}, U)
PLAIN = {"TERM": "xterm", "NO_COLOR": "1"}


def test_a_terminal_wraps_beneath_the_text():
    assert without_codes(printed(verify(HALF_CLAIM))) == HALF_AT_80


@pytest.mark.parametrize("width", [45, 60, 80, 120])
def test_no_line_is_longer_than_the_terminal(width):
    *lines, _ = without_codes(printed(verify(HALF_CLAIM), width=width)).splitlines()
    assert all(len(line) <= width for line in lines)


def test_wrapping_loses_nothing():
    report = verify(HALF_CLAIM)
    words = [without_codes(printed(report, width=width)).split() for width in (20, 30, 80, 400)]
    assert all(found == words[0] for found in words)


def test_colour_only_on_a_terminal():
    assert "\x1b[1;31mrefuted" in printed(verify(HALF_CLAIM))
    assert "\x1b[31m" not in printed(verify(HALF_CLAIM), environment=PLAIN)
    assert "\x1b" not in printed(verify(HALF_CLAIM), terminal=False)


@pytest.mark.slow
def test_colour_of_the_command():
    call = [sys.executable, "-m", "recipe_cli", "verify", "sgld"]
    clean = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    for more, coloured in (
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ):
        done = subprocess.run(
            call, cwd=ROOT, env=clean | more, capture_output=True, text=True, check=True
        )
        assert ("\x1b[32mproved" in done.stdout) == coloured


def test_names_cannot_send_codes_to_a_terminal():
    claim = Update(eps, {theta: theta - eps * force}, U, name="x")
    stream = io.StringIO()
    print_report(
        Console(file=stream, highlight=False),
        DeclarationFacts("\x1b[2J", "[red]file.py", None),
        verify(claim),
    )
    assert stream.getvalue().startswith(r"\x1b[2J (claim, [red]file.py): refuted;")


def test_markdown_has_no_markup_of_a_user():
    report = verify(Update(eps, {theta: theta - eps * force}, U))
    assert markdown(report, "a|b`<img>`").startswith(r"## a\|b\`\<img\>\`: refuted")


# -- residuals and witnesses
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CLAIMS)
def test_a_factored_residual_is_the_residual(name):
    subject = subject_of(CLAIMS[name])
    left_over = residual(subject.dynamics, subject.gradient)
    assert decide_zero(factored(left_over) - left_over).verdict is PROVED
    assert len(str(factored(left_over))) <= len(str(left_over))


def test_what_nobody_declared_is_explained():
    F = Field("F", theta)
    claim = Update(eps, {theta: theta - eps * force * F + sqrt(2 * eps) * w}, U)
    subject = subject_of(claim)
    said = explained(residual(subject.dynamics, subject.gradient))
    assert "d(F, theta) is dF[i]/dtheta[i]" in said
    assert "d(U, theta, theta) is d^2U/dtheta[i]^2" in said
    assert explained(total(theta * force)) == []


def test_a_witness_is_written_in_the_symbols_of_the_recipe():
    point = outcome_of(
        verify(CLAIMS["a preconditioner in the drift only"]), "stationarity"
    ).witness.point
    assert any(name.startswith("M[1, 1]") for name in point)
    assert not any("root" in name or "d(" in name for name in point)
    g = Function("g")(theta, r)
    report = verify(Update(eps, {theta: theta + eps * g, r: r + eps * g}, U + K))
    names = set(outcome_of(report, "stationarity").witness.point)
    assert (
        len({n for n in names if n.startswith("g^(")}) == 2
    )  # the derivatives by the two arguments have names of their own


def test_a_positive_definite_matrix_is_shown_as_one():
    point = outcome_of(
        verify(CLAIMS["a preconditioner in the drift only"]), "stationarity"
    ).witness.point
    if point["d_theta"] == "1":
        assert Rational(point["M[1, 1]"]) > 0
    else:
        entries = [Rational(point[f"M[{i}, {j}]"]) for i, j in ((1, 1), (1, 2), (2, 2))]
        assert entries[0] * entries[2] > entries[1] ** 2


# -- repairs
# --------------------------------------------------------------------------------------------------


FULL_NOISE = sqrt(2 * A * eps)


def momentum(friction=A, noise=FULL_NOISE, position=r, force=force):
    return Update(
        eps,
        {theta: theta + eps * position, r: r - eps * force - eps * friction * r + noise * w},
        U + K,
    )


def thermostat(drive, noise=FULL_NOISE, target=d * (xi - A) ** 2 / 2):
    rule = [
        (theta, theta + eps * r),
        (r, r - eps * force - eps * xi * r + noise * w),
        (xi, xi + eps * drive),
    ]
    return Update(eps, rule, U + K + target)


def langevin(drift, noise):
    return Update(eps, {theta: theta + eps * drift + noise * w}, U)


REPAIRS = {
    "half the noise": (HALF_CLAIM, "the noise sqrt(epsilon)*w of theta must be sqrt(2*epsilon)*w"),
    "a temperature": (
        langevin(-force, sqrt(2 * A * eps)),
        "the noise sqrt(2*A*epsilon)*w of theta must be sqrt(2*epsilon)*w",
    ),
    "uphill": (
        langevin(force, sqrt(2 * eps)),
        "in the rule of theta, + epsilon*grad(U, theta) must be - epsilon*grad(U, theta)",
    ),
    "no correction": (
        langevin(-force / G, sqrt(2 * eps / G)),
        "the rule of theta must gain + epsilon*div(1/G(theta), theta)",
    ),
    "a correction of another sign": (
        langevin(-force / G - div(1 / G, theta), sqrt(2 * eps / G)),
        (
            "in the rule of theta, + epsilon*G'(theta)/G(theta)**2 must be -"
            " epsilon*G'(theta)/G(theta)**2"
        ),
    ),
    "a concrete metric without correction": (
        langevin(-force * (1 + theta**2), sqrt(2 * eps * (1 + theta**2))),
        "the rule of theta must gain + epsilon*div(theta**2 + 1, theta)",
    ),
    "white noise beside a preconditioner": (
        langevin(-dot(M, force), sqrt(2 * eps)),
        'the noise of theta must be Noise("w", like=theta, covariance=M)',
    ),
    "an elementwise preconditioner": (
        langevin(-force / G + div(1 / G, theta), sqrt(2 * eps)),
        "the noise sqrt(2*epsilon)*w of theta must be sqrt(2*epsilon/G(theta))*w",
    ),
    "sghmc, half the noise": (
        momentum(noise=sqrt(A * eps)),
        "the noise sqrt(A*epsilon)*w of r must be sqrt(2*A*epsilon)*w",
    ),
    "sghmc, no noise": (
        momentum(noise=Integer(0)),
        "the rule of r must gain the noise sqrt(2*A*epsilon)*w",
    ),
    "sghmc, noise of order eps": (
        momentum(noise=sqrt(2 * A) * eps),
        "the noise sqrt(2*A)*w*epsilon of r must be sqrt(2*A*epsilon)*w",
    ),
    "sghmc, no friction": (momentum(friction=Integer(0)), "the rule of r must gain - A*epsilon*r"),
    "sghmc, positions backwards": (
        momentum(position=-r),
        "in the rule of theta, - epsilon*r must be + epsilon*r",
    ),
    "sghmc, no force": (
        momentum(force=Integer(0)),
        "the rule of r must gain - epsilon*grad(U, theta)",
    ),
    "sgrhmc without its correction": (
        CLAIMS["sgrhmc without the correction"],
        "the rule of r must gain + epsilon*div(1/sqrt(G(theta)), theta)",
    ),
    "sgnht, the mean is missing": (
        thermostat(total(r**2) / d),
        "the rule of xi must gain - epsilon",
    ),
    "sgnht, a sum for a mean": (
        thermostat(total(r**2) - 1),
        "in the rule of xi, epsilon*total(r**2) must be epsilon*total(r**2)/d_theta",
    ),
    "sgnht as it is printed": (
        CLAIMS["sgnht as it is printed"],
        "in the target, (xi - A)**2/(2*d_theta) must be d_theta*(xi - A)**2/2",
    ),
    "a term too much": (
        langevin(-force - theta, sqrt(2 * eps)),
        "in the rule of theta, - epsilon*theta must go",
    ),
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", REPAIRS)
def test_the_repair_of_a_refuted_claim_is_named_and_repairs_it(name):
    claim, said = REPAIRS[name]
    outcome = outcome_of(verify(claim), "stationarity")
    assert outcome.verdict is REFUTED
    assert outcome.repair == said
    subject = subject_of(claim)
    assert (
        verify(find_repair(Claim(claim, subject.dynamics, subject.gradient)).update).verdict
        is PROVED
    )


@pytest.mark.slow
def test_the_rule_that_a_reader_writes_after_the_repair_is_proved():
    """The texts above, applied by hand."""
    for repaired in (
        langevin(-force, sqrt(2 * eps)),
        langevin(-force / G + div(1 / G, theta), sqrt(2 * eps / G)),
        momentum(),
        langevin(
            -force * (1 + theta**2) + div(1 + theta**2, theta), sqrt(2 * eps * (1 + theta**2))
        ),
        Update(
            eps,
            {
                theta: (
                    theta
                    - eps * dot(M, force)
                    + sqrt(2 * eps) * Noise("w", like=theta, covariance=M)
                )
            },
            U,
        ),
        thermostat(total(r**2) / d - 1),
    ):
        assert verify(repaired).verdict is PROVED


@pytest.mark.slow
def test_nothing_is_proposed_where_no_small_edit_repairs():
    assert outcome_of(verify(CLAIMS["a norm that is not squared"]), "stationarity").repair is None
    hopeless = Update(eps, {theta: theta - eps * exp(theta) * force**3 + eps * w}, U)
    assert outcome_of(verify(hopeless), "stationarity").repair is None


SKEW = [
    (
        Matrix([[0, -1, 0], [1, 0, r / d], [0, r / d, 0]]),
        "Q[xi, r] must be -r/d_theta (with Q[r, xi] as it is)",
    ),
    (
        Matrix([[0, -1, 0], [1, 0, 0], [0, -r / d, 0]]),
        "Q[r, xi] must be r/d_theta (with Q[xi, r] as it is)",
    ),
    (
        Matrix([[0, -1, 0], [1, 0, r / d], [0, 0, 0]]),
        "Q[xi, r] must be -r/d_theta (with Q[r, xi] as it is)",
    ),
    (Matrix([[0, -1, 0], [1, 0, r / d], [0, -r / d, 1]]), "Q[xi, xi] must be 0"),
    (
        Matrix([[0, -1, 0], [(1 + theta**2) / 3, 0, r / d], [0, -r / d, 0]]),
        "Q[r, theta] must be 1 (with Q[theta, r] as it is)",
    ),
]


@pytest.mark.parametrize(("Q", "said"), SKEW)
def test_the_smaller_repair_of_a_curl_is_named(Q, said):
    recipe = Recipe(
        (theta, r, xi), U + K + d * (xi - A) ** 2 / 2, Matrix([[0, 0, 0], [0, A, 0], [0, 0, 0]]), Q
    )
    outcome = outcome_of(verify(recipe), "curl-skew")
    assert outcome.verdict is REFUTED
    assert outcome.repair == said


def test_a_curl_of_one_block_is_repaired_by_itself():
    recipe = Recipe((theta,), U, 1, outer(theta, theta))
    assert (
        outcome_of(verify(recipe), "curl-skew").repair
        == "Q[theta, theta] must be skew-symmetric by itself"
    )


def with_update(update):
    entry = CATALOG["sghmc"]
    return Recipe(entry.state, entry.H, entry.D.written, entry.Q.written, update=update)


def test_an_update_that_does_not_agree_is_told_what_it_must_gain():
    entry = CATALOG["sghmc"]
    C = next(s for s in entry.parameters)
    step = entry.update.step
    p, q = entry.state
    drift = [(b, e + step * C * b / 2) if b == q else (b, e) for b, e in entry.update.rule]
    outcome = outcome_of(verify(with_update(Update(step, drift, entry.H))), "agrees-with-update")
    assert outcome.verdict is REFUTED
    assert outcome.by.startswith(f"the drift of {q}: that of the rule minus the derived one is ")
    assert outcome.repair == f"to be this recipe, the rule of {q} must gain {step} * (-{C}*{q}/2)"
    assert verify(with_update(entry.update)).verdict is PROVED
    louder = [
        (b, e + sqrt(step) * Noise("extra", like=p)) if b == p else (b, e)
        for b, e in entry.update.rule
    ]
    outcome = outcome_of(verify(with_update(Update(step, louder, entry.H))), "agrees-with-update")
    assert (
        outcome.repair
        == f"to be this recipe, the noise of {p} must have the covariance 2*{step} * (0), not"
        f" 2*{step} * (1/2)"
    )


# -- the two routes to stationarity
# ----------------------------------------------------------------------------------------------


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", sorted(CATALOG))
def test_both_routes_to_stationarity_lead_to_one_verdict(name):
    entry = CATALOG[name]
    componentwise = outcome_of(verify(entry), "stationarity")
    alone = Recipe(entry.state, entry.H, entry.D.written, entry.Q.written)
    full = outcome_of(verify(alone), "stationarity")
    assert (componentwise.verdict, full.verdict) == (PROVED, PROVED)
    assert componentwise.by.startswith("v = div Q - Q grad H in every block")
    assert full.by.startswith("the Fokker-Planck residual is zero")


def test_a_curl_that_is_not_skew_is_not_taken_for_a_proof():
    H = U + K
    wrong = Recipe((theta, r), H, Matrix.zeros(2), Matrix([[0, -1], [2, 0]]))
    drift = derive(wrong).dynamics.drift
    update = Update(eps, {b: b + eps * drift[b] for b in (theta, r)}, H)
    report = verify(
        Recipe((theta, r), H, Matrix.zeros(2), Matrix([[0, -1], [2, 0]]), update=update)
    )
    assert outcome_of(report, "agrees-with-update").verdict is PROVED
    assert outcome_of(report, "stationarity").verdict is REFUTED


def test_another_published_drift_leaves_the_recipe_to_its_residual():
    entry = CATALOG["sgld"]
    other = Update(
        entry.update.step, {b: e + entry.update.step for b, e in entry.update.rule}, entry.H
    )
    report = verify(Recipe(entry.state, entry.H, entry.D.written, entry.Q.written, update=other))
    assert outcome_of(report, "stationarity").verdict is PROVED
    assert outcome_of(report, "stationarity").by.startswith("the Fokker-Planck residual is zero")
    assert outcome_of(report, "agrees-with-update").verdict is REFUTED


# -- notebooks and explanations
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(CATALOG))
def test_notebooks_show_latex_and_print_is_readable(name):
    entry = CATALOG[name]
    for shown in (entry, entry.update, derive(entry)):
        latex = shown._repr_latex_()
        assert latex.startswith("$$\\begin{aligned}")
        assert latex.endswith("\\end{aligned}$$")
        assert latex.count("{") == latex.count("}")
    text = str(entry)
    assert text.startswith("Recipe(\n    state=(")
    assert "object at" not in text
    assert "BlockMatrix" not in text
    assert str(entry.update).startswith("Update(\n    step=")


def test_a_hamiltonian_that_is_zero_is_shown():
    assert "H=0," in str(Recipe((theta,), Integer(0), 1, 0))


def test_a_report_can_be_printed():
    report = verify(HALF_CLAIM)
    assert str(report).startswith("this claim (claim): refuted; it was claimed for every d_theta")
    assert (
        str(report).splitlines()[6].strip()
        == "repair: the noise sqrt(epsilon)*w of theta must be sqrt(2*epsilon)*w"
    )
    assert report._repr_markdown_().startswith("## this claim: refuted")


@pytest.mark.by_default(4)
@pytest.mark.parametrize("obligation", OBLIGATIONS, ids=lambda o: o.name)
def test_every_obligation_has_a_statement_and_an_explanation(obligation):
    assert len(obligation.statement) > 5
    assert obligation.explanation.strip().endswith(".")
    assert len(obligation.explanation.split()) >= 10
    assert obligation.explanation.strip() in command("explain", obligation.name).stdout
