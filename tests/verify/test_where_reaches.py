"""Conditions between parameters (``where=``) reach all that is made from a sampler, and every place
where its parameters get values.
"""

import ast
import inspect
from pathlib import Path

import numpy as np
import pytest
from sympy import Interval, Matrix, Rational, Symbol, oo, sqrt

import recipe
from codegen import generate, one_step, sample
from recipe import (
    Data,
    Kernel,
    Noise,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    averaged,
    bind,
    compose,
    corv,
    discretise,
    discretised,
    flip,
    ito,
    maps,
    metropolis,
    mirror,
    refresh,
    repeat,
    step,
    total,
)
from recipe.kernel.part import parts_in
from recipe.rebuild.map_expressions import rewritten
from recipe.scheme import SCHEME_NAMES, split
from recipe.scheme.compensation import largest_step
from recipe.scheme.exact import exact
from verify import Verdict, check_kernel, verify
from verify.certificate import certificate_of
from verify.engine import outcome_of
from verify.statistics import trial_of
from verify.statistics.trial.parameters import trial_parameters
from verify.statistics.trial.trial import one_coordinate_trial

ROOT = Path(__file__).parent.parent.parent
PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED

theta = Vector("theta")
r = Vector("r", like=theta)
x = Vector("x", domain=Interval.open(0, oo))
U = Potential("U", theta)
a, b = Symbol("a", real=True), Symbol("b", real=True)
c = Symbol("c", positive=True)
WHERE = [a > 2, a > b**2]
SAID = ["a > 2", "a > b**2"]

langevin = Recipe(theta, H=(a + b) * total(theta**2) / 2, D=1, Q=0, where=WHERE)
abstract = Recipe(theta, H=(a + b) * U, D=1, Q=0, where=WHERE)
hamiltonian = Recipe(
    (theta, r),
    H=(a + b) * U + total(r**2) / 2,
    D=Matrix([[0, 0], [0, c]]),
    Q=Matrix([[0, -1], [1, 0]]),
    where=WHERE,
)
flow = Recipe(
    hamiltonian.state, hamiltonian.H, Matrix([[0, 0], [0, 0]]), hamiltonian.Q.written, where=WHERE
)
halfline = Recipe(x, H=(a + b) * total(x), D=1, Q=0, where=WHERE)
closed = Vector("y", domain=Interval(0, oo))
h, w = Symbol("h", positive=True), Noise("w", like=theta)
rule = Update(h, {theta: theta - h * (a + b) * theta + sqrt(2 * h) * w}, target=langevin.H)
printed = Recipe(theta, H=langevin.H, D=1, Q=0, where=WHERE, update=rule)
sweep = compose(refresh(flow, r), repeat(step(flow, "leapfrog"), 3))
z = Data("z")
p, q = Vector("p"), Vector("q")
normal = Posterior((theta,), -(z**2), -total(theta**2), {z: [1.0]})
of_pieces = Posterior((p, q), -(z**2), -total(p**2) - total(q**2), {z: [1.0]})


# -- what is made from a sampler
# --------------------------------------------------------------------------------------------------


def doubled(e):
    return e.xreplace({c: 2 * c})


