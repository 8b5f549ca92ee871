"""Levels are what they are said to be, and so is the power: many seeds, and exact bounds on how
many of them may differ.
"""

from collections import Counter

import numpy as np
import pytest
from cases.kernels_by_hand import CASES, HEAVY
from cases.kernels_of_a_mixture import ghmc, target
from oracles import numpy_kernels as by_hand
from scipy import special, stats

from catalog.sghmc import sghmc
from catalog.sgld import sgld
from recipe import discretised
from verify.statistics import (
    ComparisonOutcome,
    battery,
    check_invariance,
    check_kernel,
    invariant_normal_law,
)
from verify.statistics.null.normal import (
    between_replicas,
    correlations,
    deviates_of_absolute_values,
    means,
    repetitions_line,
    threshold_of,
    variances,
    visible_scale,
    whole_law,
)

LEVEL = 0.01
SEEDS = 200
ONCE = 1e-9  # how seldom a right line may pass the bound on its count


def most(seeds, level):
    """So many of independent lines of this level differ with a probability of at most ``ONCE``."""
    return int(stats.binom.isf(ONCE, seeds, level))


def counts(found):
    return Counter(line.name for findings in found for line in findings.differing)


@pytest.mark.slow
def test_the_lines_of_normal_numbers_have_their_level():
    """At 1e-2 a line over 600 seeds: no line differs too often, and those whose null law is exact
    not too seldom.
    """
    differing = Counter()
    for seed in range(600):
        u = np.random.default_rng([7, seed]).standard_normal((256, 3))
        v = np.random.default_rng([8, seed]).standard_normal((128, 3))
        blocks = [(np.arange(256), u, ["a", "b", "c"]), (np.arange(0, 256, 2), v, ["d", "e", "f"])]
        for line in (
            whole_law("law", u, LEVEL, 0.9),
            means("means", blocks, LEVEL, 3.0),
            variances("variances", blocks, LEVEL, 0.9),
            correlations("correlations", blocks, LEVEL, 3.0),
            correlations(
                "sizes",
                [(rows, deviates_of_absolute_values(x), names) for rows, x, names in blocks],
                LEVEL,
                3.0,
            ),
            between_replicas("replicas", u, LEVEL, 3.0),
            repetitions_line("repetitions", blocks, LEVEL),
        ):
            differing[line.name] += line.outcome is ComparisonOutcome.DIFFERS
    print(dict(differing))
    assert max(differing.values()) <= most(600, LEVEL), differing
    exact = sum(
        differing[name] for name in ("means", "variances", "correlations", "sizes", "replicas")
    )
    assert exact >= stats.binom.ppf(ONCE, 5 * 600, LEVEL) > 0, (
        differing
    )  # exact laws: as seldom as that is a mistake, too


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sgnht", "obabo", "scir"])
def test_a_right_kernel_differs_no_more_often_than_its_level(name):
    make, rule, how = CASES[name]
    lines = len(battery(rule, batched=True, replicas=1024, **how).check(make()).lines)
    calibrated = battery(rule, batched=True, replicas=1024, level=min(0.9, lines * LEVEL), **how)
    each = calibrated.experiment.level
    found = [calibrated.check(make(), seed=seed) for seed in range(SEEDS)]
    print(counts(found))
    assert max(counts(found).values(), default=0) <= most(SEEDS, each), counts(found)
    deviates = [
        line.distance for f in found for line in f.lines if line.name.startswith("coefficient")
    ]
    assert sum(d > threshold_of(each, 1) for d in deviates) > 0, "at this level some must differ"


@pytest.mark.slow
def test_an_exact_kernel_differs_no_more_often_than_its_level():
    lines = len(check_invariance(ghmc(0.9, 0.6), target, batched=True, replicas=500, steps=2).lines)
    level = min(0.9, lines * LEVEL)
    found = [
        check_invariance(
            ghmc(0.9, 0.6), target, batched=True, replicas=500, steps=2, level=level, seed=s
        )
        for s in range(SEEDS)
    ]
    print(counts(found))
    assert max(counts(found).values(), default=0) <= most(SEEDS, LEVEL), counts(found)


@pytest.mark.slow
def test_a_proved_covariance_differs_no_more_often_than_its_level():
    law = invariant_normal_law(
        discretised(sghmc, "obabo"), step_size=0.6, params={"C": 1.3}, curvature=2.5
    )
    kernel = by_hand.obabo(0.6, 1.3, lambda x: 2.5 * x)
    found = [
        check_invariance(kernel, law, batched=True, replicas=500, steps=5, level=6 * LEVEL, seed=s)
        for s in range(SEEDS)
    ]
    print(counts(found))
    assert max(counts(found).values(), default=0) <= most(SEEDS, LEVEL), counts(found)


POWER = [
    ("sgld", "drift"),
    ("sgld", "noise"),
    ("sgnht", "friction"),
    ("sgnht", "noise"),
    ("obabo", "second noise"),
    ("sgrhmc", "gamma"),
    ("scir", "shape"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "knob"), POWER)
def test_a_factor_of_a_tenth_is_found(name, knob):
    """200 runs: with a power of 0.999 more than three misses have a probability of 1e-4 at the
    most.
    """
    make, rule, how = CASES[name]
    prepared = battery(rule, batched=True, **how)
    missed = sum(
        prepared.check(make({knob: by}), seed=s).outcome is ComparisonOutcome.AGREES
        for s in range(100)
        for by in (1.1, 1 / 1.1)
    )
    print(name, knob, prepared.experiment.replicas, "replicas, missed", missed, "of 200")
    assert missed <= 3


def test_the_visible_scale_is_that_of_the_exact_law():
    """By its definition: with this factor the upper threshold is passed with the wanted
    probability.
    """
    for df, level, power in ((50, 1e-3, 0.9), (5000, 1e-9, 0.999)):
        s = visible_scale(df, level, power)
        assert stats.chi2.sf(stats.chi2.isf(level / 2, df) / s**2, df) == pytest.approx(power)
    assert special.ndtr(-threshold_of(1e-6, 10)) * 20 == pytest.approx(1e-6)


def test_more_replicas_see_less_and_less():
    small, large = (
        battery(sgld.update, step_size=0.3, gradients=HEAVY, replicas=n, batched=True)
        for n in (512, 8192)
    )
    kernel = by_hand.sgld(0.3)
    one, other = ({x.name: x.visible for x in b.check(kernel).lines} for b in (small, large))
    assert all(other[name] < x for name, x in one.items() if x is not None)


def test_what_the_step_is_too_small_to_show_is_said():
    found = check_kernel(
        by_hand.sgld(1e-6),
        sgld.update,
        step_size=1e-6,
        gradients=HEAVY,
        batched=True,
        replicas=1024,
    )
    assert found.unseen
    assert "not seen: a factor 1.1 in -epsilon*grad(U, theta) in theta" in str(found)
