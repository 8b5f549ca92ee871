"""The engine: each obligation once about a subject, after those that it needs, and none behind
another one's back.
"""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.outcomes import outcome_of
from sympy import Matrix, Symbol, log, sqrt

from recipe import (
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    compose,
    discretised,
    grad,
    ito,
    maps,
    metropolis,
    refresh,
    total,
)
from recipe_cli.declarations.find import declarations
from verify import Verdict, verify
from verify import engine as engine_module
from verify.engine import discharged, obligations_of, subjects_of
from verify.engine import outcome_of as outcome_about
from verify.obligation import Obligation
from verify.obligations import KERNEL_OBLIGATIONS, OBLIGATIONS
from verify.report.markdown import markdown
from verify.verdict import Assumption, proved, refuted, undecided

FOLDER = Path(__file__).parents[2] / "verify" / "obligations"
theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)
eps, C = Symbol("epsilon", positive=True), Symbol("C", positive=True)
x = Scalar("x")


def sghmc(**more):
    D, Q = Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]])
    return Recipe((theta, r), U + total(r**2) / 2, D, Q, **more)


def langevin(scale):
    w = Noise("w", like=theta)
    return Update(eps, {theta: theta - scale * eps * grad(U, theta) + sqrt(2 * eps) * w}, U)


def catalog(name):
    return declarations(name)[0].declared


DECLARED = {
    "a recipe with its rule": catalog("sghmc"),
    "a recipe with a factor": sghmc(noise_factor=Matrix([[0, 0], [0, sqrt(C)]])),
    "a recipe in other variables": catalog("ito_sgld"),
    "a recipe on a half line": catalog("scir"),
    "a reflected recipe": catalog("mirror_sgld"),
    "a reversible recipe": Recipe((x,), log(1 + x**2) * 2, 1 + x**2, 0),
    "a right claim": langevin(1),
    "a wrong claim": langevin(2),
    "a step": discretised(catalog("sghmc"), "baoab"),
    "a step of a claim": discretised(langevin(1), "printed"),
    "a kernel": compose(
        refresh(catalog("hmc"), r), metropolis(catalog("hmc"), "leapfrog", times=(1, 5), flip=r)
    ),
}


class Watching:
    """Discharges as the engine does, and remembers what it was asked and what it handed on."""

    def __init__(self):
        self.order, self.found = [], {}

    def __call__(self, obligation, subject, outcomes):
        for name, outcome in outcomes.needed.items():
            assert outcome is self.found[subject.kind, name], "it is the outcome that was found"
        needed = {n for n in obligation.needs if (subject.kind, n) in self.found}
        assert outcomes.needed.keys() == needed
        self.order.append((subject.kind, obligation.name))
        self.found[self.order[-1]] = discharged(obligation, subject, outcomes)
        return self.found[self.order[-1]]


@pytest.mark.parametrize("obligations", [OBLIGATIONS, KERNEL_OBLIGATIONS])
def test_what_is_needed_is_there_and_comes_first(obligations):
    named = {o.name: o for o in obligations}
    assert len(named) == len(obligations)
    for o in obligations:
        taken = [name for a in o.assumes for name in a.obligations]
        assert named.keys() >= {*o.needs, *o.asks, *taken, *o.comes_after()}, o.name
    done = set()
    while done != named.keys():
        ready = {n for n, o in named.items() if n not in done and done >= set(o.comes_after())}
        assert ready, f"they need each other: {sorted(named.keys() - done)}"
        done |= ready


@pytest.mark.parametrize("path", sorted(FOLDER.rglob("*.py")), ids=lambda p: p.stem)
def test_no_file_of_an_obligation_imports_that_of_another_one(path):
    if path.name == "__init__.py":
        return
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert not (node.module or "").startswith("verify.obligations"), path
        if isinstance(node, ast.Import):
            assert not any(a.name.startswith("verify.obligations") for a in node.names), path


@pytest.mark.by_default(2)
@pytest.mark.parametrize("name", DECLARED)
def test_each_is_discharged_once_after_what_it_needs_and_listed_in_its_place(name):
    declared, watching = DECLARED[name], Watching()
    report = verify(declared, discharge=watching)
    assert set(Counter(watching.order).values()) == {1}
    named = {o.name: o for o in obligations_of(declared)}
    for kind, obligation in watching.order:
        before = watching.order[: watching.order.index((kind, obligation))]
        needed = [(kind, n) for n in named[obligation].needs if (kind, n) in watching.order]
        assert set(needed) <= set(before)
    listed = [line.name for line in report.lines]
    kinds = [s.kind for s in subjects_of(declared)]
    places = list(named)
    expected = [n for kind in kinds for n in places if (kind, n) in watching.found and n in listed]
    assert listed == expected
    assert report.as_json() == verify(declared).as_json()


@pytest.mark.slow_for(
    "a step", "a reflected recipe", "a recipe in other variables", "a wrong claim"
)
@pytest.mark.parametrize("name", DECLARED)
def test_what_is_stopped_leaves_others_open_and_never_wrong(name):
    """As where an obligation takes longer than it may: what needs it is decided without it."""
    declared = DECLARED[name]
    verdicts = {line.name: line.outcome.verdict for line in verify(declared).lines}
    needed = {n for o in obligations_of(declared) for n in o.needs} & verdicts.keys()
    assert needed
    for stopped in sorted(needed):

        def slow(obligation, subject, outcomes, stopped=stopped):
            if obligation.name == stopped:
                return undecided("no answer within 2 seconds")
            return discharged(obligation, subject, outcomes)

        for line in verify(declared, discharge=slow).lines:
            left_open = line.outcome.verdict is Verdict.UNDECIDED
            assert left_open or line.outcome.verdict is verdicts[line.name], (stopped, line.name)


