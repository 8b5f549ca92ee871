"""Schemes: what each makes of the catalog, what it refuses, and that every sub-flow is the exact
one.
"""

import itertools
import json

import mpmath
import pytest
from generators.mutated_splittings import mutated
from helpers.command import ROOT, command
from sympy import Function, Matrix, Symbol, exp, log, simplify, sqrt

from catalog.sghmc import C, sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht
from catalog.third_order_langevin import third_order_langevin
from recipe import (
    Dense,
    Discretisation,
    Noise,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    derive,
    discretise,
    discretised,
    grad,
    limit_of,
    total,
)
from recipe.language.abstract import jets_from_sympy
from recipe.language.phi import Phi
from recipe.scheme import SCHEMES, scheme_called, split
from recipe.scheme.flow import flow
from recipe.scheme.pieces import pieces_of
from recipe_cli.declarations.of_catalog import catalog_entries
from verify import Verdict, verify
from verify.decide.zero.decide import decide_zero
from verify.decide.zero.entry import decide_zero_entry

h = Symbol("step_size", positive=True)
RECIPES = {e.name: e.declared for e in catalog_entries() if isinstance(e.declared, Recipe)}
FITTING = {
    "corv_sghmc": "milstein baoab obabo aboba oabao",
    "corv_sgld": "milstein leimkuhler-matthews",
    "corv_sgnht": "milstein badodab",
    "ito_sgld": "milstein",
    "fisher_sgld": "leimkuhler-matthews",
    "hmc": "milstein leapfrog",
    "lognormal_exp_ou": "milstein exact",
    "scir": "milstein exact",
    "scir_posterior": "milstein",
    "jacobi_beta": "milstein",
    "mirror_sgld": "milstein",
    "mirror_sghmc": "milstein baoab obabo aboba oabao",
    "sghmc": "milstein baoab obabo aboba oabao",
    "sgld": "milstein leimkuhler-matthews",
    "sgnht": "milstein badodab",
    "sgrhmc": "milstein",
    "sgrhmc_bounded": "milstein",
    "sgrld": "",
    "sgrld_reciprocal": "milstein",
    "sgrld_simplex_expanded_mean": "milstein",
    "sgrld_simplex_expanded_mean_reflected": "milstein",
    "sgrld_simplex_expanded_natural": "milstein",
    "sgrld_simplex_reduced_mean": "",
    "sgrld_simplex_reduced_natural": "",
    "third_order_langevin": "milstein badodab",
    "wright_fisher_dirichlet": "",
}


def fits(recipe, name):
    try:
        discretise(recipe, name)
    except RecipeError:
        return False
    return True


@pytest.mark.by_default(10)
@pytest.mark.parametrize("name", RECIPES)
def test_which_schemes_fit(name):
    assert [s.name for s in SCHEMES if fits(RECIPES[name], s.name)] == [
        "euler",
        "semi-implicit",
        *FITTING[name].split(),
    ]


@pytest.mark.by_default(30)
@pytest.mark.parametrize("scheme", [s.name for s in SCHEMES])
@pytest.mark.parametrize("name", RECIPES)
def test_every_scheme_has_the_drift_and_diffusion_of_its_recipe(name, scheme):
    recipe = RECIPES[name]
    if not fits(recipe, scheme):
        return
    limit, ours = limit_of(discretise(recipe, scheme)), derive(recipe).dynamics
    for b in recipe.state:
        assert decide_zero(limit.drift[b] - ours.drift[b]).verdict is Verdict.PROVED
    for place, entry in ours.diffusion.items():
        assert type(limit.diffusion[place]) is type(entry)
        theirs = limit.diffusion[place]
        difference = type(entry)(**{k: getattr(theirs, k) - getattr(entry, k) for k in vars(entry)})
        assert decide_zero_entry(difference).verdict is Verdict.PROVED


# -- splittings
# --------------------------------------------------------------------------------------------------


def test_the_letters_of_langevin_dynamics():
    theta, r = sghmc.state
    (U,) = sghmc.H.atoms(Potential)
    found = {
        p.letter: [(m.block, m.rate, m.push, m.noise) for m in p.motions] for p in pieces_of(sghmc)
    }
    assert found == {
        "A": [(theta, 0, r, 0)],
        "B": [(r, 0, -grad(U, theta), 0)],
        "O": [(r, -C, 0, C)],
    }


