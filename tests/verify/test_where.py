"""Conditions between parameters: ``Recipe(..., where=[n + alpha >= 1])``."""

import itertools
import random
import re
from pathlib import Path

import numpy as np
import pytest
from cases.catalog_recipes import catalog_recipes
from sympy import Eq, Function, Interval, Rational, Symbol, exp, log, oo, sign

from codegen import sample
from recipe import (
    Data,
    Parameter,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Vector,
    bind,
    compose,
    discretise,
    metropolis,
    total,
)
from recipe.declare.where import read_conditions
from recipe.language.assumed import assumed, cached, under
from recipe.language.checks.check_assumptions import check_condition
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel
from recipe.signs.conditions import _written_with
from recipe.signs.sign import possible_signs
from verify import Verdict, verify
from verify.certificate import certificate_of
from verify.decide.points.point import Point
from verify.decide.zero.decide import decide_zero, find_nonzero
from verify.engine import outcome_of

PROVED, REFUTED, UNDECIDED = Verdict.PROVED, Verdict.REFUTED, Verdict.UNDECIDED
ROOT = Path(__file__).parent.parent.parent

theta = Vector("theta")
x = Vector("x", like=theta, domain=Interval.open(0, oo))
n = Parameter("n", like=theta, nonnegative=True)
alpha = Parameter("alpha", like=theta, positive=True)
a, b = Symbol("a", real=True), Symbol("b", positive=True)
CONDITIONS = [n + alpha >= 1, total(alpha) >= 1]


# -- signs
# --------------------------------------------------------------------------------------------------


SIGNS = [
    (n + alpha - 1, {0, 1}),
    (2 * n + 2 * alpha - 1, {1}),
    (((n + alpha) * (1 - n - alpha)).expand(), {-1, 0}),
    (total(n) + total(alpha) - theta.dim, {0, 1}),
    (total((1 - n - alpha) / x), {-1, 0}),
    ((1 - total(alpha)) / total(x) + total((1 - n - alpha) / x), {-1, 0}),
    (total(alpha) - Rational(1, 2), {1}),
    (alpha - 1, {-1, 0, 1}),
    (n + alpha - 2, {-1, 0, 1}),
    (1 - total(alpha), {-1, 0}),
    (total(alpha) - theta.dim, {-1, 0, 1}),
]


@pytest.mark.parametrize(("e", "signs"), SIGNS, ids=[str(e) for e, _ in SIGNS])
def test_conditions_are_used_for_signs(e, signs):
    with under(read_conditions(CONDITIONS)):
        assert possible_signs(e) == signs
    if len(signs) < 3:
        assert possible_signs(e) == {-1, 0, 1} or signs == {1, 0, -1}


@pytest.mark.by_default(1)
@pytest.mark.parametrize("seed", range(12))
def test_signs_under_random_conditions_are_true_at_points(seed):
    """What is proved under linear conditions holds at random numbers that meet them."""
    chosen = random.Random(seed)
    letters = [Symbol(name, real=True) for name in "uvw"] + [b]

    def linear():
        return sum(chosen.randint(-2, 2) * s for s in letters) + chosen.randint(-2, 2)

    conditions = read_conditions([c for c in (linear() >= 0, linear() > 0) if c not in (0, 1)])
    e = (linear() * linear() + linear()).expand()
    with under(conditions):
        found = possible_signs(e)
    for _ in range(400):
        values = {s: Rational(chosen.randint(-12, 12), 4) for s in letters}
        values[b] = abs(values[b]) + Rational(1, 4)
        if all(
            bool(c.e.xreplace(values) > 0) or (not c.is_strict and c.e.xreplace(values) == 0)
            for c in conditions
        ):
            value = e.xreplace(values)
            assert sign(value) in found


def test_a_condition_is_the_same_number_wherever_it_is_met():
    """So that signs which were found are found again."""
    conditions = read_conditions(CONDITIONS)
    e = total((1 - n - alpha) / x) + 1 - total(alpha)
    with under(conditions):
        once, again = (list(_written_with(e, conditions)) for _ in range(2))
        assert once == again
        assert len(once) > 1


