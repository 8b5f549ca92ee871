"""The example of a library with audits in its CI: its script, its hook and the Action."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
LIBRARY = ROOT / "examples/audited_library"


def ci(folder):
    """Run the script with our command first on the path."""
    commands = folder / "bin"
    commands.mkdir()
    command = commands / "recipe"
    command.write_text(f'#!/bin/bash\nexec "{sys.executable}" -m recipe_cli "$@"\n')
    command.chmod(0o755)
    path = f"{commands}{os.pathsep}{os.environ['PATH']}"
    python_path = os.environ.get("PYTHONPATH") or str(ROOT)
    return subprocess.run(
        ["bash", str(folder / "ci.sh")],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PATH": path, "PYTHONPATH": python_path},
    )


def test_the_script_of_the_library_passes(tmp_path):
    copy = shutil.copytree(LIBRARY, tmp_path / "library")
    done = ci(copy)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "every sampler samples what it claims\n"


def test_a_mistake_fails_with_its_line(tmp_path):
    copy = shutil.copytree(LIBRARY, tmp_path / "library")
    code = copy / "tiny_langevin/samplers.py"
    text = code.read_text()
    code.write_text(text.replace("np.sqrt(2 * friction * step_size)", "np.sqrt(step_size)"))
    line = text.split("\n").index(
        "    noise = np.sqrt(2 * friction * step_size) * rng.standard_normal(x.shape)"
    )
    done = ci(copy)
    assert done.returncode == 1
    assert f"::error file=tiny_langevin/samplers.py,line={line + 1}," in done.stdout
    assert "sgld" not in done.stdout


def test_hook_and_action_call_what_is_there():
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
    action = (ROOT / "action.yml").read_text()
    page = (ROOT / "docs/in-your-ci.md").read_text()
    assert "id: recipe-audit" in hook
    assert "entry: recipe audit" in hook
    assert "recipe-audit" in page
    assert "recipe-audit" in (LIBRARY / ".pre-commit-config.yaml").read_text()
    assert 'recipe audit "${files[@]}" --format github' in action
    assert "numba" not in action