def test_what_needs_an_outcome_uses_the_one_that_it_is_handed():
    def with_another(name, outcome):
        def discharge(obligation, subject, outcomes):
            if obligation.name == name:
                return outcome
            return discharged(obligation, subject, outcomes)

        return discharge

    recipe = DECLARED["a recipe with a factor"]
    by = outcome_of(verify(recipe), "diffusion-psd").by
    assert by == "B B^T = D for the noise_factor B"
    report = verify(recipe, discharge=with_another("noise-factor", undecided("it was stopped")))
    assert outcome_of(report, "diffusion-psd").by != by
    kernel = DECLARED["a kernel"]
    nothing = with_another("normalisable", refuted("its mass is infinite", None))
    report = verify(kernel, discharge=nothing)
    assert "its mass is infinite" in outcome_of(report, "invariance").by
    assert outcome_of(report, "uniqueness").by == "invariance is not proved"


def test_one_outcome_alone_is_the_one_of_the_report():
    for declared in (DECLARED["a recipe with its rule"], DECLARED["a kernel"]):
        report = verify(declared)
        for line in report.lines:
            assert outcome_about(declared, line.name).verdict is line.outcome.verdict
    with pytest.raises(KeyError, match="boundary"):
        outcome_about(sghmc(), "boundary")


# -- assumptions
# --------------------------------------------------------------------------------------------------

BOTH = Assumption("both hold", ("normalisable", "non-explosion"))
OPEN = {"normalisable": undecided("?"), "non-explosion": undecided("?")}
ONE, OTHER = proved("", "one"), proved("", "other")


@pytest.mark.parametrize(
    ("decided", "left"),
    [
        ({}, ("both hold",)),
        ({"normalisable": ONE}, ("both hold",)),
        ({"normalisable": undecided("?"), "non-explosion": OTHER}, ("both hold",)),
        ({"normalisable": ONE, "non-explosion": OTHER}, ("one", "other")),
        ({"normalisable": refuted("", None), "non-explosion": OTHER}, ("other",)),
        ({"normalisable": refuted("", None), "non-explosion": undecided("?")}, ()),
    ],
)
def test_an_assumption_stays_until_its_obligations_are_decided(monkeypatch, decided, left):
    lines = {name: decided.get(name) for name in OPEN}
    stand_ins = (
        obligation("of-the-law", lambda _: proved("", BOTH, "a sentence"), assumes=(BOTH,)),
        *(obligation(n, lambda _, o=o: o, required=False) for n, o in lines.items() if o),
    )
    monkeypatch.setattr(engine_module, "OBLIGATIONS", stand_ins)
    report = verify(sghmc())
    assert outcome_of(report, "of-the-law").assumptions == (*left, "a sentence")
    counted = {line.name for line in report.lines if line.required}
    refused = {n for n, o in decided.items() if o.verdict is Verdict.REFUTED}
    assert counted == {"of-the-law"} | refused, "what is refuted cannot be assumed, and counts"


def test_a_law_that_was_found_keeps_its_own_assumption():
    """No line of the report is about exp(-H'), so none of them discharges what is assumed of it."""
    rule = {x: x - 2 * eps * x + sqrt(2 * eps) * Noise("n", like=x)}
    report = verify(Update(eps, rule, x**2 / 2))
    assert outcome_of(report, "normalisable").verdict is Verdict.PROVED
    assert outcome_of(report, "non-explosion").verdict is Verdict.PROVED
    (line,) = outcome_of(report, "stationary-law").assumptions
    assert line.startswith("exp(-H') is normalisable and the process does not explode")


# -- a new obligation
# --------------------------------------------------------------------------------------------------


def obligation(name, discharge, **more):
    return Obligation(name, f"the statement of {name}", "Why it matters.", discharge, **more)


def test_a_new_obligation_is_one_object(monkeypatch):
    """Its place in the tuple is all that anything else must know of it."""
    new = obligation(
        "new",
        lambda _, outcomes: replace(outcomes["stationarity"], by="as stationarity says"),
        latex=r"\alpha = \beta",
        needs=("stationarity",),
        required=False,
    )
    monkeypatch.setattr(engine_module, "OBLIGATIONS", (new, *OBLIGATIONS))
    report = verify(sghmc())
    assert report.lines[0].name == "new"
    assert outcome_of(report, "new").verdict is Verdict.PROVED
    assert "as stationarity says" in str(report)
    assert r"$\alpha = \beta$" in markdown(report, "it")
    assert not report.lines[0].required
    assert verify(sghmc(), require=["new"]).lines[0].required
    monkeypatch.undo()
    with pytest.raises(RecipeError, match="there is no obligation 'new'"):
        verify(sghmc(), require=["new"])


def test_latex_is_shown_where_there_is_some():
    report = verify(sghmc())
    text = markdown(report, "it")
    for line in report.lines:
        assert (f"${line.latex}$" in text) == (line.latex is not None)
    assert sum(line.latex is not None for line in report.lines) > 4


@pytest.mark.parametrize("kind", [maps.exp, maps.softplus])
def test_about_another_declaration_the_engine_asks_there(kind):
    """The law of a recipe in other variables is that of the recipe that it was made from."""
    recipe = catalog("scir")
    theta_block = recipe.state[0]
    moved = ito(recipe, theta_block, kind)
    by = outcome_about(moved, "normalisable").by
    assert by.endswith(f"in other coordinates: {outcome_about(recipe, 'normalisable').by}")