def test_a_condition_at_another_index_is_another_number():
    """Even where it is given twice: n + alpha - 1 may differ between two coordinates."""
    condition = read_conditions([n + alpha >= 1])
    excess = n + alpha - 1
    for conditions in (condition, condition * 2):
        with under(conditions):
            assert possible_signs(excess - relabel(excess, GENERIC, OTHER)) == {-1, 0, 1}


def test_no_proof_outlives_its_conditions():
    condition = read_conditions([a >= 1])
    for _ in range(2):
        with under(condition):
            assert possible_signs(a) == {1}
        assert possible_signs(a) == {-1, 0, 1}
    assert assumed() == ()


def test_a_cache_is_for_the_conditions_that_held():
    calls = []

    @cached(maxsize=8)
    def asked(e):
        calls.append(assumed())
        return len(assumed())

    condition = read_conditions([a >= 1])
    for _ in range(2):
        assert asked(a) == 0
        with under(condition):
            assert asked(a) == 1
    assert calls == [(), condition]


# These caches hold no proof: structure, candidates for values, and syntax.
OTHER_CACHES = {
    "recipe/files/atomic_write.py",
    "recipe/language/assumed.py",
    "recipe/language/calculus.py",
    "recipe/language/derivatives.py",
    "recipe/language/symbols.py",
    "recipe/language/total.py",
    "recipe/lifting/slips.py",
    "verify/decide/points/candidate_values.py",
    "verify/translation/parse/module.py",
    "verify/translation/reference/generalise.py",
    "verify/translation/reference/matcher.py",
    "verify/translation/state/indexing.py",
}


def test_rooms_that_ask_for_signs_have_no_other_caches():
    found = {
        str(path.relative_to(ROOT))
        for room in ("recipe", "verify")
        for path in (ROOT / room).rglob("*.py")
        if re.search(r"@(functools\.)?(lru_cache|cache)\b", path.read_text())
    }
    assert found == OTHER_CACHES


# -- points
# --------------------------------------------------------------------------------------------------


def test_points_meet_the_conditions():
    conditions = read_conditions([*CONDITIONS, a > 2 * b])
    with under(conditions):
        for sizes, seed in itertools.product((1, 2, 3), range(6)):
            point = Point({theta.dim: sizes}, seed)
            values = [[point.choose(s, k) for k in range(sizes)] for s in (alpha, n)]
            assert all(p + q >= 1 for p, q in zip(*values, strict=True))
            assert sum(values[0]) >= 1
            assert point.choose(a) > 2 * point.choose(b)


def test_a_point_has_no_value_where_the_conditions_hold_nowhere():
    with under(read_conditions([a >= 3, a <= 2])):
        assert find_nonzero(a + b) is None
        assert decide_zero(a + b).verdict is UNDECIDED
    assert decide_zero(a + b).verdict is REFUTED


# -- declaring
# --------------------------------------------------------------------------------------------------


def quadratic(where, curvature=a):
    return Recipe(theta, H=curvature * total(theta**2) / 2, D=1, Q=0, where=where)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ([theta >= 1], "about more than parameters"),
        ([Eq(a, 1)], "relations between parameters"),
        ([1], "relations between parameters"),
        (a >= 1, "must be a list"),
        ("a >= 1", "must be a list"),
        ([b < 0], "holds for no values"),
        ([Function("f")(a) > 0], "about more than parameters"),
        ([log(b) > 0], "with \\+, -, \\*, / and powers"),
        ([Symbol("c") > 0], "the recipe has no c"),
        ([n - Parameter("m", like=Vector("other")) >= 0], "mixes the lengths"),
    ],
)
def test_what_is_no_condition_is_refused(where, words):
    with pytest.raises(RecipeError, match=words):
        quadratic(where, a * b)


def test_a_condition_that_is_implied_is_left_out():
    assert quadratic([b > 0], b).where == ()


