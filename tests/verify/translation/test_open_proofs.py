"""A text whose proof is left open is compared with its rule in numbers: a difference is an error,
and agreement is a warning that stays with the module and the draws, never a proof.
"""

from dataclasses import replace

import numpy as np
import pytest

import catalog.sghmc
from catalog.posteriors.bioassay import posterior
from codegen import generate
from codegen.results.draws import Draws
from recipe import bind
from recipe_cli.program.generating import ModuleRequest, check_module, generate_module
from recipe_cli.program.translation import (
    NotTranslatedError,
    comparison_of,
    require_translation,
    translation_of,
)
from recipe_cli.sampling.text_check import UNPROVED_ATTRIBUTE, TextCheck
from recipe_cli.sandbox.process_limits import Limits
from verify.translation import is_agreement
from verify.translation.reference import equality
from verify.verdict import Verdict

REQUEST = ModuleRequest("sghmc", "semi-implicit", None, "bioassay")
MISTAKES = [
    ("0.25 * a_3", "0.26 * a_3"),
    ("5.0 * u - float(data.deaths[row])", "5.0 * u + float(data.deaths[row])"),
    ("a + r_a_new * step_size", "a + r_a * step_size"),
    ("math.sqrt(2.0) * math.sqrt(params.C)", "math.sqrt(2.0) * params.C"),
]


@pytest.fixture(scope="module")
def module():
    return generate(bind(catalog.sghmc.sghmc, {catalog.sghmc.U: posterior}), name="sghmc")


@pytest.fixture
def nothing_is_proved(monkeypatch):
    """Only what is written in the same way is equal now."""
    monkeypatch.setattr(equality, "vanishes", lambda e: False)


def test_a_comparison_is_never_a_proof(module):
    found = comparison_of(module)
    assert found.verdict is Verdict.UNDECIDED
    assert is_agreement(found)
    assert "8 points" in found.by


@pytest.mark.parametrize(("right", "mistaken"), MISTAKES)
def test_a_comparison_finds_mistakes(module, right, mistaken):
    assert right in module.source
    found = comparison_of(replace(module, source=module.source.replace(right, mistaken)))
    assert found.verdict is Verdict.REFUTED


def test_a_text_that_cannot_be_read_does_not_agree(module):
    text = module.source.replace("a_3 = a_2[0]", "a_3 = list(a_2)[0]")
    assert text != module.source
    assert not is_agreement(comparison_of(replace(module, source=text)))


@pytest.mark.usefixtures("nothing_is_proved")
def test_an_open_proof_is_a_warning_unless_a_proof_is_required(module):
    assert translation_of(module).verdict is Verdict.UNDECIDED
    unproved = require_translation(module, Limits()).unproved
    assert "is not proved to be what it was made from" in unproved
    assert "8 points" in unproved
    with pytest.raises(NotTranslatedError) as required:
        require_translation(module, Limits(), validated=True)
    assert required.value.verdict is Verdict.UNDECIDED
    wrong = replace(module, source=module.source.replace(*MISTAKES[0]))
    with pytest.raises(NotTranslatedError) as refuted:
        require_translation(wrong, Limits())
    assert refuted.value.verdict is Verdict.REFUTED


@pytest.mark.usefixtures("nothing_is_proved")
def test_the_warning_stands_on_top_of_the_module_and_in_the_draws(module, tmp_path, capfd):
    file = tmp_path / "kernel.py"
    generate_module(REQUEST, file, Limits())
    text = file.read_text()
    assert text.endswith(module.source)
    assert text.startswith("# the text of the module sghmc is not proved")
    assert capfd.readouterr().err.startswith("warning: ")
    assert check_module(REQUEST, file, Limits()) is Verdict.UNDECIDED  # exit status 3
    with pytest.raises(NotTranslatedError):
        generate_module(REQUEST, tmp_path / "other.py", Limits(), validated=True)
    assert not (tmp_path / "other.py").exists()

    text_check = TextCheck(Limits())
    text_check.check(module)
    draws = Draws({"a": np.zeros((1, 1))}, np.ones(1, int), (), False, {}, np.ones(1))
    noted = text_check.noted(draws)
    assert noted.warnings == (text_check.unproved,)
    assert noted.attributes[UNPROVED_ATTRIBUTE] == text_check.unproved


def test_what_is_proved_leaves_no_warning(module):
    text_check = TextCheck(Limits())
    text_check.check(module)
    draws = Draws({"a": np.zeros((1, 1))}, np.ones(1, int), (), False, {}, np.ones(1))
    assert text_check.noted(draws) is draws
