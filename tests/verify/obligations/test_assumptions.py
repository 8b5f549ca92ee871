"""What a verdict takes for granted: a line where it is open, nothing where it is proved, and a
refutation where it is refuted.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sympy import Function, Integer, Interval, Matrix, Rational, Symbol, eye, log, oo, zeros

from recipe import Potential, Recipe, RecipeError, Scalar, Vector, total
from verify import Verdict, verify
from verify.certificate import certificate_of

ROOT = Path(__file__).parents[3]
x, p = Scalar("x"), Scalar("p")
y, u = Scalar("y", domain=Interval.open(0, oo)), Scalar("u", domain=Interval.open(0, 1))
theta = Vector("theta")
r = Vector("r", like=theta)
U = Potential("U", theta)


def outcomes(recipe, **options):
    return {line.name: line.outcome for line in verify(recipe, **options).lines}


def assumed(recipe):
    return {a for line in verify(recipe).lines for a in line.outcome.assumptions}


@pytest.mark.parametrize("H", [-(x**4) / 4, Integer(0) * x, log(1 + x**2) / 2])
def test_a_law_that_is_none_is_refuted_and_gets_no_certificate(H):
    recipe = Recipe((x,), H, 1, 0)
    report = verify(recipe)
    assert report.verdict is Verdict.REFUTED
    found = {line.name: line for line in report.lines}
    assert found["stationarity"].outcome.verdict is Verdict.PROVED
    assert found["normalisable"].required
    assert found["normalisable"].outcome.witness is not None
    assert not assumed(recipe)
    with pytest.raises(RecipeError, match="normalisable is refuted"):
        certificate_of(recipe, report)


def test_what_is_open_is_assumed_and_what_is_proved_is_not():
    open_one = Recipe((theta,), U, Function("G", positive=True)(theta), 0)
    assert any("does not explode" in a for a in assumed(open_one))
    assert not assumed(Recipe((x,), x**2 / 2, 1, 0))


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe((x, p), x**2 / 2 - p**2 / 2, eye(2), zeros(2, 2), marginal={x: x**2 / 2}),
        Recipe((theta, r), U + total(log(1 + r**2)) / 2, eye(2), zeros(2, 2), marginal={theta: U}),
        Recipe((theta, r), U, eye(2), zeros(2, 2), marginal={theta: U}),
    ],
)
def test_a_marginal_needs_a_finite_integral(recipe):
    found = outcomes(recipe)["marginal"]
    assert found.verdict is Verdict.REFUTED
    assert "infinite" in found.by


def test_a_finite_integral_is_proved_where_it_can_be():
    recipe = Recipe((theta, r), U + total(r**4), eye(2), zeros(2, 2), marginal={theta: U})
    assert outcomes(recipe)["marginal"].verdict is Verdict.PROVED
    assert not outcomes(recipe)["marginal"].assumptions


@pytest.mark.parametrize(
    ("recipe", "boundary", "uniqueness"),
    [
        (Recipe((y,), y - log(y), 1, 0), Verdict.PROVED, Verdict.PROVED),  # never reached
        (
            Recipe((y,), y + log(y) / 2, y, 0),
            Verdict.PROVED,
            Verdict.UNDECIDED,
        ),  # reached, and not left
        (Recipe((y,), y, 1, 0), Verdict.REFUTED, Verdict.UNDECIDED),
        (Recipe((u,), 0 * u, u * (1 - u), 0), Verdict.PROVED, Verdict.PROVED),  # the uniform law
    ],
)
def test_uniqueness_knows_whether_the_edge_is_reached(recipe, boundary, uniqueness):
    found = outcomes(recipe)
    assert (found["boundary"].verdict, found["uniqueness"].verdict) == (boundary, uniqueness)
    assert not found["uniqueness"].assumptions


def test_a_domain_without_an_edge_has_no_boundary_to_worry_about():
    assert (
        outcomes(Recipe((x,), x**2 / 2, 1, 0), require=["boundary"])["boundary"].verdict
        is Verdict.PROVED
    )


def test_a_log_determinant_cancels_what_integrating_the_momentum_leaves():
    G, C = Function("G", positive=True)(theta), Symbol("C", positive=True)
    H = U + total(r**2 / G) / 2 + total(log(G)) / 2
    recipe = Recipe(
        (theta, r), H, Matrix([[0, 0], [0, C]]), Matrix([[0, -1], [1, 0]]), marginal={theta: U}
    )
    found = outcomes(recipe)["normalisable"]
    assert (found.verdict, found.assumptions) == (Verdict.PROVED, ("exp(-U) is normalisable",))


def test_a_scaled_tail_is_as_heavy():
    assert (
        outcomes(Recipe((x,), Rational(1, 2) * log(1 + x**2), 1, 0))["normalisable"].verdict
        is Verdict.REFUTED
    )


@pytest.mark.skipif(
    not hasattr(os, "fork"), reason="a pipe that breaks is a signal on POSIX systems only"
)
def test_who_reads_may_stop():
    with subprocess.Popen(
        [sys.executable, "-m", "recipe_cli", "explain"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode not in (1, 70)
