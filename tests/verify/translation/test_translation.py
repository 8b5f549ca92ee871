"""Translation validation: every module of the catalog and of the examples is proved, and what is no
module of ours is not.
"""

import ast
from dataclasses import replace
from time import process_time

import pytest
from cases.catalog_recipes import catalog_recipes
from cases.translations import CASES, Case, case, example, recipe_called, step, with_posterior
from typer.testing import CliRunner

from catalog.hmc import hmc_kernel
from recipe import Potential, RecipeError
from recipe.scheme import SCHEME_NAMES
from recipe_cli.main import app
from recipe_cli.program import generating
from recipe_cli.program.translation import (
    NotTranslatedError,
    legend_of,
    require_translation,
    trusted_texts,
)
from recipe_cli.sandbox.process_limits import Limits
from verify.translation import validate
from verify.verdict import Verdict

# Verdicts of everything that can be generated; what is not proved is listed here, with the reason.
NOT_PROVED: dict[tuple[str, str], str] = {}
FIRST_POSTERIOR = [
    ("sgld", {"scheme": "semi-implicit"}),
    ("sgnht", {"scheme": "semi-implicit"}),
    ("sghmc", {"scheme": "baoab"}),
    ("sgld", {"scheme": "euler", "control_variates": True}),
    ("sghmc", {"scheme": "euler", "compensate": True}),
    ("sghmc", {"scheme": "baoab", "svrg": True}),
    ("sgld", {"scheme": "euler", "saga": True}),
    ("sgld", {"scheme": "euler", "control_variates": True, "compensate": True}),
]


def is_as_listed(outcome, key):
    assert (outcome.verdict is Verdict.PROVED) == (key not in NOT_PROVED), outcome.by


@pytest.mark.by_default("sgld", "sgrld_simplex_expanded_mean")
@pytest.mark.parametrize("name", catalog_recipes())
def test_every_catalog_entry_by_every_scheme(name):
    proved = 0
    for scheme in SCHEME_NAMES:
        try:
            made = step(recipe_called(name), scheme)
        except RecipeError:
            continue  # the scheme does not fit, or a step may leave the domain
        is_as_listed(made.outcome(), (name, scheme))
        proved += 1
    assert proved or name in NOT_COMPILED


NOT_COMPILED = {  # abstract metrics, and rules that may leave their domains
    "jacobi_beta",
    "sgrhmc",
    "sgrld",
    "sgrld_reciprocal",
    "sgrld_simplex_expanded_mean",
    "sgrld_simplex_reduced_mean",
    "wright_fisher_dirichlet",
    "sgrld_simplex_reduced_mean_as_printed",
    "scir_posterior",
}


@pytest.mark.by_default(5)
@pytest.mark.parametrize("name", CASES)
def test_cases_of_every_kind(name):
    outcome = case(name).outcome()
    assert outcome.verdict is Verdict.PROVED, outcome.by


@pytest.mark.slow
@pytest.mark.slow_for("softmax", "eight_schools", "linear", "mixture", "poisson")
@pytest.mark.parametrize(
    "name", ["breast_cancer", "linear", "poisson", "softmax", "mixture", "eight_schools"]
)
def test_every_example_posterior(name):
    for recipe, options in FIRST_POSTERIOR:
        outcome = step(with_posterior(recipe_called(recipe), example(name)), **options).outcome()
        assert outcome.verdict is Verdict.PROVED, (recipe, options, outcome.by)
    outcome = Case(with_posterior(hmc_kernel, example(name))).outcome()
    assert outcome.verdict is Verdict.PROVED, outcome.by


@pytest.mark.slow
def test_validation_takes_about_a_second_at_most():
    made = [case(name) for name in CASES]
    began = process_time()
    for c in made:
        c.outcome()
    assert (process_time() - began) / len(made) < 1.0


def test_a_module_is_not_that_of_another_rule():
    ours, others = case("sgnht"), step(recipe_called("sgnht"), "euler")
    outcome = validate(ours.text, others.moves, legend_of(ours.module), trusted_texts(), {})
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness is not None
    assert outcome.by.startswith("line ")


