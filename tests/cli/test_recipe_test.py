"""`recipe test`: the compiled program beside the rule, and programs that are not the rule."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from helpers.command import command
from scipy.integrate import quad
from scipy.optimize import approx_fprime

from codegen import generate, one_step
from recipe import Potential, RecipeError, Vector
from recipe_cli.declarations.choose import concrete_declaration
from recipe_cli.render.findings_table import findings_status
from recipe_cli.testing.compare import bias_of, kernel_of, program_test_of, subject_of
from recipe_cli.testing.compiled_gradients import COMPILED_GRADIENTS
from recipe_cli.testing.program_subject import ComparisonOptions
from verify.statistics import ComparisonLine, ComparisonOutcome, Findings
from verify.statistics.trial.bias import law_of_position
from verify.statistics.trial.potentials import ON_HALF_LINE, ON_LINE, trial_potentials
from verify.statistics.trial.trial import one_coordinate_trial

SAMPLER = """
from sympy import *
from recipe import *
theta = Vector("theta"); eps = Symbol("eps", positive=True)
C = Symbol("C", positive=True); w = Noise("w", like=theta)
rule = Update(eps, {theta: theta - eps * C * theta + sqrt(2 * eps * C) * w}, total(theta**2) / 2)
half = Update(eps, {theta: theta - eps * theta + sqrt(eps) * w}, total(theta**2) / 2)
cube = Update(eps, {theta: theta + w**3}, total(theta**2) / 2)
phi = Vector("phi"); v = Noise("v", like=phi)
joint = Potential("U", theta, phi)
of_two = compose(metropolis(Update(eps, {theta: theta + w, phi: phi + v}, joint)))
"""


@pytest.fixture(scope="module")
def sampler(tmp_path_factory):
    path = tmp_path_factory.mktemp("declared") / "sampler.py"
    path.write_text(SAMPLER)
    return path


@pytest.fixture(scope="module")
def sgld():
    """What is tested, the module, and the battery."""
    subject, module = subject_of(concrete_declaration("sgld"), ComparisonOptions())
    return subject, module, program_test_of(subject).comparisons


@pytest.mark.slow
def test_a_program_that_does_what_is_wrong_comes_with_a_note(sampler):
    done = command("test", f"{sampler}:half")
    assert done.returncode == 0
    assert done.stderr == "note: half is refuted (stationarity); see recipe verify\n"


@pytest.mark.slow
def test_a_sampler_of_the_catalog_from_declaration_to_pictures(tmp_path):
    done = command(
        "test", "catalog/sgld.py", "--json", "--plots", tmp_path / "pictures", "--seed", "5"
    )
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["outcome"] == "agrees"
    assert said["unseen"] == []
    assert {line["outcome"] for line in said["lines"]} == {"agrees"}
    names = [line["name"] for line in said["lines"]]
    assert "coefficient -step_size*grad(U, theta) in theta" in names
    assert "w_theta from two states with one seed" in names
    assert sum(line["level"] for line in said["lines"]) <= said["level"] == 1e-6
    assert (
        said["again"]
        == "recipe test catalog/sgld.py:sgld --scheme semi-implicit --step-size 0.3 --length 3"
        " --seed 5 --level 1e-06 --factor 1.1"
    )
    assert said["module"] == generate(concrete_declaration("sgld").declared, name="sgld").hash
    for name in ("law", "quantiles", "autocorrelation", "bias"):
        assert (tmp_path / "pictures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_table_for_people(sampler):
    done = command(
        "test", f"{sampler}:rule", "--param", "C=0.5", "--level", "1e-3", "--factor", "1.5"
    )
    assert done.returncode == 0, done.stderr
    head = "rule, printed, 3 coordinates: step size 0.3, C = 0.5"
    assert done.stdout.startswith(head)
    assert "comparisons agree" in done.stdout
    assert "seed 0; a right kernel differs with a probability of at most 0.001" in done.stdout
    assert (
        f"again: recipe test {sampler}:rule --scheme printed --step-size 0.3 --param C=0.5"
        in done.stdout
    )


# Each is a change of the text of the module, and a line that must notice it.
TAMPERED = {
    "the noise 1.1 times": (
        "math.sqrt(2.0)",
        "1.1 * math.sqrt(2.0)",
        "the variance of each number",
    ),
    "one noise for all chains": (
        "stream_key(seed, 0, chain)",
        "stream_key(seed, 0, 0)",
        "numbers drawn twice",
    ),
    "one noise for all steps": ("t = np.uint64(done)", "t = np.uint64(0)", "numbers drawn twice"),
}


@pytest.fixture(scope="module")
def tampered(sgld):
    """The compiled kernel of a changed text."""
    subject, module, _ = sgld

    @cache
    def kernel(change):
        old, new, _ = TAMPERED[change]
        start = module.source.index("\ndef run(")
        assert old in module.source[start:]
        text = module.source[:start] + module.source[start:].replace(old, new)
        return kernel_of(subject, replace(module, source=text), lambda n: None)

    return kernel


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        "the noise 1.1 times",
        *(pytest.param(name, marks=pytest.mark.slow) for name in list(TAMPERED)[1:]),
    ],
)
def test_a_module_that_was_tampered_with_differs(sgld, tampered, change):
    *_, chosen = sgld
    found = chosen.check(tampered(change), seed=3)
    assert TAMPERED[change][2] in {differing.name for differing in found.differing}
    assert findings_status(found) == 1


@pytest.mark.by_default(1)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing_of_that_name"], "defines no Recipe, Update or Kernel called"),
        (["rule", "--scheme", "backwards"], "leave --scheme out"),
        (["rule", "--param", "D=1"], "there is no such parameter"),
        (["rule", "--param", "C=-1"], "must be positive"),
        (["rule", "--param", "C"], "NAME=VALUE"),
        (["rule", "--step-size", "0"], "--step-size 0"),
        (["rule", "--step-size", "nan"], "--step-size nan"),
        (["rule", "--length", "0"], "--length 0"),
        (["rule", "--length", "100000"], "at most 2000"),
        (["rule", "--seed", "-1"], "--seed -1"),
        (["rule", "--level", "2"], "--level 2"),
        (["rule", "--factor", "1"], "--factor 1"),
        (["rule", "--plots", "/dev/null/x"], "cannot be written"),
    ],
)
def test_bad_input_is_one_sentence(sampler, arguments, said):
    done = command("test", f"{sampler}:{arguments[0]}", *arguments[1:])
    assert done.returncode == 2
    assert done.stdout == ""
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_what_cannot_be_compared_is_said(sampler):
    for name, why in (("of_two", "there is no default for U"), ("cube", "cannot be recovered")):
        done = command("test", f"{sampler}:{name}", "--json")
        assert done.returncode == 3, done.stderr
        assert why in json.loads(done.stdout)["because"]


def test_what_is_not_seen_is_no_agreement():
    line = ComparisonLine("x", "normal", 0.0, 1.0, "deviates", 1e-7, ComparisonOutcome.AGREES)
    found = Findings("x", (line,), 0, 1e-6, 0.999, 1.1, 100)
    missed = replace(found, unseen=("C",))
    wrong = replace(missed, lines=(line, replace(line, outcome=ComparisonOutcome.DIFFERS)))
    assert [findings_status(f) for f in (found, missed, wrong)] == [0, 3, 1]
    assert [findings_status(f, allow_unseen=True) for f in (found, missed, wrong)] == [0, 0, 1]


def test_the_laws_that_samplers_are_tried_on():
    """Values and gradients of two replicas at once, and the compiled gradient, beside the formula
    that is printed: its differences, and its derivative on paper.
    """
    i = np.arange(1, 5)
    beside = (np.eye(4, k=1) + np.eye(4, k=-1)) / 4

    def line(x):
        return np.sum((i + 3) / 8 * x**2 + np.log(np.cosh(x - 0.5))) + np.sum(x[1:] * x[:-1]) / 4

    def half_line(x):
        return np.sum(x - (i + 1) / 2 * np.log(x))

    def line_slope(x):
        return (i + 3) / 4 * x + np.tanh(x - 0.5) + beside @ x

    def half_line_slope(x):
        return 1 - (i + 1) / (2 * x)

    laws = ((ON_LINE, line, line_slope), (ON_HALF_LINE, half_line, half_line_slope))
    states = np.array([[0.7, 1.9, 0.4, 2.2], [1.3, 0.2, 2.5, 0.9]])
    for trial, potential, slope in laws:
        values, gradients = trial.value(states), trial.gradient(states)
        for x, value, gradient in zip(states, values, gradients, strict=True):
            compiled = np.empty(4)
            COMPILED_GRADIENTS[trial](compiled, x)
            np.testing.assert_allclose(slope(x), approx_fprime(x, potential, 1e-7), atol=1e-5)
            np.testing.assert_allclose(compiled, slope(x), rtol=1e-14)
            np.testing.assert_allclose(gradient, slope(x), rtol=1e-14)
            np.testing.assert_allclose(value, potential(x), rtol=1e-14)


def test_the_law_of_a_position_by_quadrature():
    """A gamma law of shape 2, and that of phi where softplus(phi) has it, which is integrated in
    theta here.
    """

    def phi_to(k):
        return quad(lambda t: np.log(np.expm1(t)) ** k * t * np.exp(-t), 0, 60)[0]

    for name, moments in (("mirror_sgld", (2.0, 6.0)), ("corv_sgld", (phi_to(1), phi_to(2)))):
        subject, _ = subject_of(concrete_declaration(name), ComparisonOptions(length=1))
        law = law_of_position(subject.trial)
        assert (law.mean, law.variance + law.mean**2) == pytest.approx(moments, rel=1e-6)


@pytest.mark.slow
def test_the_bias_is_that_of_the_steps(sgld):
    """Beside the same steps in numpy, and the order that is proved; in two noises of the
    measurement.
    """
    subject, module, _ = sgld
    found = bias_of(subject, module)
    assert (found.block, found.order) == ("theta", 1.0)
    assert [point.step_size for point in found.points] == pytest.approx(
        [0.3, 0.213, 0.15, 0.105, 0.075]
    )
    law = law_of_position(one_coordinate_trial(subject.trial, {}))
    rng, h = np.random.default_rng(0), 0.3
    x = law.draws(rng, 8_000)[:, None]
    for _ in range(67):
        x = x - h * ON_LINE.gradient(x) + np.sqrt(2 * h) * rng.standard_normal(x.shape)
    largest = found.points[0]
    here = ((x - law.mean) ** 2).mean() / law.variance - 1
    assert abs(here - largest.bias[1]) < 6 * np.sqrt(2) * largest.error[1]
    assert here > 10 * largest.error[1]


def test_a_potential_of_two_blocks_has_no_default():
    x, y = Vector("x"), Vector("y")
    with pytest.raises(RecipeError, match="bind an expression"):
        trial_potentials([Potential("U", x, y)])


@pytest.mark.slow
def test_steps_are_those_of_the_seed_and_of_the_state(tampered):
    kernel = tampered("the noise 1.1 times")
    state = {"theta": np.linspace(-1, 1, 15).reshape(5, 3)}
    first, second = (kernel(state, np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first["theta"], second["theta"])
    assert np.all(kernel(state, np.random.default_rng(2))["theta"] != first["theta"])
    np.testing.assert_array_equal(state["theta"], np.linspace(-1, 1, 15).reshape(5, 3))


def test_a_module_needs_its_numbers(sgld):
    _, module, _ = sgld
    with pytest.raises(RecipeError, match="step_size"):
        one_step(module, step_size=-1.0)
    with pytest.raises(RecipeError, match="U has no gradient"):
        one_step(module, step_size=0.1)