MADE = {
    **{
        f"discretise by {name}": lambda name=name: discretise(
            langevin if name in {"milstein", "leimkuhler-matthews", "exact"} else hamiltonian, name
        )
        for name in SCHEME_NAMES
        if name not in {"exact", "badodab", "leapfrog"}
    },
    "discretise by exact": lambda: discretise(langevin_of_number, "exact"),
    "discretise by badodab": lambda: discretise(thermostat(), "badodab"),
    "discretise by leapfrog": lambda: discretise(flow, "leapfrog"),
    "discretise by another order": lambda: discretise(
        hamiltonian, "semi-implicit", order=("theta", "r")
    ),
    "discretise and compensate": lambda: discretise(
        bind(hamiltonian, {U: normal}), "euler", compensate=True
    ),
    "discretised": lambda: discretised(hamiltonian, "baoab"),
    "discretised as printed": lambda: discretised(printed, "printed"),
    "the rule of a discretised step": lambda: discretised(printed, "printed").update,
    "update=": lambda: printed.update,
    "split": lambda: split(hamiltonian, "baoab").update,
    "exact": lambda: exact(langevin_of_number).update,
    "largest_step": lambda: largest_step(hamiltonian),
    "step": lambda: kernel(step(langevin, "euler")),
    "step of a rule": lambda: kernel(step(printed.update)),
    "refresh": lambda: kernel(refresh(flow, r)),
    "flip": lambda: kernel(flip(flow, r)),
    "metropolis with a density": lambda: kernel(metropolis(langevin, "euler")),
    "metropolis of a map": lambda: kernel(metropolis(flow, "leapfrog", times=3, flip=r)),
    "metropolis of a path": lambda: kernel(
        metropolis(flow, "leapfrog", flip=r, around=refresh(flow, r, keep=Rational(1, 2)))
    ),
    "repeat": lambda: kernel(repeat(step(langevin, "euler"), (2, 4))),
    "compose": lambda: sweep,
    "compose of kernels": lambda: compose(sweep, flip(flow, r)),
    "averaged": lambda: averaged(
        refresh(flow, r), repeat(step(flow, "leapfrog"), Symbol("L", integer=True, positive=True))
    ),
    "ito": lambda: ito(halfline, x, maps.exp),
    "corv": lambda: corv(halfline, x, maps.softplus),
    "a step of corv": lambda: discretise(corv(halfline, x, maps.softplus), "euler"),
    "mirror": lambda: mirror(on_closed(), closed),
    "a step of mirror": lambda: discretise(mirror(on_closed(), closed), "euler"),
    "the rule of mirror": lambda: mirror(on_closed(with_rule=True), closed).update,
    "bind": lambda: bind(abstract, {U: total(theta**2)}),
    "bind a kernel": lambda: bind(sweep, {U: total(theta**2)}),
    "bind a posterior": lambda: bind(abstract, {U: normal}),
    "bind pieces": lambda: bind(abstract, {U: of_pieces}),
    "bind a kernel to pieces": lambda: bind(sweep, {U: of_pieces}),
    "bind a rule to pieces": lambda: bind(with_abstract_rule(), {U: of_pieces}).update,
    "rewrite a recipe": lambda: rewritten(hamiltonian, doubled),
    "rewrite a kernel": lambda: rewritten(sweep, doubled),
    "rewrite a rule": lambda: rewritten(printed.update, doubled),
    "rewrite a step": lambda: rewritten(discretised(hamiltonian, "baoab"), doubled).update,
    "generate from a recipe": lambda: generate(langevin, scheme="euler", name="m").moves,
    "generate from a kernel": lambda: generate(sweep, name="m").moves,
    "the trial of a step": lambda: trial_of(discretised(langevin, "euler")).rule,
    "the trial of a kernel": lambda: trial_of(kernel(step(langevin, "euler"))).rule,
}

langevin_of_number = Recipe(
    theta, H=c * total(theta**2) / 2, D=1, Q=0, where=[c > 2], marginal={theta: c * total(theta**2)}
)


def thermostat():
    xi, mu, d = Scalar("xi"), Symbol("mu", positive=True), theta.dim
    inner = total(r**2) / 2
    return Recipe(
        (theta, r, xi),
        H=(a + b) * U + inner + d * (xi - c) ** 2 / (2 * mu),
        D=Matrix([[0, 0, 0], [0, c, 0], [0, 0, 0]]),
        Q=Matrix([[0, -1, 0], [1, 0, mu * r / d], [0, -mu * r / d, 0]]),
        where=WHERE,
    )


def kernel(part):
    return Kernel(parts_in(part))


