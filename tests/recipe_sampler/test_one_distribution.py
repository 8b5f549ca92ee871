"""Packages of others with our names: each case ends in one sentence that names the intruder.

The packages are copied to a folder, as ``pip install --target`` lays them there, and files are
overwritten and deleted there as pip does it.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from recipe_sampler.one_distribution import MARK, PACKAGES, require_one_distribution

ROOT = Path(__file__).parents[2]
RUN_COMMAND = "from recipe_sampler.command import main; main()"


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    site = tmp_path_factory.mktemp("copied")
    for name in (*PACKAGES, "recipe_sampler"):
        shutil.copytree(ROOT / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    return site


@pytest.fixture
def site(copied, tmp_path):
    """Our packages in a folder of their own; all files but the overwritten ones are links."""
    folder = tmp_path / "site"
    shutil.copytree(copied, folder, copy_function=os.link)
    info = folder / "recipe_sampler-0.2.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: recipe-sampler\nVersion: 0.2.0\n")
    return folder


def install_other(site, name, distribution=None, package="recipe"):
    """Lay down a package of another distribution as pip does: its files and its record."""
    folder = site / package
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").unlink(missing_ok=True)
    (folder / "__init__.py").write_text('"""Cooking for programmers."""\n')
    if distribution:
        info = site / f"{distribution}-3.1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 3.1\n"
        )
        (info / "RECORD").write_text(f"{package}/__init__.py,,\n{info.name}/RECORD,,\n")
    return name


def run(site, code, folder=None, path=()):
    """Run a program with our packages from ``site``, and without those of this environment."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder or site.parent,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (*path, site))),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def refused(site, code="import verify", **where):
    """The sentence of the ImportError, after the traceback that Python prints."""
    status, said = run(site, code, **where)
    assert status == 1, said
    name, _, sentence = said.strip().splitlines()[-1].partition(": ")
    assert name.endswith("MixedPackagesError")
    return sentence


def refused_command(site, **where):
    status, said = run(site, RUN_COMMAND, **where)
    assert status == 2
    assert "Traceback" not in said
    assert said.count("\n") == 1
    return said.removeprefix("recipe: ").rstrip("\n")


def test_the_repair_installs_what_was_installed(site):
    """The wheel or the folder that pip has noted; our name where it came from a package index."""
    install_other(site, "recipe")
    assert refused(site).endswith("pip install --force-reinstall recipe-sampler")
    noted = site / "recipe_sampler-0.2.0.dist-info" / "direct_url.json"
    noted.write_text('{"url": "file:///home/me/my%20wheels/recipe.whl", "archive_info": {}}')
    assert refused(site).endswith("--force-reinstall '/home/me/my wheels/recipe.whl'")
    noted.write_text('{"url": "https://example.org/recipe.whl", "archive_info": {}}')
    assert refused(site).endswith("--force-reinstall https://example.org/recipe.whl")


def test_ours_alone_are_accepted(site):
    assert run(site, "import recipe, verify, catalog, recipe_sampler") == (0, "")


@pytest.mark.parametrize("package", ["recipe", "verify", "codegen", "catalog"])
def test_an_overwritten_package_names_the_distribution_and_the_repair(site, package):
    install_other(site, package, f"{package}-of-others", package)
    importing = "import verify" if package != "verify" else "import recipe"
    sentence = refused(site, importing)
    assert f"the distribution {package}-of-others has overwritten the package {package}" in sentence
    assert (
        f"pip uninstall {package}-of-others; pip install --force-reinstall recipe-sampler"
        in sentence
    )
    assert refused_command(site) == sentence


def test_an_overwritten_package_of_an_unknown_owner_is_named_by_its_file(site):
    install_other(site, "recipe")
    sentence = refused(site)
    assert str(site / "recipe" / "__init__.py") in sentence
    assert "pip install --force-reinstall recipe-sampler" in sentence


def test_a_removed_distribution_that_took_our_file_with_it(site):
    (site / "recipe" / "__init__.py").unlink()
    sentence = refused(site)
    assert f"the package recipe in {site / 'recipe'} has no __init__.py" in sentence
    assert refused_command(site) == sentence


