"""Samplers of libraries by their dotted names, where the libraries are installed."""

import importlib

import pytest
from sympy import Symbol

from recipe import CannotLiftError, RecipeError
from recipe.lifting.adapters.find import lifted_by_name
from verify import verify

SAID = "is not installed: its code is not read here"
VERDICTS = {
    "blackjax.sgld": "proved",
    "blackjax.sgmcmc.sgld": "proved",
    "blackjax.sgmcmc.sgnht": "proved",
    "posteriors.sgmcmc.sgld": "proved",
    "posteriors.sgmcmc.sghmc": "proved",
    "posteriors.sgmcmc.baoa": "proved",
    "posteriors.sgmcmc.sgnht": "refuted",
    "sgmcmcjax.diffusions.sgld": "proved",
    "sgmcmcjax.diffusions.sghmc": "proved",
    "sgmcmcjax.diffusions.sgnht": "proved",
    "sgmcmcjax.diffusions.baoab": "refuted",
    "torch_sgld.SGLD": "proved",
    "torch.optim.SGD": "refuted",
}
NOT_READ = {
    "blackjax.sgmcmc.csgld": "no claim is written for this sampler: its state has energy_pdf",
    "blackjax.hmc": "no claim is written for this sampler: its state has logdensity",
    "blackjax.sgmcmc": "holds several samplers; name one or more of blackjax.sgmcmc.csgld, ",
    "posteriors.sgmcmc": "holds several samplers; name one or more of posteriors.sgmcmc.baoa, ",
    "blackjax.sgmcmc.sghmc": "rng_key is used for split of the shape (2,) here and for a draw",
    "posteriors.sgmcmc.sglrw": "torch.clamp is a branch on values",
    "sgmcmcjax.diffusions.badodab": "the code compares values that change from step to step",
    "torch.optim.Adam": "the state of Adam has the tensor exp_avg",
}


def there(dotted):
    library = dotted.partition(".")[0]
    pytest.importorskip(library, reason=f"{library} {SAID}")


@pytest.mark.parametrize("dotted", VERDICTS)
def test_verdicts(dotted):
    there(dotted)
    ((_, rule),) = lifted_by_name(dotted).items()
    assert verify(rule).verdict.value == VERDICTS[dotted]
    assert rule.reading.compared > 0
    library = dotted.partition(".")[0]
    assert all(f"{library}/" in str(t.place) for t in rule.reading.terms if t.place)


@pytest.mark.parametrize("dotted", NOT_READ)
def test_what_is_not_read(dotted):
    there(dotted)
    with pytest.raises((CannotLiftError, RecipeError)) as caught:
        lifted_by_name(dotted)
    assert NOT_READ[dotted] in str(caught.value)


def test_the_law_that_the_thermostat_of_posteriors_has():
    there("posteriors.sgmcmc.sgnht")
    ((_, rule),) = lifted_by_name("posteriors.sgmcmc.sgnht").items()
    report = verify(rule)
    (law,) = [line for line in report.lines if line.name == "stationary-law"]
    assert law.outcome.verdict.value == "proved"
    assert "d_theta*xi**2/(2*T*s**2)" in str(law.outcome)
    assert Symbol("s", positive=True) in rule.parameters


def test_a_misspelt_name():
    importlib.import_module("numpy")
    with pytest.raises(RecipeError, match="numpy has no linealg; did you mean linalg"):
        lifted_by_name("numpy.linealg.norm")
