"""What a user writes of kernels: parts, their composition, and the sentences that refuse what would
be wrong.
"""

import pytest
from sympy import Function, Matrix, Symbol, exp, log, sqrt

from catalog.hmc import U, hmc, r, theta
from catalog.mala import pmala
from catalog.sghmc import sghmc
from catalog.sgld import sgld
from catalog.sgnht import sgnht, xi
from catalog.sgrld import sgrld
from recipe import (
    Dense,
    Kernel,
    Noise,
    Posterior,
    Potential,
    Recipe,
    RecipeError,
    Scalar,
    Update,
    Vector,
    bind,
    compose,
    dot,
    flip,
    grad,
    metropolis,
    refresh,
    repeat,
    step,
    total,
)
from recipe.kernel import MetropolisedMap, Repeat, refusal_of_estimates
from recipe_cli.declarations.find import declarations

h = Symbol("h", positive=True)
leapfrog = Update(
    h,
    [(r, r - h / 2 * grad(U, theta)), (theta, theta + h * r), (r, r - h / 2 * grad(U, theta))],
    hmc.H,
)


def rule_of(move):
    return dict(move.update.rule)


def test_a_full_refresh_redraws_a_standard_normal_momentum():
    rule = rule_of(refresh(hmc, r))
    assert str(rule[r]) == "w_r"
    assert rule[theta] == theta


def test_a_refresh_knows_the_temperature_the_mean_and_a_riemannian_metric():
    T = Symbol("T", positive=True)
    G = Function("G", positive=True)(theta)
    m = Function("m")(theta)
    for H, expected in (
        (U / T + total(r**2) / (2 * T), "w_r*sqrt(T)"),
        (U + total(r**2 / G + log(G)) / 2, "w_r*sqrt(G(theta))"),
        (U + 2 * total((r - m) ** 2), "w_r/2 + m(theta)"),
    ):
        warm = Recipe(state=(theta, r), H=H, D=hmc.D.written, Q=hmc.Q.written)
        assert str(rule_of(refresh(warm, r))[r]) == expected


def test_a_thermostat_is_redrawn_as_well():
    d, A = theta.dim, Symbol("A", positive=True)
    rule = rule_of(refresh(sgnht, xi))
    assert rule[xi] == A + Noise("w_xi", like=xi) / sqrt(d)


def test_a_part_of_the_old_momentum_may_be_kept():
    a = Symbol("a", positive=True)
    w = Noise("w_r", like=r)
    assert rule_of(refresh(hmc, r, keep=exp(-a)))[r] == exp(-a) * r + sqrt(1 - exp(-2 * a)) * w


def test_what_is_not_normal_is_not_refreshed():
    quartic = Recipe(state=(theta, r), H=U + total(r**4), D=hmc.D.written, Q=hmc.Q.written)
    with pytest.raises(RecipeError, match="not normal: its precision 12\\*r\\*\\*2 depends on r"):
        refresh(quartic, r)
    with pytest.raises(RecipeError, match=r"H depends on theta through"):
        refresh(hmc, theta)
    M = Dense("M", r, positive=True)
    coupled = Recipe(
        state=(theta, r), H=U + total(r * dot(M, r)) / 2, D=hmc.D.written, Q=hmc.Q.written
    )
    with pytest.raises(RecipeError, match="couples the coordinates of r"):
        refresh(coupled, r)
    negative = Recipe(state=(theta, r), H=U - total(r**2), D=hmc.D.written, Q=hmc.Q.written)
    with pytest.raises(RecipeError, match="must be positive"):
        refresh(negative, r)


def test_every_block_is_listed_and_belongs_to_the_state():
    with pytest.raises(RecipeError, match="redraws no block"):
        refresh(hmc)
    with pytest.raises(RecipeError, match="turns no block"):
        flip(hmc)
    with pytest.raises(RecipeError, match="not part of the state"):
        refresh(hmc, Vector("s"))


def test_two_blocks_that_depend_on_each_other_are_refreshed_one_after_another():
    s = Vector("s", like=theta)
    H = U + total(r**2 + s**2 + r * s)
    both = Recipe(state=(theta, r, s), H=H, D=Matrix.zeros(3), Q=Matrix.zeros(3))
    with pytest.raises(RecipeError, match="one after another"):
        refresh(both, r, s)
    assert len(compose(refresh(both, r), refresh(both, s)).parts) == 2


def test_the_acceptance_of_mala_is_derived_from_its_rule():
    x = metropolis(sgld, "euler")
    ((theta_, new),) = x.partners
    eps = x.proposal.step
    V = Potential("U", theta_)
    assert (
        x.cost - (V + total((new - theta_ + eps * grad(V, theta_)) ** 2) / (4 * eps))
    ).expand() == 0


def test_the_scale_of_a_position_dependent_proposal_enters_its_density():
    assert metropolis(sgrld, "euler").cost.has(log)
    assert not metropolis(sgld, "euler").cost.has(log)


