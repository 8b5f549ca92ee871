"""Print declarations and the derivation of a recipe as text, as LaTeX and as plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sympy import Expr, sqrt

from recipe.declare.dynamics import Derivation, Dynamics, derive
from recipe.declare.recipe import Recipe
from recipe.declare.reflection import Reflection
from recipe.declare.update import Update
from recipe.kernel.kernel import Kernel
from recipe.kernel.part import (
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)
from recipe.language.abstract import written_image
from recipe.language.blocks import Block, Vector
from recipe.language.domain import on_simplex
from recipe.language.entry import Coupling, is_zero_entry, parts
from recipe.language.text import listed, text
from recipe.printing.latex import latex, latex_of_name


def derivation_text(recipe: Recipe, name: str) -> str:
    """Gamma, the drift and the stochastic differential equation as text, one line for each
    block.
    """
    derivation = derive(recipe)
    lines = [
        f"{name}: state {listed(_block_text(b) for b in recipe.state)}",
        f"  H = {text(recipe.H)}",
        *(f"  where {condition}" for condition in recipe.where),
        "",
    ]
    lines += ["Correction  Gamma_i = sum_j d(D_ij + Q_ij)/dz_j"]
    lines += [f"  Gamma[{b}] = {text(derivation.gamma[b])}" for b in recipe.state]
    lines += ["", "Drift  f = -(D + Q) grad H + Gamma"]
    lines += [f"  f[{b}] = {text(derivation.dynamics.drift[b])}" for b in recipe.state]
    lines += ["", "Stochastic differential equation (Ito)"]
    lines += [f"  {line}" for line in sde_lines(derivation.dynamics)]
    lines += (
        ["", "Reflections", *(f"  {reflection}" for reflection in recipe.reflections)]
        if recipe.reflections
        else []
    )
    return "\n".join(lines)


def derivation_latex(recipe: Recipe) -> str:
    """H, Gamma and the stochastic differential equation as a LaTeX ``align*`` environment."""
    rows = [f"H &= {latex(recipe.H)}", *_derivation_rows(derive(recipe))]
    return "\\begin{align*}\n  " + " \\\\\n  ".join(rows) + "\n\\end{align*}"


def dynamics_latex(derivation: Derivation) -> str:
    """Gamma and the stochastic differential equation as displayed LaTeX, for a notebook."""
    return _displayed(_derivation_rows(derivation))


def recipe_latex(recipe: Recipe) -> str:
    """H, D and Q as displayed LaTeX, for a notebook; rows and columns of the matrices are the
    blocks.
    """
    state = "z &= \\left(" + ", ".join(latex_of_name(b) for b in recipe.state) + "\\right)"
    matrices = (recipe.D, recipe.Q, recipe.noise_factor)
    names = ("D", "Q", "B")
    shown = [
        f"{name} &= {latex(m.written)}"
        for name, m in zip(names, matrices, strict=True)
        if m is not None
    ]
    return _displayed([state, f"H &= {latex(recipe.H)}", *shown])


def update_latex(update: Update) -> str:
    """The target and the rule as displayed LaTeX, for a notebook."""
    arrow = "\\leftarrow"
    rows = [f"{latex_of_name(b)} &{arrow} {latex(e)}" for b, e in update.rule]
    rows += [
        f"\\text{{recorded: }} {latex_of_name(b)} &{arrow} {latex(e)}" for b, e in update.observe
    ]
    return _displayed([f"H &= {latex(update.target)}", *rows])


def recipe_text(recipe: Recipe) -> str:
    """A recipe as a person may write it, one argument a line."""
    matrices = (("D", recipe.D), ("Q", recipe.Q), ("noise_factor", recipe.noise_factor))
    marginal = {", ".join(map(str, kept)): e for kept, e in recipe.marginal}
    arguments = {
        "name": recipe.name and repr(recipe.name),
        "state": f"({listed(recipe.state)}{',' * (len(recipe.state) == 1)})",
        "H": recipe.H,
    }
    arguments |= {letter: m and f"Matrix({m.written.tolist()})" for letter, m in matrices}
    arguments |= {"marginal": marginal and _pairs_text(marginal.items(), "{}")}
    arguments |= {
        "require": recipe.require and list(recipe.require),
        "source": recipe.source and repr(recipe.source),
    }
    arguments |= {"where": recipe.where and f"[{listed(recipe.where)}]"}
    arguments |= {
        "reflections": (
            recipe.reflections and f"[{listed(map(_reflection_text, recipe.reflections))}]"
        )
    }
    return _call(
        "Recipe",
        arguments | {"update": recipe.update and str(recipe.update).replace("\n", "\n    ")},
    )


def _reflection_text(reflection: Reflection) -> str:
    flips = f", ({listed(reflection.flips)},)" if reflection.flips else ""
    return f"Reflection({reflection.block}{flips})"


def update_text(update: Update) -> str:
    """An update as a person may write it, one argument a line."""
    rule = _pairs_text(update.rule, "[]" if update.sequential else "{}")
    arguments = {"step": update.step, "target": update.target, "rule": rule}
    arguments |= {
        "observe": update.observe and _pairs_text(update.observe, "{}"),
        "name": update.name and repr(update.name),
    }
    more = {
        "source": update.source and repr(update.source),
        "expect": update.expect and repr(update.expect),
        "where": update.where and f"[{listed(update.where)}]",
    }
    return _call("Update", arguments | more)


def kernel_text(kernel: Kernel) -> str:
    """The parts of a kernel as text, in the order in which they are carried out."""
    lines = [f"kernel of ({listed(b.name for b in kernel.state)}) with H = {text(kernel.target)}"]
    lines += [f"  where {condition}" for condition in kernel.where]
    for part in kernel.parts:
        lines += _part_text(part, "  ")
    return "\n".join(lines)


def _part_text(part: Part, indent: str) -> list[str]:
    match part:
        case Repeat(parts=parts, times=times):
            return [
                f"{indent}repeat {_times_text(times)}:",
                *(line for p in parts for line in _part_text(p, indent + "  ")),
            ]
        case Move(update=update, kind=kind):
            return [f"{indent}{kind}:", *_rule_lines(update, indent)]
        case MetropolisHastings(proposal=update, cost=cost):
            test = (
                f"{indent}  accept with probability min(1, exp(cost(x, y) - cost(y, x))), cost ="
                f" {text(cost)}"
            )
            return [f"{indent}propose:", *_rule_lines(update, indent), test]
        case MetropolisedMap(map=update, times=times):
            test = f"{indent}  accept with probability min(1, exp(H(old) - H(new))){_turned(part)}"
            return [
                f"{indent}propose by {_times_text(times)} of:",
                *_rule_lines(update, indent),
                test,
            ]
        case MetropolisedPath(around=around, test=test):
            aside = f"{indent}{around.kind}, before and after each, taken back if rejected:"
            ratio = (
                f"{indent}  accept with probability min(1, exp(H(old) - H(new) of the"
                f" maps)){_turned(test)}"
            )
            lines = [
                *_rule_lines(test.map, indent),
                aside,
                *_rule_lines(around.update, indent),
                ratio,
            ]
            return [f"{indent}propose by {_times_text(test.times)} of:", *lines]


def _turned(part: MetropolisedMap) -> str:
    return f"; rejected, turn {listed(part.flips)}" if part.flips and part.flip_on_rejection else ""


def _rule_lines(update: Update, indent: str) -> list[str]:
    return [f"{indent}  {b} <- {text(e)}" for b, e in update.rule if e != b]


def _times_text(times: int | tuple[int, int]) -> str:
    return f"{times} times" if isinstance(times, int) else f"{times[0]} to {times[1]} times"


def _call(name: str, arguments: Mapping[str, object]) -> str:
    """A call as text, with the arguments that were given."""
    return "\n".join(
        [
            f"{name}(",
            *(f"    {k}={v}," for k, v in arguments.items() if v not in (None, (), {})),
            ")",
        ]
    )


def _pairs_text(pairs: Iterable[tuple[object, object]], brackets: str) -> str:
    lines = [f"        {b}: {e}," if brackets == "{}" else f"        ({b}, {e})," for b, e in pairs]
    return "\n".join([brackets[0], *lines, f"    {brackets[1]}"])


def _displayed(rows: list[str]) -> str:
    return "$$\\begin{aligned}\n  " + " \\\\\n  ".join(rows) + "\n\\end{aligned}$$"


def _derivation_rows(derivation: Derivation) -> list[str]:
    rows = [f"\\Gamma_{{{latex_of_name(b)}}} &= {latex(e)}" for b, e in derivation.gamma.items()]
    for b, drift in derivation.dynamics.drift.items():
        noise = _own_noise(derivation.dynamics, b)
        tail = "" if noise is None else f" + {latex(noise)}\\,\\mathrm{{d}}W^{{{latex_of_name(b)}}}"
        rows.append(
            f"\\mathrm{{d}}{latex_of_name(b)} &= \\left({latex(drift)}\\right)\\mathrm{{d}}t{tail}"
        )
    return rows + [
        f"D_{{\\mathrm{{{place}}}}} &= {latex(e)}" for place, e in _joint_noise(derivation.dynamics)
    ]


def derivation_data(recipe: Recipe, name: str) -> dict[str, Any]:
    """The derivation as plain data; every expression is given as text and as LaTeX."""
    derivation = derive(recipe)
    return {
        "name": name,
        "state": [_block_data(b) for b in recipe.state],
        "parameters": [str(s) for s in recipe.parameters],
        "where": [str(condition) for condition in recipe.where],
        "H": _both(recipe.H),
        "gamma": {b.name: _both(derivation.gamma[b]) for b in recipe.state},
        "drift": {b.name: _both(derivation.dynamics.drift[b]) for b in recipe.state},
        "diffusion": _diffusion_data(derivation),
        "reflections": [str(reflection) for reflection in recipe.reflections],
    }


def sde_lines(dynamics: Dynamics) -> list[str]:
    """The stochastic differential equation as text, one line for each block."""
    lines = []
    for b in dynamics.state:
        noise = _own_noise(dynamics, b)
        tail = "" if noise is None else f" + {_bracketed(text(noise))} dW_{b}"
        lines.append(f"d {b} = {_bracketed(text(dynamics.drift[b]))} dt{tail}")
    joint = [f"  D[{place}] = {text(e)}" for place, e in _joint_noise(dynamics)]
    return lines + (
        ["noise dN with covariance 2 D dt, (i, j) being its coordinates:", *joint] if joint else []
    )


def _own_noise(dynamics: Dynamics, block: Block) -> Expr | None:
    """The factor of the block's own white noise; None where it has no noise or shares it with
    another coordinate.
    """
    entry = dynamics.diffusion[block, block]
    if is_zero_entry(entry) or not _is_independent(dynamics, block):
        return None
    return sqrt(2 * parts(entry)[0])


def _is_independent(dynamics: Dynamics, block: Block) -> bool:
    entry = dynamics.diffusion[block, block]
    plain = not isinstance(entry, Coupling) or entry.kernel == 0
    return plain and all(
        is_zero_entry(dynamics.diffusion[block, b]) for b in dynamics.state if b != block
    )


def _joint_noise(dynamics: Dynamics) -> list[tuple[str, Expr]]:
    """The entries of D whose noise cannot be written block by block, each with its place."""
    found = []
    for (row, column), entry in dynamics.diffusion.items():
        if is_zero_entry(entry) or (row == column and _is_independent(dynamics, row)):
            continue
        names = ("", " (i, j)") if isinstance(entry, Coupling) else ("",)
        found += [
            (f"{row}, {column}{n}", e) for n, e in zip(names, parts(entry), strict=True) if e != 0
        ]
    return found


def _diffusion_data(derivation: Derivation) -> list[dict[str, Any]]:
    return [
        {
            "row": row.name,
            "column": column.name,
            "kind": type(entry).__name__.lower(),
            "parts": [_both(e) for e in parts(entry)],
        }
        for (row, column), entry in derivation.dynamics.diffusion.items()
        if not is_zero_entry(entry)
    ]


def _both(e: Expr) -> dict[str, str]:
    return {"text": text(e), "latex": latex(e)}


def _block_data(b: Block) -> dict[str, str]:
    kind = (
        {"kind": "vector", "length": str(b.length)} if isinstance(b, Vector) else {"kind": "scalar"}
    )
    image = {} if b.image is None else {"image": b.image.name, "map": _both(written_image(b))}
    return {
        "name": b.name,
        **kind,
        "domain": "Simplex" if on_simplex(b) else str(b.domain),
        **image,
    }


def _block_text(b: Block) -> str:
    kind = "vector" if isinstance(b, Vector) else "number"
    return (
        f"{b.name} ({kind}{'' if b.image is None else f', {b.image} = {text(written_image(b))}'})"
    )


def _bracketed(written: str) -> str:
    return f"({written})" if set(written) & set(" -/") else written
