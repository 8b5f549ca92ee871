"""The claims about libraries, their page, and the reproductions, where the libraries
are installed.
"""

import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from recipe_cli.declarations.find import declarations
from verify import verify

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples/lifted"
PAGE = ROOT / "docs/lifted.md"
FILES = sorted(path.stem.removesuffix("_claims") for path in FOLDER.glob("*_claims.py"))
MODULES = {"jax_sgmc": "jax_sgmc.integrator"}
REPRODUCED = {  # by page: the module that it needs, and what it prints
    "posteriors-sgnht": (
        "posteriors",
        lambda said: abs(float(re.sub(r"[^\d.]", "", said)) - 4) < 1,
    ),
    "sgmcmcjax-baoab": ("sgmcmcjax.diffusions", lambda said: abs(float(said) - 0.25) < 0.03),
    "jax-sgmc-friction-leapfrog": (
        "jax_sgmc.integrator",
        lambda said: abs(float(said) - 0.25) < 0.03,
    ),
    "blackjax-sghmc": ("jax", lambda said: said == "True"),
    "optax-noisy-sgd": ("optax", lambda said: abs(float(said) - 0.005) < 0.001),
}


def require(module):
    try:
        import_module(module)
    except Exception as error:
        pytest.skip(f"{module} cannot be imported here ({type(error).__name__}): it is not judged")


def rows():
    """The rows of the page: library, function, claimed law, verdict, law, code."""
    lines = [x for x in PAGE.read_text().splitlines() if x.startswith("| ") and "---" not in x]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def test_the_corpus_is_large_enough():
    found = rows()
    libraries = {row[0].rpartition(" ")[0] for row in found}
    assert len(found) >= 40
    assert len(libraries) >= 6
    assert sum("full" not in row[1] for row in found) >= 25
    assert all(row[5] for row in found)


def test_a_lift_and_its_proof_take_less_than_ten_seconds():
    said = re.search(r"at most ([\d.]+) s of processor time", PAGE.read_text())
    assert float(said[1]) < 10


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_each_lift_with_its_proof_takes_less_than_ten_seconds_here(name):
    require(MODULES.get(name, name))
    call = [sys.executable, "-W", "ignore", "seconds.py", f"{name}_claims.py"]
    done = subprocess.run(call, cwd=FOLDER, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert found.keys() <= {row[1].removesuffix(", full") for row in rows()}
    assert max(found.values()) < 10, found


def test_every_refuted_rule_has_a_page():
    for row in rows():
        if "refuted" in row[3]:
            page = re.search(r"\((lifted/[\w-]+\.md)\)", row[3])
            assert page, row
            text = (ROOT / "docs" / page[1]).read_text()
            assert all(part in text for part in ("**Reproduction.**", "**Repair", "```diff"))


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_the_claims_have_the_verdicts_of_the_page(name):
    require(MODULES.get(name, name))
    said = {row[1].removesuffix(", full"): row[3] for row in rows()}
    found = declarations(str(FOLDER / f"{name}_claims.py"))
    assert found
    for d in found:
        verdict = verify(d.declared).verdict.value
        assert verdict == d.declared.expect, d.name
        assert verdict in said[d.name]


@pytest.mark.slow
@pytest.mark.parametrize("page", REPRODUCED)
def test_a_reproduction_prints_what_its_page_says(page):
    module, right = REPRODUCED[page]
    require(module)
    code = re.findall(r"```python\n(.*?)```", (PAGE.parent / f"lifted/{page}.md").read_text(), re.S)
    assert len(code[-1].strip().splitlines()) <= 13
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code[-1]], capture_output=True, text=True, check=True
    )
    assert right(done.stdout.strip()), done.stdout
