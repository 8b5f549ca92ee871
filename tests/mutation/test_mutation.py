"""Mutants of the catalog: who notices them, and is whoever notices right?"""

import json
import os
import time
from functools import cache

import pytest
from cases.catalog_recipes import catalog_recipes
from mutation_score import app
from oracles.judge import Judge
from typer.testing import CliRunner

from mutation.forked import each
from mutation.mutant import RECIPE, SCHEME, SOURCE, Fate, Judgement, Mutant
from mutation.of_recipes import rebuilt, recipe_mutants
from mutation.originals import LEFT_OUT, originals
from mutation.proofs import asked_of, judge_by_proof
from mutation.score import EXPLAINED, result_of, survivors, table
from mutation.statistics import judge_by_statistics
from recipe import Recipe, Update

PROOF, EQUIVALENT, STATIONARY = Fate.PROOF, Fate.EQUIVALENT, Fate.STATIONARY
TRANSLATION, STATISTICS, UNDECIDED = Fate.TRANSLATION, Fate.STATISTICS, Fate.UNDECIDED

NAMED = {  # one a kind of change
    "sgld": {
        "D[theta, theta] doubled": EQUIVALENT,
        "D[theta, theta] negated": PROOF,
        "D[theta, theta] dropped": PROOF,
    },
    "sghmc": {
        "Q[r, theta] and Q[theta, r] doubled": EQUIVALENT,
        "Q[r, theta] negated": PROOF,
        "Q[theta, r] dropped": PROOF,
        "D[r, r] dropped": PROOF,  # without noise H never changes, and other laws are kept
        "U doubled in H": PROOF,
    },
    "sgrhmc": {"Gamma of r dropped": PROOF, "Gamma of r flipped": PROOF},
    "sghmc, baoab": {
        "assignments 2 and 3 exchanged": PROOF,
        "the exponent of exp(-C*step_size) doubled in r (assignment 2 of 3)": PROOF,
        "r*exp(-C*step_size) negated in r (assignment 2 of 3)": PROOF,
        "one w_r for all coordinates in r (assignment 2 of 3)": PROOF,
        "w_r*sqrt(1 - exp(-2*C*step_size)) negated in r (assignment 2 of 3)": EQUIVALENT,
    },
    "sgnht, semi-implicit": {"xi twice": PROOF},
    "ghmc": {
        "part 2: nothing flips": PROOF,
        "part 2: no flip on rejection": PROOF,
        "part 1: w_r times 11/10 in r": PROOF,
    },
    "mala": {
        "part 1: the density of the proposal left out": PROOF,
        "part 1: w times 11/10 in theta, and the test knows": EQUIVALENT,
    },
}


def run_score(*arguments):
    """The command as a user calls it."""
    return CliRunner().invoke(app, [*map(str, arguments)])


@cache
def all_originals():
    return {o.name: o for o in originals()}


def original_called(name):
    return all_originals()[name]


@pytest.mark.slow_for("sghmc, baoab", "sgnht, semi-implicit", "ghmc")
@pytest.mark.parametrize("name", NAMED)
def test_mutants_by_name(name):
    original = original_called(name)
    mutants = {m.change: m for m in original.mutants()}
    judge = original.judge()
    assert {change: judge(mutants[change]).fate for change in NAMED[name]} == NAMED[name]


def test_the_originals_are_equivalent_to_themselves():
    for name in ("sghmc", "sgld, euler", "mala"):
        original = original_called(name)
        judgement = original.judge()(
            Mutant(original.group, name, "none", "nothing", original.declared)
        )
        assert judgement.fate is EQUIVALENT


# by statistics alone, of a kernel that is started in its law, and of a step beside the original
SEEN = {
    "mala": {
        "part 1: w times 11/10 in theta, and the test does not know": STATISTICS,
        "part 1: w times 11/10 in theta, and the test knows": UNDECIDED,
        "part 1: the density of the proposal left out": STATISTICS,
    },
    "hmc_kernel": {
        "part 1: w_r times 11/10 in r": STATISTICS,
        "part 2: epsilon*r halved in theta": UNDECIDED,
    },
    "ghmc": {"part 1: w_r times sqrt(2) in r": STATISTICS},
    "scir, exact": {"noncentrality halved in theta": STATISTICS},
    "mirror_sghmc, semi-implicit": {"assignments 3 and 4 exchanged": STATISTICS},
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(n, marks=pytest.mark.slow) if n not in ("mala", "scir, exact") else n
        for n in SEEN
    ],
)
def test_mutants_that_statistics_sees(name):
    original = original_called(name)
    mutants = {m.change: m for m in original.mutants()}
    right = Mutant(original.group, name, "none", "nothing", original.declared)
    assert judge_by_statistics(right, original.declared).fate is UNDECIDED
    assert {
        change: judge_by_statistics(mutants[change], original.declared).fate
        for change in SEEN[name]
    } == SEEN[name]


def test_published_bugs_are_refuted():
    bugs = original_called("published rules")
    judge = bugs.judge()
    quick = [m for m in bugs.mutants() if m.of in ("r_sgmcmc", "bnn_priors")]
    assert len(quick) >= 2
    assert {judge(m).fate for m in quick} == {PROOF}


@pytest.mark.slow
def test_all_published_bugs_are_refuted():
    """Of every source in which a rule is wrong."""
    bugs = original_called("published rules")
    judge, found = bugs.judge(), {}
    for m in bugs.mutants():
        found.setdefault(m.of, []).append(judge(m).fate)
    assert found.keys() >= {
        "blackjax",
        "bnn_priors",
        "jax_sgmc",
        "r_sgmcmc",
        "sgmcmcjax",
        "zhusuan",
    }
    assert all(fates == [PROOF] * len(fates) for fates in found.values()), found