def test_the_letters_of_a_thermostat_and_of_third_order_dynamics():
    assert {p.letter: [m.block.name for m in p.motions] for p in pieces_of(sgnht)} == {
        "A": ["theta"],
        "B": ["r"],
        "O": ["r"],
        "D": ["xi"],
    }
    assert {
        p.letter: [m.block.name for m in p.motions] for p in pieces_of(third_order_langevin)
    } == {
        "A": ["theta"],
        "B": ["p"],
        "O": ["r"],
        "D": ["r"],
    }


def test_baoab_as_it_is_printed():
    theta, r = sghmc.state
    (U,) = sghmc.H.atoms(Potential)
    w = Noise("w_r", like=r)
    kick, drift = (r, r - h * grad(U, theta) / 2), (theta, theta + h * r / 2)
    assert discretise(sghmc, "baoab").rule == (
        kick,
        drift,
        (r, exp(-C * h) * r + sqrt(1 - exp(-2 * C * h)) * w),
        drift,
        kick,
    )


def test_every_occurrence_of_noise_is_a_draw_of_its_own():
    first, last = (discretise(sghmc, "OBABO").rule[k][1].atoms(Noise) for k in (0, 4))
    assert len(first) == len(last) == 1
    assert first != last


def test_the_rate_of_a_thermostat_may_be_zero():
    r, xi = sgnht.state[1:]
    (o,) = (e for b, e in discretise(sgnht, "BADODAB").rule if b == r and e.has(Noise))
    assert o.has(Phi)
    assert o.subs(xi, 0).subs(r, 0) == sqrt(2 * h * Symbol("A", positive=True)) * Noise(
        "w_r", like=r
    )


@pytest.mark.parametrize("name", ["sghmc", "sgnht", "third_order_langevin"])
def test_every_sub_flow_solves_its_equation(name):
    """Mean and variance against their differential equations, by sympy alone and off the
    rate zero.
    """
    t = Symbol("t", positive=True)
    for piece in pieces_of(RECIPES[name]):
        for m in piece.motions:
            mean, variance = (e.rewrite(exp) for e in (flow(m, t).mean, flow(m, t).variance))
            assert simplify(mean.diff(t) - m.rate * mean - m.push) == 0
            assert simplify(variance.diff(t) - 2 * m.rate * variance - 2 * m.noise) == 0
            assert (
                mean.limit(t, 0) == m.block
                if not mean.has(Potential)
                else mean.subs(t, 0) == m.block
            )
            assert variance.limit(t, 0) == 0


x, y = Scalar("x"), Scalar("y")
c = Symbol("c", positive=True)


@pytest.mark.parametrize(
    ("recipe", "word", "sentence"),
    [
        (
            sghmc,
            "BADODAB",
            (
                "has the letter D, and the pieces of this recipe are: A positions move (theta); B"
                " kick (r); O"
            ),
        ),
        (sghmc, "BAB", "leaves out O (Ornstein-Uhlenbeck of r), so it is not this recipe"),
        (sgld, "BAOAB", "the term -grad(U, theta), which is not linear in theta"),
        (RECIPES["sgrhmc"], "BAOAB", "the term r/sqrt(G(theta)), which is not linear in theta"),
        (
            Recipe((x, y), x**2 + y**2, Matrix([[1, c], [c, 1]]), Matrix([[0, 0], [0, 0]])),
            "O",
            "couples the noise of x and y",
        ),
        (
            Recipe((x,), x**2 / 2 - log(x), Matrix([[x]]), Matrix([[0]])),
            "O",
            "which is not linear in x",
        ),
    ],
)
def test_a_word_that_does_not_fit_is_refused_with_the_reason(recipe, word, sentence):
    with pytest.raises(RecipeError) as refused:
        split(recipe, word)
    assert sentence in str(refused.value)


