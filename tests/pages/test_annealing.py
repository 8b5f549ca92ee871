"""examples/annealing.py: its tempered recipe, and the share of the deeper minimum."""

from pathlib import Path

import pytest

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


def test_the_tempered_recipe_is_proved_at_every_temperature(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    import annealing

    report = verify(annealing.tempered)
    assert report.verdict is Verdict.PROVED
    assert annealing.share(4.0) == pytest.approx(0.552, abs=1e-3)
