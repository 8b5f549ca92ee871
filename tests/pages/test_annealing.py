"""examples/annealing.py: what is proved of its recipe, and the law at its highest temperature."""

from pathlib import Path

import pytest

from verify import Verdict, verify

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def test_the_tempered_recipe_is_proved_at_every_temperature():
    import annealing

    report = verify(annealing.tempered)
    assert report.verdict is Verdict.PROVED
    assert annealing.share(4.0) == pytest.approx(0.552, abs=1e-3)
