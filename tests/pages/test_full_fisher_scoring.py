"""examples/full_fisher_scoring.py: its rule is proved, and its matrix is that of the model."""

from pathlib import Path

import numpy as np
import pytest
from sympy import Rational, Symbol

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import full_fisher_scoring

    return full_fisher_scoring


def test_the_rule_is_proved_and_other_noise_is_refuted(script):
    rule = script.full_sgfs
    assert verify(rule).verdict is Verdict.PROVED
    ((block, moved),) = rule.rule
    wrong = moved.xreplace({script.w: script.w * Rational(11, 10)})
    assert verify(type(rule)(rule.step, {block: wrong}, rule.target)).verdict is Verdict.REFUTED


@pytest.mark.parametrize("size", [0.01, 0.5, 3])
def test_of_a_normal_law_the_step_is_exact_at_every_size(script, size):
    """The variance v of a coordinate in which N I is 1: the noise of the gradient has the variance
    N/n there.
    """
    eps, b, gamma = script.epsilon, script.b, script.gamma
    k = float(script.scale.subs({eps: size, b: Rational(1, 20), gamma: 11}))
    kept, v = 1 - 2 * size / k, Symbol("v")
    moved = kept**2 * v + (16 * size / 20 + 4 * size**2 * 10) / k**2
    assert float(moved.subs(v, 1)) == pytest.approx(1)


def test_the_matrix_that_is_learned_is_that_of_the_model(script, monkeypatch):
    """Of normal data it is the same at every point: the inverse of N times the precision."""
    monkeypatch.setattr(script, "STAGES", 2)
    learned = script.learned(script.normal_model(), np.full(2, 3.0), 1.0, 0.05)
    r = float(script.CORRELATION)
    assert learned * script.ROWS == pytest.approx(np.array([[1, r], [r, 1]]))