def on_closed(with_rule=False):
    noise = Noise("w", like=closed)
    H = (a + b) * total(closed)
    update = Update(h, {closed: closed - h * (a + b) + sqrt(2 * h) * noise}, target=H)
    return Recipe(closed, H, 1, 0, where=WHERE, update=update if with_rule else None)


def with_abstract_rule():
    moved = {theta: theta - h * (a + b) * recipe.grad(U, theta) + sqrt(2 * h) * w}
    return Recipe(theta, abstract.H, 1, 0, where=WHERE, update=Update(h, moved, abstract.H))


@pytest.mark.parametrize("how", MADE)
def test_what_is_made_keeps_the_conditions(how):
    made = MADE[how]()
    said = ["c > 2"] if how in {"discretise by exact", "exact"} else SAID
    assert [str(condition) for condition in made.where] == said
    assert {str(s) for condition in made.where for s in condition.e.free_symbols} <= {
        str(s) for s in made.parameters
    }


def test_every_public_function_of_a_recipe_is_in_the_table():
    """One that is added has to be walked over as well."""
    of_samplers = {
        name
        for name in recipe.__all__
        if inspect.isfunction(f := getattr(recipe, name))
        and any(
            word in str(parameter.annotation)
            for parameter in inspect.signature(f).parameters.values()
            for word in ("Recipe", "Update", "Kernel", "Bound")
        )
    }
    without_an_object = {"derive", "limit_of"}  # the drift and the diffusion
    assert of_samplers - without_an_object <= {word for how in MADE for word in how.split()}


# The root of D that is looked at there has no parameters of its own.
NO_CONDITIONS = {"verify/obligations/process/noise_factor.py"}


def test_every_rule_that_the_program_builds_is_given_conditions():
    bare = {
        str(path.relative_to(ROOT))
        for room in ("recipe", "verify", "codegen", "recipe_cli")
        for path in (ROOT / room).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"Update", "Recipe"}
        and "where" not in {keyword.arg for keyword in node.keywords}
    }
    assert bare == NO_CONDITIONS


def test_a_kernel_has_the_conditions_of_all_its_parts():
    one = Recipe(theta, langevin.H, 1, 0, where=[a > 2])
    other = Recipe(theta, langevin.H, 1, 0, where=[b > 0])
    made = compose(step(one, "euler"), step(other, "euler"), step(one, "euler"))
    assert [str(condition) for condition in made.where] == ["a > 2", "b > 0"]


def test_the_rule_of_a_recipe_has_no_conditions_of_its_own():
    moved = {theta: theta - h * (a + b) * theta + sqrt(2 * h) * w}
    stricter = Update(h, moved, target=langevin.H, where=[a > 3])
    with pytest.raises(RecipeError, match="update= is declared where a > 3, and the recipe is not"):
        Recipe(theta, H=langevin.H, D=1, Q=0, update=stricter)
    assert [str(condition) for condition in stricter.where] == ["a > 3"]


def test_texts_show_the_conditions():
    for made in (printed.update, sweep, discretise(langevin, "euler")):
        assert "a > 2" in repr(made)
    assert "# where a > b**2" in generate(langevin, scheme="euler", name="m").source
    assert "where a > b**2" in verify(compose(step(langevin, "euler"))).scope


# -- proofs
# --------------------------------------------------------------------------------------------------


def refreshed(where):
    H = U + a * total(r**2) / 2
    made = Recipe((theta, r), H, Matrix([[0, 0], [0, 0]]), flow.Q.written, where=where)
    return compose(refresh(made, r))


def test_a_kernel_is_proved_under_the_conditions_of_its_recipe():
    """A momentum with the precision a can be drawn where a > 0."""
    assert outcome_of(refreshed([a > 0]), "well-defined").verdict is PROVED
    assert outcome_of(refreshed([a > -1]), "well-defined").verdict is not PROVED
    assert outcome_of(refreshed([]), "well-defined").verdict is not PROVED