def test_proposals_without_a_density_are_refused():
    with pytest.raises(RecipeError, match="needs D > 0"):
        metropolis(sghmc, "euler")
    M, N = (Dense(name, theta, positive=True) for name in "MN")
    correlated = Noise("n", like=theta, covariance=M)
    for other in (grad(U, theta), dot(N, grad(U, theta)), theta * dot(M, grad(U, theta))):
        with pytest.raises(RecipeError, match="of whose inverse the language has no symbol"):
            metropolis(Update(h, {theta: theta - h * other + sqrt(h) * correlated}, sgld.H))
    with pytest.raises(RecipeError, match="with a constant number c"):
        metropolis(Update(h, {theta: theta + sqrt(h) * theta * correlated}, sgld.H))
    w = Noise("w", like=theta)
    with pytest.raises(RecipeError, match="not linear in its noise"):
        metropolis(Update(h, {theta: theta + w**2}, sgld.H))
    with pytest.raises(RecipeError, match="same noise"):
        metropolis(Update(h, {theta: theta + w, r: r + w}, hmc.H))


def test_hmc_is_a_refresh_and_a_metropolised_map():
    kernel = compose(refresh(hmc, r), metropolis(leapfrog, times=10, flip=r), name="hmc")
    assert kernel.state == (theta, r)
    assert kernel.step == h
    assert kernel.parts[1] == MetropolisedMap(leapfrog, 10, (r,), True)


def test_a_number_of_steps_never_depends_on_the_state():
    with pytest.raises(RecipeError, match="depends on the state"):
        repeat(step(leapfrog), theta)
    with pytest.raises(RecipeError, match="at least one"):
        repeat(step(leapfrog), 0)
    with pytest.raises(RecipeError, match="must be an integer"):
        metropolis(leapfrog, times=2.5, flip=r)
    assert repeat(step(leapfrog), (3, 7)).times == (3, 7)
    assert repeat(step(leapfrog), (3, 3)).times == 3


def test_kernels_are_parts_of_kernels():
    kernel = compose(refresh(hmc, r), step(leapfrog))
    assert repeat(kernel, 4) == Repeat(kernel.parts, 4)
    assert compose(kernel, flip(hmc, r)).parts == (*kernel.parts, flip(hmc, r))
    with pytest.raises(RecipeError, match="no part of a kernel"):
        compose(leapfrog)
    with pytest.raises(RecipeError, match="at least one part"):
        Kernel(())


def test_parts_share_state_target_and_step():
    with pytest.raises(RecipeError, match="have the targets"):
        compose(step(leapfrog), step(sgld, "euler"))
    eps = Symbol("eps", positive=True)
    other = Update(eps, [(theta, theta + eps * r), (r, r)], hmc.H)
    with pytest.raises(RecipeError, match="step sizes eps, h"):
        compose(step(leapfrog), step(other))


def test_what_minibatches_cannot_do_is_said():
    assert refusal_of_estimates(compose(refresh(hmc, r), step(leapfrog))) is None
    for kernel in (
        compose(metropolis(sgld, "euler")),
        compose(repeat(metropolis(leapfrog, flip=r), 2)),
    ):
        assert "minibatch" in refusal_of_estimates(kernel)


def test_a_kernel_is_bound_like_a_recipe():
    x = bind(pmala, {pmala.abstract[0]: 1 + pmala.state[0] ** 2})
    (part,) = x.parts
    assert "G" not in str(part.cost)
    assert "log(2*epsilon/(theta**2 + 1))" in str(part.cost)
    assert [str(f) for f in x.abstract] == ["U"]
    with pytest.raises(RecipeError, match="no abstract function of this kernel, which has: G, U"):
        bind(pmala, {Symbol("V"): 1})


def test_a_kernel_brings_the_posterior_that_it_is_bound_to():
    law = Posterior((theta,), -total(theta**2), 0 * theta.dim, {})
    kernel = bind(
        compose(repeat(compose(refresh(hmc, r), metropolis(leapfrog, flip=r)), 2)), {U: law}
    )
    assert kernel.posteriors == ((U, law),)


def test_one_number_as_the_noise_of_all_coordinates_is_no_elementwise_noise():
    s = Scalar("s")
    with pytest.raises(RecipeError, match="couples coordinates"):
        metropolis(Update(h, {theta: theta + Noise("n", like=s)}, sgld.H))
    with pytest.raises(RecipeError, match="couples coordinates"):
        metropolis(Update(h, {theta: theta + total(Noise("n", like=theta))}, sgld.H))


def test_what_is_not_meant_is_one_sentence():
    with pytest.raises(
        RecipeError,
        match=r"flip\(r, ...\) needs the recipe whose law it keeps first: flip\(recipe, r\)",
    ):
        flip(r)
    with pytest.raises(RecipeError, match=r"refresh\(r, ...\) needs the recipe"):
        refresh(r)
    with pytest.raises(RecipeError, match="keep=2 must be between -1 and 1"):
        refresh(hmc, r, keep=2)
    with pytest.raises(RecipeError, match="at most 1000000 steps a sweep"):
        repeat(refresh(hmc, r), 10**30)


def test_a_part_by_itself_is_a_kernel_of_a_file_unless_a_kernel_has_it(tmp_path):
    text = """
from sympy import Symbol, sqrt
from recipe import *
theta = Vector("theta"); U = Potential("U", theta)
h = Symbol("h", positive=True); w = Noise("w", like=theta)
alone = metropolis(Update(h, {theta: theta - h * grad(U, theta) + sqrt(2 * h) * w}, U))
inside = metropolis(Update(h, {theta: theta + h * w}, U))
both = compose(inside, inside)
"""
    (tmp_path / "mine.py").write_text(text)
    found = declarations(str(tmp_path / "mine.py"))
    assert {d.name: type(d.declared) for d in found} == {"alone": Kernel, "both": Kernel}
