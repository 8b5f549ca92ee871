"""How much processor time the command may take started afresh: the whole catalog 20 s, a typical
recipe 2 s, most of it imports.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CATALOG = sorted(p.stem for p in (ROOT / "catalog").glob("[a-z]*.py"))


def seconds(*names, runs):
    """The least processor time of several runs: what else the machine does only makes one longer.
    The first writes bytecode.
    """
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    taken = []
    for _ in range(runs):
        began = processor_time()
        done = subprocess.run(
            [sys.executable, "-m", "recipe_cli", "verify", *names],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        taken.append(processor_time() - began)
        assert done.returncode in (0, 3), done.stderr
    return min(taken)


def processor_time():
    """Of all processes that this one has started, and that have ended."""
    children = os.times()
    return children.children_user + children.children_system


def test_a_typical_recipe_does_not_keep_anybody_waiting():
    assert seconds("sgrhmc", runs=1) < 20


@pytest.mark.slow
def test_the_bounds_that_are_promised():
    assert seconds("sgrhmc", runs=5) < 2
    assert seconds(*CATALOG, runs=2) < 20
