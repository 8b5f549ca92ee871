"""A kernel on several blocks is the kernel of one vector, cut into pieces: rules and acceptance, in
explicit coordinates.
"""

import random

import numpy as np
import pytest
from helpers.outcomes import outcome_of
from oracles.explicit import World
from sympy import Expr, Rational, Symbol

from catalog import hmc as of_hmc
from catalog import mala as of_mala
from catalog.hmc import ghmc, hmc, hmc_kernel, r, theta
from catalog.mala import mala, pmala
from codegen import sample
from recipe import (
    Data,
    Dense,
    Kernel,
    Noise,
    Posterior,
    Potential,
    RecipeError,
    Scalar,
    Simplex,
    Update,
    Vector,
    bind,
    compose,
    flip,
    metropolis,
    repeat,
    spread,
    step,
    total,
)
from recipe.kernel import MetropolisHastings, updates_of
from recipe.kernel.part import leaves_of
from verify import Verdict, verify
from verify.kernels.shears import Shear, layers_of

PROVED, UNDECIDED = Verdict.PROVED, Verdict.UNDECIDED
h = Symbol("h", positive=True)
mu, eta, beta = Scalar("mu"), Vector("eta"), Vector("beta")
PLACES = [
    ("mu", 0),
    ("eta", 0),
    ("eta", 1),
    ("beta", 0),
]  # where the coordinates of the one vector are
KERNELS = {
    "hmc": (hmc_kernel, of_hmc.U),
    "ghmc": (ghmc, of_hmc.U),
    "mala": (mala, of_mala.U),
    "pmala": (pmala, of_mala.U),
    "repeated": (
        compose(repeat(compose(*ghmc.parts, flip(hmc, r)), (2, 3)), step(hmc.update)),
        of_hmc.U,
    ),
}


def on_pieces(kernel: Kernel, U: Potential) -> Kernel:
    law = Posterior((mu, eta, beta), -(mu**2) - total(eta**2) - total(beta**2), 0 * mu, {})
    return bind(kernel, {U: law})


def renamed(e: Expr) -> Expr:
    """The names of the one vector in the names of the pieces: ``theta_2`` is ``eta_1``, ``r_2`` is
    ``r_eta_1``.
    """
    names = {}
    for k, (piece, j) in enumerate(PLACES):
        names |= {
            f"theta_{k}": f"{piece}_{j}",
            f"theta_new_{k}": f"{piece}_new_{j}",
            f"w_{k}": f"w_{piece}_{j}",
        }
        names |= {f"{base}_{k}": f"{base}_{piece}_{j}" for base in ("r", "w_r")}
    return e.xreplace(
        {Symbol(old, real=True): Symbol(new, real=True) for old, new in names.items()}
    )


def written_out(update: Update, world: World) -> list[tuple[Expr, Expr]]:
    return [
        (c, e)
        for b, rule in update.rule
        for c, e in zip(world.coordinates(b), world.vector(rule, b), strict=True)
    ]


def ordered(pairs: list[tuple[Expr, Expr]], update: Update) -> list[tuple[Expr, Expr]]:
    return pairs if update.sequential else sorted(pairs, key=str)


@pytest.mark.parametrize("name", KERNELS)
def test_every_rule_and_every_acceptance_is_that_of_the_one_vector(name):
    kernel, U = KERNELS[name]
    cut = on_pieces(kernel, U)
    whole, apart = (
        World({theta.length: 4, of_mala.theta.length: 4}),
        World({eta.length: 2, beta.length: 1}),
    )
    old, new = ([u for part in k.parts for u in updates_of(part)] for k in (kernel, cut))
    for before, after in zip(old, new, strict=True):
        wanted = [(renamed(c), renamed(e)) for c, e in written_out(before, whole)]
        for (c, e), (d, f) in zip(
            ordered(wanted, before), ordered(written_out(after, apart), after), strict=True
        ):
            assert c == d
            assert (e - f).expand() == 0
        assert (renamed(whole.read(before.target, {})) - apart.read(after.target, {})).expand() == 0
    tests = [[leaf for part in k.parts for leaf in leaves_of(part)] for k in (kernel, cut)]
    for before, after in zip(*tests, strict=True):
        assert type(before) is type(after)
        if isinstance(before, MetropolisHastings):
            assert (renamed(whole.read(before.cost, {})) - apart.read(after.cost, {})).expand() == 0


@pytest.mark.parametrize("name", ["hmc", "ghmc", "mala", "pmala"])
def test_what_is_proved_of_the_one_vector_is_proved_of_its_pieces(name):
    kernel, U = KERNELS[name]
    before, after = verify(kernel), verify(on_pieces(kernel, U))
    assert after.verdict is PROVED
    assert {line.name: line.outcome.verdict for line in before.lines} == {
        line.name: line.outcome.verdict for line in after.lines
    }


def test_all_pieces_of_a_momentum_are_redrawn_and_turned():
    text = str(on_pieces(hmc_kernel, of_hmc.U))
    assert "rejected, turn r_mu, r_eta, r_beta" in text
    assert all(f"r_{b} <- w_r_{b}" in text for b in ("mu", "eta", "beta"))
    assert (
        "r_mu, r_eta, r_beta are redrawn"
        in outcome_of(verify(on_pieces(hmc_kernel, of_hmc.U)), "uniqueness").by
    )