def scaled(where):
    """Noise that is right where b = 1 only."""
    moved = {theta: theta / 2 + b * sqrt(Rational(3, 4)) * w}
    return compose(step(Update(h, moved, target=total(theta**2) / 2, where=where)))


@pytest.mark.slow
def test_a_kernel_is_refuted_by_parameters_that_meet_its_conditions():
    assert outcome_of(scaled([]), "invariance").verdict is REFUTED
    found = outcome_of(scaled([b >= 2]), "invariance")
    assert found.verdict is REFUTED
    assert float(Rational(found.witness.point.get("b", 2))) >= 2
    assert outcome_of(scaled([b >= 1, b <= 1]), "invariance").verdict is not REFUTED
    assert outcome_of(scaled([b >= 3, b <= 2]), "invariance").verdict is UNDECIDED


def claim(where):
    moved = {theta: theta - h * a * theta + sqrt(2 * h) * w}
    return Update(h, moved, target=a * total(theta**2) / 2, where=where)


def test_a_claim_is_proved_under_its_conditions_and_says_what_lies_outside():
    report = verify(claim([a > 0]))
    assert report.verdict is PROVED
    assert "where a > 0" in report.scope
    assert outcome_of(claim([a > 0]), "recipe-form").verdict is PROVED
    outside = outcome_of(claim([a > 0]), "where")
    assert outside.verdict is PROVED
    assert "where a > 0 fails, normalisable is refuted" in outside.by
    assert verify(claim([])).verdict is not PROVED


@pytest.mark.parametrize("declared", [claim([a > 0]), refreshed([a > 0])], ids=["claim", "kernel"])
def test_there_is_no_certificate_of_a_claim_or_a_kernel_under_conditions(declared):
    with pytest.raises(RecipeError, match="under conditions between parameters"):
        certificate_of(declared, verify(declared))


# -- numbers
# --------------------------------------------------------------------------------------------------


BROKEN = {"a": 3.0, "b": 2.0}
MET = {"a": 5.0, "b": 2.0}
SAMPLED = {"steps": 2, "step_size": 0.01, "progress": False, "chains": 1, "lengths": {theta: 2}}


@pytest.mark.parametrize(
    "what",
    [langevin, discretise(langevin, "euler"), kernel(metropolis(langevin, "euler"))],
    ids=["recipe", "rule", "kernel"],
)
def test_sample_checks_numbers_of_recipes_rules_and_kernels(what):
    with pytest.raises(RecipeError, match=r"break the condition a > b\*\*2 of where="):
        sample(what, params=BROKEN, **SAMPLED)
    module = generate(what, name="m") if what is not langevin else generate(what, scheme="euler")
    with pytest.raises(RecipeError, match=r"break the condition a > b\*\*2 of where="):
        one_step(module, step_size=0.1, params=BROKEN)
    one_step(module, step_size=0.1, params=MET)


def test_a_parameter_that_only_a_condition_names_is_asked_for():
    """The law is that of theta alone; b is in D, and not in the exact step of another clock."""
    moved = {theta: theta / 2 + sqrt(Rational(3, 4)) * w}
    made = compose(step(Update(h, moved, target=total(theta**2) / 2, where=[b > 1])))
    module = generate(made, name="m")
    with pytest.raises(RecipeError, match="params= has no b, and the sampler is declared where b"):
        one_step(module, step_size=0.1)
    with pytest.raises(RecipeError, match="break the condition b > 1"):
        one_step(module, step_size=0.1, params={"b": 0.5})
    one_step(module, step_size=0.1, params={"b": 1.5})
    with pytest.raises(RecipeError, match="'b'\\] must be a number"):
        one_step(module, step_size=0.1, params={"b": "1.5"})


