"""The back end of ``docs/extending.md`` prints whole arrays: its step is the compiled one."""

import re
import runpy

import numpy as np
import pytest
from cases.compiled_steps import FACTORED, cubic, step_inputs
from helpers.command import ROOT

from catalog.hmc import hmc_kernel
from codegen import generate
from codegen.lowering.names import local_namer
from codegen.lowering.plan import plan
from recipe import Recipe, RecipeError
from recipe_cli.declarations.of_catalog import catalog_entries

RECIPES = {e.name: e.declared for e in catalog_entries() if isinstance(e.declared, Recipe)}
PRINTED = (
    *("corv_sghmc", "corv_sgnht", "sghmc", "sgld", "sgnht", "sgrhmc_bounded"),
    *("sgrld_simplex_expanded_natural", "sgrld_simplex_reduced_natural", "third_order_langevin"),
)
CASES = {
    **{name: (RECIPES[name], {}) for name in PRINTED},
    "scir-exact": (RECIPES["scir"], {"scheme": "exact"}),  # a draw that is not normal
    "factored": (FACTORED, {}),  # the noise of a number
}


@pytest.fixture(scope="module")
def array_step_text(tmp_path_factory):
    """The function of that name on the page."""
    page = (ROOT / "docs/extending.md").read_text()
    (printer,) = re.findall(r'```python\n("""A step as NumPy code.*?)```', page, re.DOTALL)
    file = tmp_path_factory.mktemp("back_end") / "array_step.py"
    file.write_text(printer)
    return runpy.run_path(str(file))["array_step_text"]


@pytest.mark.by_default(1)
@pytest.mark.parametrize(("recipe", "options"), CASES.values(), ids=CASES)
def test_array_code_is_the_compiled_step(recipe, options, array_step_text, tmp_path):
    module = generate(recipe, **options)
    file = tmp_path / "step_of_it.py"
    file.write_text(array_step_text(module.plan))
    loaded, step = module.load(), runpy.run_path(str(file))["step"]
    state, params, noise = step_inputs(module, loaded, size=5)
    compiled, ours = (loaded.allocate(*state[: len(recipe.state)]) for _ in range(2))
    loaded.step(compiled, state, cubic, 0.01, params, noise)
    step(ours, state, cubic, 0.01, params, noise)
    for field in module.plan.fields.values():
        assert not np.array_equal(getattr(compiled, field), getattr(state, field))
        np.testing.assert_allclose(getattr(ours, field), getattr(compiled, field), rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("fisher_sgld", "MatrixProduct has no form as array code"),
        ("mirror_sghmc", r"\(TurnAbove\) has no compiled form"),
        ("mirror_sgld", r"\(FoldAbove\) has no compiled form"),
    ],
)
def test_a_missing_form_is_named(name, reason, array_step_text):
    module = generate(RECIPES[name])
    with pytest.raises(RecipeError, match=reason):
        array_step_text(module.plan)


def test_a_kernel_is_refused(array_step_text):
    planned = plan(hmc_kernel, hmc_kernel.state, local_namer())
    with pytest.raises(RecipeError, match="composed kernels and several potentials"):
        array_step_text(planned)


def test_the_text_of_the_page_is_what_it_prints(array_step_text):
    page = (ROOT / "docs/extending.md").read_text()
    (shown,) = re.findall(r"Of SGHMC it makes\n\n```python\n(.*?)```", page, re.DOTALL)
    assert array_step_text(generate(RECIPES["sghmc"]).plan).endswith(shown)