# -- verdicts
# --------------------------------------------------------------------------------------------------


def test_a_condition_makes_a_law_normalisable_and_the_report_says_what_lies_outside():
    assert outcome_of(quadratic([]), "normalisable").verdict is REFUTED
    declared = quadratic([a > 0])
    assert outcome_of(declared, "normalisable").verdict is PROVED
    report = verify(declared)
    assert report.verdict is PROVED
    assert "where a > 0" in report.scope
    outside = outcome_of(declared, "where")
    assert outside.verdict is PROVED
    assert "where a > 0 fails, normalisable is refuted" in outside.by


def test_the_witness_outside_of_one_condition_meets_all_others():
    """Where b > 5 fails and a > 0 holds, nothing is wrong."""
    declared = Recipe(theta, H=a * total(theta**2), D=1 + b**2, Q=0, where=[a > 0, b > 5])
    outside = outcome_of(declared, "where")
    assert outside.verdict is UNDECIDED
    assert "where b > 5 fails nothing was refuted" in outside.by


@pytest.mark.parametrize(
    ("where", "verdict", "words"),
    [
        ([a > 0], PROVED, "where a > 0 fails, normalisable is refuted"),
        ([a > 0, b > 5], UNDECIDED, "where b > 5 fails nothing was refuted"),
    ],
)
def test_a_kernel_says_what_lies_outside_of_its_conditions(where, verdict, words):
    declared = Recipe(theta, H=a * total(theta**2) / 2, D=1 + b**2, Q=0, where=where)
    kernel = compose(metropolis(discretise(declared, "euler")))
    outside = outcome_of(kernel, "where")
    assert outside.verdict is verdict
    assert words in outside.by
    assert kernel.where == declared.where  # the kernel outside is another one
    assert outcome_of(kernel, "normalisable").verdict is PROVED


def test_a_kernel_without_conditions_has_no_such_line():
    kernel = compose(metropolis(discretise(Recipe(theta, total(theta**2), 1, 0), "euler")))
    assert "where" not in {line.name for line in verify(kernel).lines}


@pytest.mark.slow
def test_a_condition_on_a_length_alone():
    declared = Recipe(theta, H=b * total(theta**2), D=1, Q=0, where=[b > 1, b >= theta.dim])
    assert verify(declared).verdict is PROVED
    values = {"params": {"b": 2.0}, "step_size": 0.1, "steps": 2, "progress": False}
    assert sample(declared, **values, lengths={theta: 2})["theta"].shape == (4, 2, 2)
    with pytest.raises(RecipeError, match="break the condition"):
        sample(declared, **values, lengths={theta: 3})


def test_a_condition_that_is_not_needed_is_said_to_be_open():
    outside = outcome_of(quadratic([b > 1], b), "where")
    assert outside.verdict is UNDECIDED
    assert "where b > 1 fails nothing was refuted" in outside.by


def test_a_condition_that_does_not_reach_far_enough_leaves_the_question_open():
    assert outcome_of(quadratic([a > -1]), "normalisable").verdict is not PROVED
    assert outcome_of(quadratic([a + b > 0], a * b), "normalisable").verdict is not PROVED


def test_conditions_that_hold_nowhere_prove_and_refute_nothing():
    report = verify(quadratic([a >= 3, a <= 2]))
    assert report.verdict is UNDECIDED


def test_a_refutation_outside_of_the_conditions_does_not_count():
    """D = a - 1 is negative for some a, and not where a >= 1."""
    indefinite = Recipe(theta, H=total(theta**2), D=a - 1, Q=0)
    assert outcome_of(indefinite, "diffusion-psd").verdict is REFUTED
    allowed = Recipe(theta, H=total(theta**2), D=a - 1, Q=0, where=[a >= 1])
    assert outcome_of(allowed, "diffusion-psd").verdict is not REFUTED


@pytest.mark.slow
@pytest.mark.parametrize("name", ["expanded", "reduced"])
def test_natural_coordinates_of_the_simplex(name):
    entry = catalog_recipes()[f"sgrld_simplex_{name}_natural"]
    assert verify(entry).verdict is PROVED