def test_one_step_checks_a_condition_on_a_length_when_it_sees_a_state():
    made = Recipe(theta, H=a * total(theta**2), D=1, Q=0, where=[a >= theta.dim])
    moved = one_step(generate(made, scheme="euler", name="m"), step_size=0.1, params={"a": 2.0})
    with pytest.raises(RecipeError, match="break the condition"):
        moved({"theta": np.ones((1, 3))}, np.random.default_rng(0))


def test_a_run_does_not_go_on_with_numbers_outside(tmp_path):
    sample(langevin, params=MET, checkpoint=tmp_path / "run", **SAMPLED)
    with pytest.raises(RecipeError, match="break the condition"):
        sample(langevin, params=BROKEN, checkpoint=tmp_path / "run", **SAMPLED)


def test_check_kernel_checks_the_numbers():
    with pytest.raises(RecipeError, match="break the condition"):
        check_kernel(
            lambda state, rng: state, discretised(langevin, "euler"), step_size=0.1, params=BROKEN
        )


# -- numbers that nobody gave
# --------------------------------------------------------------------------------------------------


n = Parameter("n", like=theta, nonnegative=True)
alpha = Parameter("alpha", like=theta, positive=True)
m, k = Symbol("m", positive=True, integer=True), Symbol("k", negative=True)


def declared_where(*where):
    own = total((n + alpha) * theta**2) + (a**2 + b**2 - k) * m * total(theta**2)
    moved = {theta: theta + sqrt(2 * h) * w}
    return Update(h, moved, target=own, where=where)


@pytest.mark.parametrize(
    "where",
    [
        [n + alpha >= 5],
        [n + alpha <= Rational(1, 4), total(alpha) <= Rational(1, 2)],
        [a < -1],
        [a > 2 * b, b > 3],
        [m > 3, k < -4],
        [total(alpha) > 10 * theta.dim],
        [a * b < -1],
    ],
    ids=str,
)
@pytest.mark.parametrize("length", [1, 3])
def test_default_numbers_meet_the_conditions(where, length):
    update = declared_where(*where)
    values = trial_parameters(update, {}, length)
    for condition in update.where:  # sympy computes it again, coordinate by coordinate
        for i in range(length):
            numbers = {
                s: values[str(s.base)][i] if hasattr(s, "base") else values[str(s)]
                for s in condition.e.free_symbols - {theta.dim}
            }
            sums = {
                t: sum(values[str(s.base)])
                for t in condition.e.atoms(recipe.language.total.Total)
                for s in t.free_symbols
                if hasattr(s, "base")
            }
            e = condition.e.xreplace(sums).xreplace(numbers).xreplace({theta.dim: length})
            assert e > 0 if condition.is_strict else e >= 0
    assert np.all(values["n"] >= 0)
    assert np.all(values["alpha"] > 0)
    assert values["m"] == int(values["m"]) >= 1
    assert values["k"] < 0


def test_default_numbers_go_with_those_that_are_given():
    values = trial_parameters(declared_where(a > 2 * b, b > 3), {"b": 10.0}, 2)
    assert values["b"] == 10.0
    assert values["a"] > 20
    alone = one_coordinate_trial(trial_of(declared_where(a > 2 * b, b > 3)), {"b": 7.0})
    assert alone.params["b"] == 7.0
    assert alone.params["a"] > 14


def test_where_no_number_is_found_the_message_says_which_to_give():
    with pytest.raises(RecipeError, match=r"no values of a, b were found that meet .*--param a="):
        trial_parameters(declared_where(a > b + 10**6, b > 0), {}, 2)
    with pytest.raises(RecipeError, match=r"no values of a, b were found"):
        trial_parameters(declared_where(a > b), {"a": 0.0, "b": 1.0}, 2)


def test_numbers_that_meet_the_conditions_are_not_changed():
    plain, within = (trial_parameters(declared_where(*w), {}, 2) for w in ([], [n + alpha >= 1]))
    assert {name: np.array_equal(plain[name], within[name]) for name in plain} == dict.fromkeys(
        plain, True
    )
