"""The derivation of a recipe as text, as LaTeX and as plain data."""

from __future__ import annotations

from typing import Any

from sympy import Expr, sqrt

from recipe.dynamics import Derivation, Dynamics, derive
from recipe.entry import Coupling, is_zero_entry, parts
from recipe.latex import latex, latex_of_name
from recipe.recipe import Recipe
from recipe.symbols import Block, Simplex, Vector
from recipe.text import listed, text


def derivation_text(recipe: Recipe, name: str) -> str:
    """Gamma, the drift and the stochastic differential equation, one line each."""
    derivation = derive(recipe)
    lines = [f"{name}: state {listed(_block_text(b) for b in recipe.state)}", f"  H = {text(recipe.H)}", ""]
    lines += ["Correction  Gamma_i = sum_j d(D_ij + Q_ij)/dz_j"]
    lines += [f"  Gamma[{b}] = {text(derivation.gamma[b])}" for b in recipe.state]
    lines += ["", "Drift  f = -(D + Q) grad H + Gamma"]
    lines += [f"  f[{b}] = {text(derivation.dynamics.drift[b])}" for b in recipe.state]
    lines += ["", "Stochastic differential equation (Ito)"]
    lines += [f"  {line}" for line in _sde_text(derivation.dynamics)]
    return "\n".join(lines)


def derivation_latex(recipe: Recipe) -> str:
    """Gamma and the stochastic differential equation as an ``align*`` environment."""
    derivation = derive(recipe)
    rows = [f"H &= {latex(recipe.H)}"]
    rows += [f"\\Gamma_{{{latex_of_name(b)}}} &= {latex(derivation.gamma[b])}" for b in recipe.state]
    for b in recipe.state:
        noise = _own_noise(derivation.dynamics, b)
        tail = "" if noise is None else f" + {latex(noise)}\\,\\mathrm{{d}}W^{{{latex_of_name(b)}}}"
        drift = latex(derivation.dynamics.drift[b])
        rows.append(f"\\mathrm{{d}}{latex_of_name(b)} &= \\left({drift}\\right)\\mathrm{{d}}t{tail}")
    rows += [f"D_{{\\mathrm{{{place}}}}} &= {latex(e)}" for place, e in _joint_noise(derivation.dynamics)]
    return "\\begin{align*}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align*}"


def derivation_data(recipe: Recipe, name: str) -> dict[str, Any]:
    """The derivation as plain data; every expression is given as text and as LaTeX."""
    derivation = derive(recipe)
    return {
        "name": name,
        "state": [_block_data(b) for b in recipe.state],
        "parameters": [str(s) for s in recipe.parameters],
        "H": _both(recipe.H),
        "gamma": {b.name: _both(derivation.gamma[b]) for b in recipe.state},
        "drift": {b.name: _both(derivation.dynamics.drift[b]) for b in recipe.state},
        "diffusion": _diffusion_data(derivation),
    }


def _sde_text(dynamics: Dynamics) -> list[str]:
    lines = []
    for b in dynamics.state:
        noise = _own_noise(dynamics, b)
        tail = "" if noise is None else f" + {_bracketed(text(noise))} dW_{b}"
        lines.append(f"d {b} = {_bracketed(text(dynamics.drift[b]))} dt{tail}")
    joint = [f"  D[{place}] = {text(e)}" for place, e in _joint_noise(dynamics)]
    return lines + (["noise dN with covariance 2 D dt, (i, j) being its coordinates:", *joint] if joint else [])


def _own_noise(dynamics: Dynamics, block: Block) -> Expr | None:
    """The factor of the block's own white noise, where its noise is plain and independent of the others'."""
    entry = dynamics.diffusion[block, block]
    if is_zero_entry(entry) or not _is_independent(dynamics, block):
        return None
    return sqrt(2 * parts(entry)[0])


def _is_independent(dynamics: Dynamics, block: Block) -> bool:
    entry = dynamics.diffusion[block, block]
    plain = not isinstance(entry, Coupling) or entry.kernel == 0
    return plain and all(is_zero_entry(dynamics.diffusion[block, b]) for b in dynamics.state if b != block)


def _joint_noise(dynamics: Dynamics) -> list[tuple[str, Expr]]:
    """The entries of D whose noise cannot be written block by block."""
    found = []
    for (row, column), entry in dynamics.diffusion.items():
        if is_zero_entry(entry) or (row == column and _is_independent(dynamics, row)):
            continue
        names = ("", " (i, j)") if isinstance(entry, Coupling) else ("",)
        found += [(f"{row}, {column}{n}", e) for n, e in zip(names, parts(entry), strict=True) if e != 0]
    return found


def _diffusion_data(derivation: Derivation) -> list[dict[str, Any]]:
    return [
        {"row": row.name, "column": column.name, "kind": type(entry).__name__.lower(), "parts": [_both(e) for e in parts(entry)]}
        for (row, column), entry in derivation.dynamics.diffusion.items()
        if not is_zero_entry(entry)
    ]


def _both(e: Expr) -> dict[str, str]:
    return {"text": text(e), "latex": latex(e)}


def _block_data(b: Block) -> dict[str, str]:
    kind = {"kind": "vector", "length": str(b.length)} if isinstance(b, Vector) else {"kind": "scalar"}
    return {"name": b.name, **kind, "domain": "Simplex" if isinstance(b.domain, Simplex) else str(b.domain)}


def _block_text(b: Block) -> str:
    return f"{b.name} (vector)" if isinstance(b, Vector) else f"{b.name} (number)"


def _bracketed(written: str) -> str:
    return f"({written})" if set(written) & set(" -/") else written
