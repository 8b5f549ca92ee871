"""The front page and the page on declaring show what the command prints."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from helpers.command import command
from sympy import expand

ROOT = Path(__file__).parents[2]
MAX_LINES = 120


def blocks(page):
    text = (ROOT / page).read_text()
    return re.findall(r"```(?:python)?\n(.*?)```", text, re.DOTALL)


def shown(page, file_name, call, tmp_path):
    """What a page shows of a file and a call, and what the call prints."""
    source = next(b for b in blocks(page) if b.startswith(f"# {file_name}\n"))
    (tmp_path / file_name).write_text(source)
    (page_says,) = [b.partition("\n")[2] for b in blocks(page) if b.startswith(f"$ {call}\n")]
    return page_says, command(*call.split()[1:], cwd=tmp_path).stdout


def test_the_page_on_declaring_shows_what_the_command_prints(tmp_path):
    page_says, printed = shown(
        "docs/declaring.md", "my_sampler.py", "recipe verify my_sampler.py", tmp_path
    )
    assert printed == page_says


def test_the_front_page_shows_lines_that_the_command_prints(tmp_path):
    page_says, printed = shown("README.md", "langevin.py", "recipe verify langevin.py", tmp_path)
    rest = printed
    for part in filter(None, page_says.split("...\n")):
        assert part in rest, part
        rest = rest.partition(part)[2]
    assert "refuted" in page_says


def test_the_front_page_is_short_and_its_links_lead_somewhere():
    for page in ("README.md", "docs/README.md"):
        text = (ROOT / page).read_text()
        assert page != "README.md" or len(text.splitlines()) <= MAX_LINES
        for goal in re.findall(r"\]\(([^)#]+)", text):
            assert goal.startswith("https://") or (ROOT / page).parent.joinpath(goal).exists(), goal


def test_every_page_is_in_the_index():
    text = (ROOT / "docs/README.md").read_text()
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "README.md" or f"]({page.name})" in text, page.name


def test_the_model_of_the_front_page_is_that_of_the_catalog(tmp_path):
    """Its densities are those of the catalog but for terms without a block, which are constants."""
    from catalog.posteriors.bioassay import posterior as known

    (model,) = [b for b in blocks("README.md") if b.startswith("# bioassay.py")]
    (tmp_path / "bioassay.py").write_text(model)
    found = runpy.run_path(str(tmp_path / "bioassay.py"))["posterior"]
    assert found.blocks == known.blocks
    assert found.given == known.given
    for name in ("log_likelihood", "log_prior"):
        rest = expand(getattr(found, name) - getattr(known, name))
        assert not rest.has(*known.blocks), rest


@pytest.mark.slow
def test_the_draws_of_the_front_page_have_the_moments_of_the_posterior(tmp_path):
    """Beside a sum over a grid of the plane, typed here again: 4 standard errors, and 2 % of the
    standard deviation for the step."""
    from codegen import diagnose, read_draws

    (call,) = [b for b in blocks("README.md") if b.startswith("recipe sample")]
    (model,) = [b for b in blocks("README.md") if b.startswith("# bioassay.py")]
    (tmp_path / "bioassay.py").write_text(model)
    done = command(*call.split()[1:], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    a, b = np.meshgrid(np.linspace(-6, 8, 701), np.linspace(-15, 60, 751), indexing="ij")
    log_density = -(a**2) / 8 - b**2 / 200
    for x, k in zip([-0.86, -0.30, -0.05, 0.73], [0, 1, 3, 5], strict=True):
        log_density += k * (a + b * x) - 5 * np.logaddexp(0, a + b * x)
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()
    rows = {r.coordinate: r for r in diagnose(read_draws(tmp_path / "bioassay.nc")).rows}
    for row, value in ((rows["a"], a), (rows["b"], b)):
        mean = (weight * value).sum()
        sd = np.sqrt((weight * (value - mean) ** 2).sum())
        assert abs(row.mean - mean) < 4 * row.mcse_mean + 0.02 * sd, row
        assert abs(row.sd - sd) < 4 * row.mcse_sd + 0.02 * sd, row