def test_a_table_of_saga_belongs_to_one_potential():
    ours = case("saga")
    legend = legend_of(ours.module)
    (U, tables), *_ = legend.tables.items()
    shared = replace(legend, tables={U: tables, Potential("V", *U.blocks): tables})
    outcome = validate(ours.text, ours.moves, shared, trusted_texts(), ours.posteriors)
    assert outcome.verdict is Verdict.UNDECIDED  # no number shows it
    assert "two tables are one" in outcome.by


def test_a_refutation_names_the_line_and_a_point():
    changed = case("sgnht").text.replace("total / d_theta - 1.0", "total / d_theta - 2.0")
    outcome = case("sgnht").outcome(changed)
    lines = [
        n for n, line in enumerate(changed.splitlines(), start=1) if "total / d_theta - 2.0" in line
    ]
    assert outcome.verdict is Verdict.REFUTED
    assert any(outcome.by.startswith(f"line {n}: ") for n in lines), outcome.by
    assert "the value is" in outcome.witness.finding
    assert {"d_theta", "r"} <= set(outcome.witness.point)


def test_a_new_value_that_another_one_contains():
    ours = case("simultaneous")
    assert ours.outcome().verdict is Verdict.PROVED, ours.outcome().by
    for right, wrong in (("u * step_size", "u"), ("factor_2 * w", "factor * w")):
        assert ours.text.count(right) >= 1
        outcome = ours.outcome(ours.text.replace(right, wrong))
        assert outcome.verdict is Verdict.REFUTED, outcome.by


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import os", "no generated module has this at its top"),
        ("def extra(x):\n    return x", "has the decorators none"),
        ("x = 1", "no generated module has this at its top"),
        ("class Other(NamedTuple):\n    x: float", "the module defines Other"),
        ("@device\ndef threefry(a):\n    return a", "threefry is defined twice"),
        ("(", "not Python"),
        (
            "@kernel\ndef run_backwards(state):\n    state.r[0] = 1.0",
            "run_backwards is called by nothing that is read",
        ),
        ("@device\ndef other(exp):\n    return exp", "has a variable that is called exp"),
    ],
)
def test_what_is_outside_the_subset_is_undecided(text, reason):
    outcome = case("sgnht").outcome(f"{case('sgnht').text}\n\n{text}\n")
    assert outcome.verdict is Verdict.UNDECIDED
    assert reason in outcome.by


def test_known_functions_are_those_of_this_release_and_no_others():
    text = case("sgnht").text
    for name in (
        "rotated",
        "threefry",
        "radius",
        "direction",
        "normal_pair",
        "fill_normals",
        "within",
        "keep",
        "jitter",
        "run_schedule",
    ):
        tree = ast.parse(text)
        function = next(f for f in tree.body if isinstance(f, ast.FunctionDef) and f.name == name)
        function.body.insert(-1, ast.Pass())
        outcome = case("sgnht").outcome(ast.unparse(tree))
        assert outcome.verdict is Verdict.UNDECIDED
        assert f"{name} is not the function of this release" in outcome.by


def test_floats_are_read_as_the_binary_numbers_that_they_are():
    ghmc = case("ghmc")
    assert "/ 10.0" in ghmc.text or "/ 5.0" in ghmc.text
    assert case("two noises").verdict() == "proved"
    exact, rounded = case("two noises").text, case("two noises").text.replace("1.0 / 10.0", "0.1")
    if exact != rounded:
        assert case("two noises").verdict(rounded) == "refuted"


def test_nothing_is_written_that_is_not_proved(tmp_path, monkeypatch):
    generate = generating.generate_kernel

    def wrong(*arguments, **options):
        module = generate(*arguments, **options)
        return replace(
            module, source=module.source.replace("+ r_new * step_size", "- r_new * step_size")
        )

    monkeypatch.setattr(generating, "generate_kernel", wrong)
    path = tmp_path / "kernel.py"
    result = CliRunner().invoke(app, ["generate", "sgnht", "-o", str(path)])
    assert isinstance(result.exception, NotTranslatedError)
    assert result.exception.verdict is Verdict.REFUTED
    assert not path.exists()


def test_a_module_that_is_proved_is_written(tmp_path):
    path = tmp_path / "kernel.py"
    result = CliRunner().invoke(app, ["generate", "sgnht", "-o", str(path)])
    assert result.exit_code == 0
    made = case("sgnht")
    require_translation(made.module, Limits())
    assert path.read_text().partition("from typing")[2] == made.text.partition("from typing")[2]