def test_two_blocks_that_move_by_one_another_have_no_flow():
    theta = Vector("theta")
    p, q = Vector("p", like=theta), Vector("q", like=theta)
    U = Potential("U", theta)
    swirl = Recipe(
        (theta, p, q),
        U + total(p**2 + q**2) / 2,
        Matrix([[0, 0, 0], [0, c, 0], [0, 0, c]]),
        Matrix([[0, -1, 0], [1, 0, -1], [0, 1, 0]]),
    )
    letters = {piece.letter: [m.block.name for m in piece.motions] for piece in pieces_of(swirl)}
    assert letters == {"A": ["theta"], "B": ["p"], "O": ["p", "q"], "D": ["q"]}
    both = Recipe(
        swirl.state, swirl.H, swirl.D.written, Matrix([[0, -1, -1], [1, 0, -1], [1, 1, 0]])
    )
    with pytest.raises(RecipeError, match=r"kick \(B\): p and q would move by one another"):
        pieces_of(both)


def test_a_motion_that_reads_a_block_of_its_own_piece_by_its_rate_and_its_noise_alike():
    """Rate and noise cancel in a sum; the flow of p is not that with q at rest, as q moves in the
    same piece.
    """
    swirl = Recipe(
        (x, y), x**2 / 2 + y**2 / 2, Matrix([[1 + y**2, 0], [0, 1]]), Matrix([[0, 0], [0, 0]])
    )
    with pytest.raises(RecipeError, match=r"x and y would move by one another"):
        split(swirl, "O")


def test_an_unknown_scheme_is_named_with_those_that_there_are():
    with pytest.raises(
        RecipeError,
        match=(
            r"there is no scheme 'rk4'; the schemes are euler, .*any word over the letters A, B,"
            r" O, D"
        ),
    ):
        scheme_called("rk4")


# -- the others
# --------------------------------------------------------------------------------------------------


def test_milstein_adds_the_slope_of_the_noise():
    theta = Vector("theta")
    U, G = Potential("U", theta), Function("G", positive=True)
    plain = Recipe((theta,), U, Matrix([[1 / G(theta)]]), Matrix([[0]]))
    w = Noise("w_theta", like=theta)
    (_, milstein), (_, euler) = (
        discretise(plain, "milstein").rule[0],
        discretise(plain, "euler").rule[0],
    )
    slope = -G(theta).diff(theta) / G(theta) ** 2
    assert (
        decide_zero(milstein - euler - h / 2 * (w**2 - 1) * jets_from_sympy(slope)).verdict
        is Verdict.PROVED
    )


def test_milstein_needs_noise_that_is_elementwise():
    theta = Vector("theta")
    U, M = Potential("U", theta), Dense("M", theta, symmetric=True, positive=True)
    with pytest.raises(RecipeError, match="is not diagonal; milstein needs D diagonal"):
        discretise(Recipe((theta,), U, Matrix([[M]]), Matrix([[0]])), "milstein")
    with pytest.raises(RecipeError, match="the areas between two noises"):
        discretise(Recipe((theta,), U, Matrix([[1 + total(theta**2)]]), Matrix([[0]])), "milstein")


def test_leimkuhler_matthews_is_the_printed_scheme():
    """x' = x + h f(x) + sqrt(2 h) (w + w') / 2 over several steps, each noise in two of them, in 30
    digits.
    """
    (theta,) = sgld.state
    update = discretise(sgld, "leimkuhler-matthews")
    (U,) = sgld.H.atoms(Potential)
    w, fresh = Noise("w_theta", like=theta), Noise("w_recorded", like=theta)
    with mpmath.workdps(30):
        step, draws = mpmath.mpf("0.3"), [mpmath.mpf(k) / 7 - 1 for k in (3, 11, 5, 2, 9)]

        def value(e, at, noise):
            numbers = {h: step, w: noise, fresh: noise, grad(U, theta): 4 * at**3 - at, theta: at}
            return mpmath.mpf(str(e.subs(numbers).evalf(30)))

        y, x = mpmath.mpf(1) / 3, mpmath.mpf(1) / 3 + mpmath.sqrt(step / 2) * draws[0]
        for now, then in itertools.pairwise(draws):
            for _, e in update.rule:
                y = value(e, y, now)
            x = x - step * (4 * x**3 - x) + mpmath.sqrt(2 * step) * (now + then) / 2
            assert abs(value(update.observe[0][1], y, then) - x) < mpmath.mpf(10) ** -25


