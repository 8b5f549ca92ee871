"""How many lines a model takes, here and in NumPyro. Both are formatted by the same rules."""

from __future__ import annotations

import ast
from pathlib import Path

FIRST_WORDS = ("Scalar", "Vector", "Data", "Interval")
ROOT = Path(__file__).resolve().parents[2]


def lines_here(model: str) -> int:
    """The lines from the first block, domain or data symbol, or the gradient, to the posterior."""
    text = (ROOT / "examples" / "models" / f"{model}.py").read_text()
    return _written(text, [s for s in ast.parse(text).body if _declares(s)])


def lines_in_numpyro(model: str) -> int:
    """The lines of the function; None of its own counts as that of the model it is equal to."""
    text = Path(__file__).with_name("numpyro_models.py").read_text()
    name = model.removesuffix("_jax")
    body = ast.parse(text).body
    return _written(text, [s for s in body if isinstance(s, ast.FunctionDef) and s.name == name])


def _declares(statement: ast.stmt) -> bool:
    """Whether a statement declares a part of a model rather than its data."""
    if isinstance(statement, ast.FunctionDef):
        return statement.name in ("gradient", "potential")
    calls = {
        node.func.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    attributes = {
        n.value.id
        for n in ast.walk(statement)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    return isinstance(statement, ast.Assign) and bool(
        ({*calls, *attributes} & set(FIRST_WORDS)) or "Posterior" in calls
    )


def _written(text: str, statements: list[ast.stmt]) -> int:
    """Their lines, without empty ones and comments; decorators count."""
    lines = text.splitlines()
    total = 0
    for s in statements:
        first = min([s.lineno, *(d.lineno for d in getattr(s, "decorator_list", []))])
        own = lines[first - 1 : s.end_lineno]
        total += sum(bool(line.strip()) and not line.strip().startswith("#") for line in own)
    return total