def test_a_piece_that_is_forgotten_is_not_proved():
    cut = on_pieces(ghmc, of_hmc.U)
    redraw, test = cut.parts
    (whole,) = updates_of(test)
    lame = Update(
        whole.step, list(whole.rule)[:-1], whole.target
    )  # the last half kick of r_beta is missing
    assert len(lame.rule) == len(whole.rule) - 1
    report = verify(compose(redraw, metropolis(lame, flip=test.flips)))
    assert outcome_of(report, "detailed-balance").verdict is not PROVED
    assert outcome_of(report, "invariance").verdict is not PROVED
    unturned = verify(compose(redraw, metropolis(whole, flip=test.flips[:-1])))
    assert outcome_of(unturned, "invariance").verdict is not PROVED


def test_shears_that_do_not_commute_are_not_exchanged():
    """Kick of one piece, drift of the other that reads it, and back in the wrong order."""
    x, y = Scalar("x"), Scalar("y")
    p, q = Scalar("p"), Scalar("q")
    H = (x**2 + y**2 + p**2 + q**2) / 2
    good = [
        (p, p - h * x / 2),
        (q, q - h * y / 2),
        (x, x + h * p),
        (y, y + h * q),
        (p, p - h * x / 2),
        (q, q - h * y / 2),
    ]
    crossed = [*good[:3], (p, p - h * x / 2), (y, y + h * (q + p)), (q, q - h * y / 2)]
    turned = compose(metropolis(Update(h, good, H), flip=(p, q)))
    assert outcome_of(verify(turned), "invariance").verdict is PROVED
    wrong = compose(metropolis(Update(h, crossed, H), flip=(p, q)))
    assert outcome_of(verify(wrong), "invariance").verdict is not PROVED


def test_layers_of_shears_are_the_same_map():
    """Random shears one after another, against their layers, each of them in every order of its
    shears.
    """
    draw = random.Random(2)
    state = [Scalar(name) for name in "xypq"]
    start = {b: Rational(draw.randint(-9, 9)) for b in state}
    merged = 0
    for _ in range(60):
        word = []
        for b in draw.choices(state, k=draw.randint(2, 8)):
            read = draw.sample([c for c in state if c != b], k=draw.randint(1, 2))
            word.append(Shear(b, sum((draw.randint(1, 3) * c for c in read), Rational(0))))
        layers = layers_of(word)
        merged += len(layers) < len(word)
        for turned in (False, True):
            pairs = [
                pair
                for layer in layers
                for pair in (reversed(layer.items()) if turned else layer.items())
            ]
            assert after(pairs, start) == after([(s.block, s.g) for s in word], start)
    assert merged > 20


def after(pairs, start):
    at = dict(start)
    for block, g in pairs:
        at[block] += g.xreplace(at)
    return at


def test_what_holds_for_one_vector_only_is_refused():
    law = Posterior((mu, eta), -(mu**2) - total(eta**2), 0 * mu, {})
    x = of_mala.theta
    M = Dense("M", x, positive=True)
    correlated = metropolis(Update(h, {x: x + h * Noise("n", x, covariance=M)}, of_mala.U))
    with pytest.raises(RecipeError, match="one vector only"):
        bind(compose(correlated), {of_mala.U: law})
    at_once = Update(h, [(theta, theta + h * total(theta)), (r, r)], hmc.H)
    with pytest.raises(RecipeError, match="one after the other"):
        bind(compose(step(at_once)), {of_hmc.U: law})
    with pytest.raises(RecipeError, match="no potential of this recipe"):
        spread(hmc_kernel, Potential("V", theta), (mu, eta))


def test_a_simplex_is_moved_to_real_coordinates():
    on_simplex = Vector("x", domain=Simplex())
    law = Posterior((on_simplex,), -total(on_simplex), 0 * on_simplex.dim, {})
    assert [b.image for b in bind(hmc_kernel, {of_hmc.U: law}).state] == [on_simplex, None]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hmc", "mala"])
def test_a_kernel_samples_a_posterior_of_several_blocks(name):
    """Means 1 and (-1, 2) and variances 1/4, within six standard errors or so."""
    kernel, U = KERNELS[name]
    y, z = Data("y"), Data("z", like=eta)
    prior = -2 * (mu - 1) ** 2 - 2 * total(eta**2)
    law = Posterior((mu, eta), y * total(z * eta), prior, {y: np.array([-4.0, 8.0]), z: np.eye(2)})
    draws = sample(
        bind(kernel, {U: law}),
        step_size=float(Rational(1, 4)),
        steps=20_000,
        warmup=500,
        chains=2,
        seed=3,
        progress=False,
    )
    values = {
        b: np.asarray(draws[b]).reshape(-1, *([2] if b == "eta" else [])) for b in ("mu", "eta")
    }
    assert abs(values["mu"].mean() - 1) < 0.06
    assert np.all(abs(values["eta"].mean(axis=0) - [-1, 2]) < 0.06)
    assert np.all(abs(values["eta"].var(axis=0) - 0.25) < 0.05)