@pytest.mark.parametrize(
    ("recipe", "sentence"),
    [
        (
            sghmc,
            "is for overdamped dynamics of one block, and the state is (theta, r); try a splitting",
        ),
        (RECIPES["sgrld"], "D[theta, theta] = 1/G is not constant"),
        (Recipe((x,), x**2, Matrix([[0]]), Matrix([[0]])), "D[x, x] = 0"),
    ],
)
def test_leimkuhler_matthews_is_refused_with_the_reason(recipe, sentence):
    with pytest.raises(RecipeError) as refused:
        discretise(recipe, "leimkuhler-matthews")
    assert sentence in str(refused.value)


def test_the_printed_rule_is_no_scheme_to_compile():
    with pytest.raises(RecipeError, match=r"published rule.*give FILE:NAME"):
        discretise(sghmc, "printed")


def test_what_belongs_to_other_schemes_is_refused():
    with pytest.raises(
        RecipeError, match="order= belongs to the scheme semi-implicit, not to baoab"
    ):
        discretise(sghmc, "baoab", order=["r", "theta"])
    with pytest.raises(
        RecipeError, match="compensate= is known for euler and semi-implicit, not for baoab"
    ):
        discretise(sghmc, "baoab", compensate=True)


# -- what is proved of a step
# --------------------------------------------------------------------------------------------------


def lines_of(step):
    return {line.name: line.outcome for line in verify(step).lines}


@pytest.mark.by_default(1)
@pytest.mark.parametrize("scheme", ["baoab", "obabo", "aboba", "oabao", "boab", "abobabo"])
def test_splittings_of_langevin_dynamics_are_proved(scheme):
    lines = lines_of(discretised(sghmc, scheme))
    assert lines["exact-transition"].verdict is lines["consistency"].verdict is Verdict.PROVED
    assert "r <- N(r*exp(-C*step_size" in lines["exact-transition"].by


r = sghmc.state[1]
MUTANTS = {
    "a half step made whole": (0, {"mean": lambda m: 2 * m - r}),
    "a half step made whole, and called whole": (
        0,
        {"mean": lambda m: 2 * m - r, "time": lambda t: 2 * t},
    ),
    "a kick in the wrong direction": (4, {"mean": lambda m: 2 * r - m}),
    "c1 and c2 swapped": (
        2,
        {"mean": lambda m: r * sqrt(1 - exp(-2 * C * h)), "variance": lambda v: exp(-2 * C * h)},
    ),
    "noise of half the variance": (2, {"variance": lambda v: v / 2}),
    "friction twice": (2, {"mean": lambda m: r * exp(-2 * C * h)}),
}


@pytest.mark.by_default(3)
@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_of_baoab_are_refuted(name):
    k, changes = MUTANTS[name]
    outcome = lines_of(mutated(discretised(sghmc, "baoab"), k, **changes))["exact-transition"]
    assert outcome.verdict is Verdict.REFUTED
    assert outcome.witness is not None


def test_a_mutant_that_is_wrong_in_the_limit_is_inconsistent():
    twice = mutated(discretised(sghmc, "baoab"), 0, mean=lambda m: 2 * m - r)
    outcome = lines_of(twice)["consistency"]
    assert outcome.verdict is Verdict.REFUTED
    assert (
        "the drift of r: that of the rule minus the derived one is -grad(U, theta)/2" in outcome.by
    )


def test_a_step_that_moves_however_small_it_is_is_inconsistent():
    halved = mutated(discretised(sghmc, "baoab"), 2, mean=lambda m: m / 2)
    outcome = lines_of(halved)["consistency"]
    assert outcome.verdict is Verdict.REFUTED
    assert (
        outcome.by
        == "the rule of r does not vanish with the step: at step_size = 0 it is r/2, not r"
    )
    assert outcome.witness is not None


