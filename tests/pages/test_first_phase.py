"""examples/first_phase.py: ascent is refuted as a sampler, and its repair is SGLD."""

import json
from pathlib import Path

import numpy as np
import pytest

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import first_phase

    return first_phase


def test_ascent_is_refuted_and_its_repair_is_the_noise_of_sgld(script):
    report = verify(script.ascent)
    assert report.verdict is Verdict.REFUTED
    (line,) = (line for line in report.lines if line.name == "stationarity")
    assert "must gain the noise sqrt(2*epsilon)*w" in line.outcome.repair


def test_walks_climb_alike(script, capsys):
    """Gradient ascent beside plain numpy, with the gradient of the logistic regression by hand."""
    from catalog.posteriors.breast_cancer import X, Y

    assert script.main(["--quick", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["steps"] for row in rows] == [1, 10, 100, 1000]

    def joint(z):
        return -np.logaddexp(0, -Y * (X @ z)).sum() - z @ z / 2

    z = script.FAR * np.random.default_rng(0).standard_normal((script.CHAINS, X.shape[1]))
    lows = []
    for t in range(100):
        slopes = (Y / (1 + np.exp(Y * (z @ X.T)))) @ X - z
        z = z + 2e-4 * (1 + t / 2000) ** -0.55 * slopes
        if t + 1 in (10, 100):
            lows.append(np.mean([joint(one) for one in z]))
    found = [row["below"]["gradient ascent"] for row in rows[1:3]]
    assert found[0] - found[1] == pytest.approx(lows[1] - lows[0], rel=1e-9)
    for row in rows:
        for name in ("stochastic ascent", "SGLD"):
            assert row["below"][name] == pytest.approx(row["below"]["gradient ascent"], rel=0.15)