def test_natural_coordinates_without_conditions_explode_at_a_witness():
    entry = catalog_recipes()["sgrld_simplex_expanded_natural"]
    for where, words in (
        ([], "declare it where=[alpha + n >= 1, total(alpha) >= 1]"),
        ([total(alpha) >= 1], "declare it where=[alpha + n >= 1]"),
        ([n + alpha >= 1], "declare it where=[total(alpha) >= 1]"),
    ):
        declared = Recipe(entry.state, H=entry.H, D=entry.D.written, Q=entry.Q.written, where=where)
        outcome = outcome_of(declared, "non-explosion")
        assert outcome.verdict is REFUTED
        shapes = [Rational(v) for v in outcome.witness.point["alpha"]]
        if where == [n + alpha >= 1]:
            assert sum(shapes) < 1
        assert words in outcome.repair


def test_a_repair_leaves_out_what_follows_from_the_rest():
    """With shapes that are at least 1, their total is."""
    H = total(exp(theta)) - total(alpha * theta)
    outcome = outcome_of(Recipe(theta, H, exp(-theta), 0), "non-explosion")
    assert outcome.verdict is REFUTED
    assert "where=[alpha >= 1]," in outcome.repair


def test_there_is_no_certificate_under_conditions():
    declared = quadratic([a > 0])
    with pytest.raises(RecipeError, match="under conditions between parameters"):
        certificate_of(declared, verify(declared))


# -- numbers, and what is made of a recipe
# --------------------------------------------------------------------------------------------------


def natural():
    return catalog_recipes()["sgrld_simplex_expanded_natural"]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"n": [0.0, 2.0], "alpha": [0.5, 0.5]}, "alpha \\+ n >= 1 of where= in coordinate 1"),
        ({"n": [2.0, 2.0], "alpha": [0.25, 0.5]}, "total\\(alpha\\) >= 1 of where="),
    ],
)
def test_numbers_are_checked_before_anything_runs(values, words):
    with pytest.raises(RecipeError, match=words):
        sample(natural(), steps=3, step_size=0.01, params=values, scheme="milstein", progress=False)


@pytest.mark.slow
def test_numbers_that_meet_the_conditions_run():
    values = {"n": [1.0, 2.0], "alpha": [0.5, 0.5]}
    draws = sample(
        natural(), steps=3, step_size=0.01, params=values, scheme="milstein", progress=False
    )
    assert draws["theta"].shape == (4, 3, 2)


def test_a_condition_is_computed_as_it_is_written():
    condition = read_conditions([total(alpha * n) / theta.dim + b**2 >= 1])[0]
    values = {"alpha": np.array([1.0, 2.0]), "n": np.array([1.0, 0.5]), "d_theta": np.array(2)}
    check_condition(condition, values | {"b": np.array(0.5)})  # (1 + 1)/2 + 1/4
    with pytest.raises(RecipeError, match="break the condition"):
        check_condition(condition, values | {"n": np.array([0.5, 0.1]), "b": np.array(0.5)})


def test_bound_transformed_and_spread_recipes_keep_their_conditions():
    U = Potential("U", theta)
    k = Parameter("k", like=theta)
    declared = Recipe(theta, H=U + a * total(k * theta**2), D=1, Q=0, where=[k + a > 1, a >= 0])
    bound = bind(declared, {U: a * total(theta**2)})
    assert [str(c) for c in bound.where] == ["a + k > 1", "a >= 0"]
    p, q = Vector("p"), Vector("q")
    z = Data("z")
    model = Posterior((p, q), -(z**2) * a * total(p**2), -total(q**2), {z: [1.0]})
    pieces = bind(declared, {U: model})
    assert len(pieces.where) == 3
    assert all("k" in str(c) for c in pieces.where[:2])


def test_derivation_and_text_show_conditions():
    assert "where=[a > 0]" in str(quadratic([a > 0]))