def test_two_moves_that_may_make_each_other_good_are_left_open():
    theta, r = sghmc.state
    back = (
        -r
        - h * C * r
        - h * grad(Potential("U", theta), theta)
        + sqrt(2 * C * h) * Noise("w", like=r)
    )
    rule = [(r, -r), (theta, theta - h * r), (r, back)]
    turned = Discretisation(sghmc, "printed", Update(h, rule, sghmc.H))
    assert lines_of(turned)["consistency"].verdict is Verdict.UNDECIDED


def test_a_printed_rule_is_a_step_as_it_stands():
    assert lines_of(discretised(sghmc, "printed"))["consistency"].verdict is Verdict.PROVED
    assert discretised(sghmc.update, "printed").update is sghmc.update
    with pytest.raises(RecipeError, match=r"no printed rule; name a scheme"):
        discretised(Recipe((x,), x**2, Matrix([[1]]), Matrix([[0]])), "printed")
    with pytest.raises(
        RecipeError, match=r"a discrete step already: --scheme printed takes it as it stands"
    ):
        discretised(sghmc.update, "euler")


# -- the command
# --------------------------------------------------------------------------------------------------


def test_verify_a_step_from_the_command_line():
    said = command("verify", "sgnht", "--scheme", "BADODAB")
    assert said.returncode == 0
    assert said.stdout.startswith(
        "sgnht, BADODAB (step, catalog/sgnht.py): proved for every d_theta, every smooth U(theta)"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["verify", "sgld", "--scheme", "baoab"],
            "recipe: sgld: the drift of theta has the term -grad(U, theta)",
        ),
        (["verify", "sgld", "--scheme", "rk4"], "recipe: sgld: there is no scheme 'rk4'"),
        (["schemes", "nothing"], "recipe: nothing is neither a file nor in the catalog"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(arguments, sentence):
    said = command(*arguments)
    assert said.returncode == 2
    assert sentence in said.stderr


def test_the_schemes_of_a_recipe():
    said = command("schemes", "sghmc")
    assert (
        "    O Ornstein-Uhlenbeck: r <- N(r*exp(-C*step_size), 1 - exp(-2*C*step_size))\n"
        in said.stdout
    )
    assert "    badodab              does not fit: the word BADODAB has the letter D" in said.stdout
    data = json.loads(command("schemes", "sgld", "--json").stdout)
    assert data[0]["no_splitting"].startswith("the drift of theta has the term")
    assert {s["name"] for s in data[0]["schemes"] if s["refused"] is None} == {
        "euler",
        "semi-implicit",
        "milstein",
        "leimkuhler-matthews",
    }


def test_all_schemes():
    assert [line.split()[0] for line in command("schemes").stdout.splitlines()][: len(SCHEMES)] == [
        s.name for s in SCHEMES
    ]
    assert len(json.loads(command("schemes", "--json").stdout)) == len(SCHEMES)


def test_printed_rules_stand_beside_kernels_in_a_file(tmp_path):
    text = (ROOT / "catalog" / "hmc.py").read_text()
    (tmp_path / "mine.py").write_text(text)
    said = command("verify", tmp_path / "mine.py", "--scheme", "printed")
    assert said.returncode == 0
    assert said.stdout.startswith("hmc, printed (step, ")


def test_what_does_not_fit_one_recipe_costs_the_others_nothing(tmp_path):
    text = """
from sympy import Matrix
from recipe import Recipe, Scalar
x, p = Scalar("x"), Scalar("p")
one = Recipe((x,), x**4, Matrix([[1]]), Matrix([[0]]))
two = Recipe((x, p), x**2 + p**2, Matrix([[0, 0], [0, 1]]), Matrix([[0, -1], [1, 0]]))
"""
    (tmp_path / "mine.py").write_text(text)
    said = command("verify", tmp_path / "mine.py", "--scheme", "baoab")
    assert said.returncode == 2
    assert "mine.py, one: the drift of x has the term -4*x**3" in said.stderr
    assert said.stdout.startswith("two, baoab (step, ")
    both = command("verify", tmp_path / "mine.py", "--scheme", "badodab")
    assert both.returncode == 2
    assert "one: the drift of x has" in both.stderr
    assert "two: the word BADODAB has the letter D" in both.stderr