def test_a_missing_package(site):
    shutil.rmtree(site / "catalog")
    hidden = "import sys; sys.meta_path = [f for f in sys.meta_path if 'editable' not in repr(f)];"
    assert "its package catalog is missing" in refused(site, f"{hidden} import verify")


@pytest.mark.parametrize("package", ["recipe", "verify"])
def test_a_folder_of_the_user(site, tmp_path, package):
    mine = tmp_path / "mine"
    install_other(mine, package, package=package)
    importing = "import verify" if package != "verify" else "import recipe"
    sentence = refused(site, importing, folder=mine)
    assert f"the folder {mine / package} hides the package {package}" in sentence
    assert "rename this folder" in sentence
    assert refused_command(site, folder=mine) == sentence


def test_a_file_of_the_user(site, tmp_path):
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "verify.py").write_text("")
    assert f"{mine / 'verify.py'} hides the package verify" in refused(
        site, "import recipe", folder=mine
    )


def test_a_catalog_of_the_user_is_no_fault_until_ours_is_asked_for(site, tmp_path):
    """Such as a part of a web site that samples."""
    mine = tmp_path / "mine"
    install_other(mine, "catalog", package="catalog")
    assert run(site, "import recipe, verify, codegen", folder=mine) == (0, "")
    sentence = refused(site, "import recipe_sampler; recipe_sampler.catalog", folder=mine)
    assert f"the folder {mine / 'catalog'} hides the package catalog" in sentence
    assert refused_command(site, folder=mine) == sentence


def test_an_old_command_on_the_path(site, copied, tmp_path):
    """A checkout from before the package recipe_sampler."""
    old = tmp_path / "old"
    for name in PACKAGES:
        shutil.copytree(copied / name, old / name)
    assert "hides the package recipe" in refused_command(site, path=[old])


def test_an_old_checkout_on_the_path(site, copied, tmp_path):
    old = tmp_path / "old"
    shutil.copytree(copied / "recipe", old / "recipe")
    sentence = refused(site, "import verify", path=[old])
    assert f"the folder {old / 'recipe'} hides the package recipe" in sentence
    assert refused_command(site, path=[old]) == sentence


def test_a_package_of_another_distribution_before_ours(site, tmp_path):
    other = tmp_path / "other"
    install_other(other, "recipe", "recipe-of-others")
    assert "is of the distribution recipe-of-others, and hides" in refused(
        site, "import verify", path=[other]
    )


def test_a_module_that_was_put_there_by_hand_or_has_no_file_to_look_at_is_left_alone(site):
    """A stub of a test suite, and the packages of a frozen program."""
    stub = "import sys, types; sys.modules['catalog'] = types.ModuleType('catalog'); import recipe"
    assert run(site, stub) == (0, "")
    frozen = (
        "from recipe_sampler import one_distribution as o\n"
        "class Loader: pass\n"
        "spec = o.find_spec('verify'); spec.loader = Loader()\n"
        "assert o._complaint('verify', spec) is None"
    )
    assert run(site, frozen) == (0, "")


def test_names_of_the_alias_are_checked_and_its_import_is_not(site):
    """The plug-in of pytest is in this package, and no suite may fail for a folder of its own."""
    install_other(site, "recipe")
    assert run(site, "import recipe_sampler, recipe_sampler.pytest_plugin") == (0, "")
    assert "recipe" in refused(site, "from recipe_sampler import verify")


def test_a_checker_that_is_run_alone_as_a_file_needs_no_package(tmp_path):
    alone = shutil.copy(ROOT / "verify" / "checker.py", tmp_path)
    done = subprocess.run(
        [sys.executable, "-I", alone, "none.json"], capture_output=True, text=True, check=False
    )
    assert "recipe_sampler" not in done.stderr
    assert "Traceback" not in done.stderr


def test_every_package_has_the_mark():
    for name in PACKAGES:
        assert MARK in (ROOT / name / "__init__.py").read_bytes(), name
        assert (ROOT / name / "py.typed").exists(), name
    assert (ROOT / "recipe_sampler" / "py.typed").exists()


def test_the_check_costs_little():
    took = []
    for _ in range(20):
        began = time.process_time()
        require_one_distribution()
        took.append(time.process_time() - began)
    assert min(took) < 0.005
