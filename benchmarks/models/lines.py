"""Lines of a model here, in NumPyro and in PyMC; all are formatted by the same rules."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TypeGuard

FIRST_WORDS = {"Scalar", "Vector", "Ordered", "Data"}
ROOT = Path(__file__).resolve().parents[2]


def lines_here(model: str) -> int:
    """The lines from the first block or data symbol to the posterior, and those of the gradient or
    potential, where it is a function of one's own.
    """
    text = (ROOT / "examples" / "models" / f"{model}.py").read_text()
    body = ast.parse(text).body
    first = next(k for k, s in enumerate(body) if _names_called(s) & FIRST_WORDS)
    last = next(k for k, s in enumerate(body) if "Posterior" in _names_called(s))
    own = [s for s in body[:first] if _is_function(s, ("gradient", "potential"))]
    return _written(text, [*own, *body[first : last + 1]])


def lines_in_numpyro(model: str) -> int:
    """The lines of the function; None of its own counts as that of the model it is equal to."""
    text = Path(__file__).with_name("numpyro_models.py").read_text()
    name = model.removesuffix("_jax")
    body = ast.parse(text).body
    return _written(text, [s for s in body if isinstance(s, ast.FunctionDef) and s.name == name])


def lines_in_pymc(model: str) -> int:
    """The lines of the context in which the model is declared, ``with`` included."""
    text = Path(__file__).with_name("pymc_models.py").read_text()
    name = model.removesuffix("_jax")
    function = next(s for s in ast.parse(text).body if _is_function(s, (name,)))
    return _written(text, [s for s in function.body if isinstance(s, ast.With)])


def _is_function(statement: ast.stmt, names: tuple[str, ...]) -> TypeGuard[ast.FunctionDef]:
    return isinstance(statement, ast.FunctionDef) and statement.name in names


def _names_called(statement: ast.stmt) -> set[str]:
    """The names of the functions that an assignment calls."""
    if not isinstance(statement, ast.Assign):
        return set()
    calls = [node.func for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return {f.id for f in calls if isinstance(f, ast.Name)}


def _written(text: str, statements: list[ast.stmt]) -> int:
    """Their lines, without empty ones and comments; decorators count."""
    lines = text.splitlines()
    total = 0
    for s in statements:
        first = min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", []))])
        own = lines[first - 1 : s.end_lineno]
        total += sum(bool(line.strip()) and not line.strip().startswith("#") for line in own)
    return total
