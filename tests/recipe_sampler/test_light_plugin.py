"""The pytest plug-in costs an empty suite nothing: it imports pytest alone."""

import subprocess
import sys

CONFTEST = """
import sys

def pytest_unconfigure(config):
    assert config.pluginmanager.has_plugin("recipe_sampler.pytest_plugin")
    names = "sympy flint numpy numba scipy recipe verify codegen catalog recipe_cli".split()
    print("imported:", [name for name in names if name in sys.modules])
"""


def run_pytest(folder, *arguments):
    command = [sys.executable, "-m", "pytest", "-p", "recipe_sampler.pytest_plugin"]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", "-s", *arguments, "."],
        cwd=folder,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_empty_suite_imports_nothing_of_ours(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    done = run_pytest(tmp_path)
    assert "imported: []" in done.stdout, done.stdout + done.stderr


def test_the_fixture_and_its_option_are_there(tmp_path):
    (tmp_path / "test_fixture.py").write_text(
        "def test_it(assert_samples, request):\n"
        "    assert callable(assert_samples)\n"
        "    assert request.config.getoption('statistics_seed') == 7\n"
    )
    done = run_pytest(tmp_path, "--statistics-seed", "7")
    assert done.returncode == 0, done.stdout + done.stderr
