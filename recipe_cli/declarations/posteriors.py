"""Find a posterior: in a file of the user, or in the catalog by name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
from pathlib import Path

import catalog
import catalog.posteriors
from recipe import Posterior, RecipeError
from recipe.files.python_tree import parsed
from recipe.language.did_you_mean import did_you_mean
from recipe_cli.declarations.argument import as_path, is_path, parts_of
from recipe_cli.declarations.run_file import run_file


def posterior_in(where: str) -> Posterior:
    """Return the one ``Posterior`` of a file, the one called NAME of ``FILE:NAME``, or the one of
    the catalog with this name.

    Raises:
        RecipeError: if there is none, or if there are several.
    """
    path, _, wanted = parts_of(where)
    if path in posterior_names():
        module = importlib.import_module(f"catalog.posteriors.{path}")
    elif is_path(path):
        module = run_file(Path(path))
    else:
        raise RecipeError(_no_posterior(path))
    found = {
        n: v
        for n, v in vars(module).items()
        if isinstance(v, Posterior) and (not wanted or n == wanted)
    }
    if len(found) == 1:
        return next(iter(found.values()))
    if found:
        named = "posterior" if "posterior" in found else next(reversed(found))
        raise RecipeError(
            f"{path} defines the posteriors {', '.join(found)}: choose one, as in {path}:{named}"
        )
    there = [n for n, v in vars(module).items() if isinstance(v, Posterior)]
    if there:
        raise RecipeError(
            f"{path} defines no Posterior called {wanted}; {did_you_mean(wanted, there)}it defines"
            f" {', '.join(there)}"
        )
    raise RecipeError(f"{path} defines no Posterior at module level")


def posterior_names() -> list[str]:
    """Return the names of the posteriors in the catalog."""
    return sorted(m.name for m in pkgutil.iter_modules(catalog.posteriors.__path__) if not m.ispkg)


def posterior_summary(name: str) -> str:
    """Return the first paragraph that the file of a posterior in the catalog says of itself.

    The file is read and not run: its data take longer to read than all of the catalog.
    """
    spec = importlib.util.find_spec(f"catalog.posteriors.{name}")
    assert spec is not None
    assert spec.origin is not None
    text = Path(spec.origin).read_text(encoding="utf-8")
    paragraph = (ast.get_docstring(parsed(text)) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")


def _no_posterior(name: str) -> str:
    """Return the complaint about a name that is neither a path nor in the catalog."""
    return (
        f"{name} is not a posterior of the catalog;"
        f" {did_you_mean(name, posterior_names())}`recipe list` shows them, and a path ends in"
        f" .py or has a folder in it{as_path(name)}"
    )