def contradictions(judged):
    """Verdicts on recipes and their Euler steps that numbers in explicit coordinates contradict."""
    for mutant, judgement in judged:
        assert isinstance(mutant.declared, Recipe | Update)
        if judgement.fate in (EQUIVALENT, STATIONARY) or judgement.why.startswith("stationarity"):
            holds = Judge(mutant.declared)("stationarity")
            if holds is not (judgement.fate is not PROOF):
                yield mutant.name, judgement.why, holds


def judged_recipes(names, every):
    for name in names:
        recipe = catalog_recipes()[name]
        asked = asked_of(rebuilt(recipe))
        for mutant in list(recipe_mutants(name, recipe))[::every]:
            yield mutant, judge_by_proof(mutant, asked)


def test_numbers_agree_with_the_verdicts_on_mutants():
    judged = list(judged_recipes(["sgld", "scir"], 4))
    assert not list(contradictions(judged))
    assert {PROOF, EQUIVALENT} <= {judgement.fate for _, judgement in judged}


def test_changed_texts_are_not_proved():
    original = original_called("module baoab")
    judge = original.judge()
    judged = {m.name: judge(m).fate for m in list(original.mutants())[::12]}
    assert TRANSLATION in judged.values()
    assert set(judged.values()) <= {TRANSLATION, EQUIVALENT}


def test_mutants_have_names_of_their_own_and_differ():
    for original in all_originals().values():
        if original.group != SOURCE and original.name in NAMED:
            mutants = list(original.mutants())
            assert len({m.name for m in mutants}) == len(mutants)
            assert all(m.declared != original.declared for m in mutants)


def test_there_are_many_originals():
    groups = [o.group for o in all_originals().values()]
    assert groups.count(RECIPE) >= 20
    assert groups.count(SCHEME) >= 20
    assert groups.count(SOURCE) >= 5


def slow_work(key):
    if key == "exit":
        os._exit(7)
    if key == "sleep":
        time.sleep(60)
    return key.upper()


@pytest.mark.slow
def test_what_takes_for_ever_or_dies_costs_its_time_only():
    found = {
        key: answer for key, answer, _ in each(slow_work, ["a", "sleep", "exit", "b"], 2, 2, str)
    }
    assert found == {
        "a": "A",
        "b": "B",
        "sleep": "not within 2 seconds",
        "exit": "the process ended with 7",
    }


def test_the_table_counts():
    def result(name, fate, group=RECIPE):
        return result_of(Mutant(group, "x", "sign", name, ""), Judgement(fate, "because"), 0.1)

    results = [
        result("a", PROOF),
        result("b", EQUIVALENT),
        result("c", TRANSLATION, SOURCE),
        result("d", Fate.UNDECIDED),
    ]
    rows = {row["mutants"]: row for row in table(results)}
    assert (
        rows["recipe"] | {"number": 3, "proof": 1, "equivalent": 1, "survivor": 1} == rows["recipe"]
    )
    assert rows["all"]["number"] == sum(
        rows["all"][k]
        for k in ("proof", "translation", "statistics", "equivalent", "stationary", "survivor")
    )
    assert [r.name for r in survivors(results)] == ["x: d"]


@pytest.mark.slow
def test_the_command_goes_on_where_it_was_stopped(tmp_path):
    file = tmp_path / "score.jsonl"
    how = ["--of", "sgld, euler", "--every", "4", "--jobs", "1", "--results", str(file), "--json"]
    first = run_score(*how)
    assert first.exit_code == 0, first.output
    file.write_text(file.read_text()[:-20])  # a last line that is cut off
    lines = file.read_text().splitlines()
    second = run_score(*how)
    assert second.exit_code == 0
    assert json.loads(second.stdout)["table"] == json.loads(first.stdout)["table"]
    assert len(file.read_text().splitlines()) >= len(lines)


@pytest.mark.parametrize("wrong", [["--group", "strange"], ["--of", "nobody"]])
def test_bad_input_is_one_sentence(wrong):
    found = run_score(*wrong)
    assert found.exit_code == 2
    assert wrong[1] in found.stderr


@pytest.mark.slow
def test_numbers_agree_with_the_verdicts_on_many_mutants_of_recipes():
    assert not list(contradictions(judged_recipes(sorted(catalog_recipes().keys() - LEFT_OUT), 4)))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hmc_kernel", "ghmc", "mala", "pmala"])
def test_statistics_sees_nothing_in_kernels_that_are_proved(name):
    original = original_called(name)
    judge = original.judge()
    proved = [
        m for m in original.mutants() if m.name not in EXPLAINED and judge(m).fate is EQUIVALENT
    ]
    assert len(proved) >= 5
    assert {judge_by_statistics(m, original.declared).fate for m in proved} == {UNDECIDED}


@pytest.mark.slow
@pytest.mark.parametrize(("group", "every"), [(RECIPE, 3), (SCHEME, 3), (SOURCE, 2)])
def test_nothing_survives(group, every):
    """The command without ``--every`` goes through all of them."""
    found = run_score("--group", group, "--every", every, "--json")
    score = json.loads(found.stdout)
    assert {r["name"] for r in score["results"] if r["fate"] == "survivor"} <= EXPLAINED.keys()
    assert score["table"][-1]["number"] >= 200
