"""The back end of ``docs/extending.md`` prints whole arrays: its step is the compiled one."""

import re
import runpy

import numpy as np
import pytest
from cases.compiled_steps import cubic
from helpers.command import ROOT

from catalog.sghmc import sghmc
from catalog.sgnht import sgnht
from codegen import generate
from recipe import Scalar


@pytest.fixture(scope="module")
def array_step_text(tmp_path_factory):
    """The function of that name on the page."""
    page = (ROOT / "docs/extending.md").read_text()
    (printer,) = re.findall(r'```python\n("""A step as array code.*?)```', page, re.DOTALL)
    file = tmp_path_factory.mktemp("back_end") / "array_step.py"
    file.write_text(printer)
    return runpy.run_path(str(file))["array_step_text"]


@pytest.mark.parametrize("recipe", [sghmc, sgnht], ids=str)
def test_array_code_is_the_compiled_step(recipe, array_step_text, tmp_path):
    module = generate(recipe)
    file = tmp_path / "array_step_of_it.py"
    file.write_text(array_step_text(module.plan))
    loaded, step = module.load(), runpy.run_path(str(file))["step"]
    rng = np.random.default_rng(1)
    sizes = [1 if isinstance(block, Scalar) else 5 for block in recipe.state]
    state, compiled, ours = (
        loaded.allocate(*(rng.normal(size=size) for size in sizes)) for _ in range(3)
    )
    params, noise = loaded.Params(*[1.3] * len(module.plan.settings)), (rng.normal(size=5),)
    loaded.step(compiled, state, cubic, 0.1, params, noise)
    step(ours, state, cubic, 0.1, params, noise)
    for field in module.plan.fields.values():
        np.testing.assert_allclose(getattr(ours, field), getattr(compiled, field), rtol=1e-12)


def test_the_text_of_the_page_is_what_it_prints(array_step_text):
    page = (ROOT / "docs/extending.md").read_text()
    (shown,) = re.findall(r"Of SGHMC it makes\n\n```python\n(.*?)```", page, re.DOTALL)
    assert array_step_text(generate(sghmc).plan).endswith(shown)
