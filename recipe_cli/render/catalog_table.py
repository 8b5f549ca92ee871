"""The catalog as a list: what each sampler is for, and what it needs."""

from __future__ import annotations

import ast
import textwrap
from dataclasses import dataclass
from typing import Any

from sympy import Set, Symbol

from recipe import Dense, Kernel, Potential
from recipe.files.python_tree import parsed
from recipe.kernel import refusal_of_estimates
from recipe.language.abstract import Field
from recipe.language.blocks import Block, Scalar
from recipe.language.domain import domain_text, finite_ends, on_simplex
from recipe.language.symbols import Indexed, name_of
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.declarations.of_catalog import source_of
from recipe_cli.meanings import meanings_in

WIDTH_COLUMNS = 80


@dataclass(frozen=True)
class ListedParameter:
    """A parameter of a sampler.

    Attributes:
        name: its name.
        kind: ``number``, ``vector`` or ``matrix``.
        sign: what is assumed, such as ``positive``; empty if nothing is.
        meaning: the comment behind its declaration; empty if there is none.
    """

    name: str
    kind: str
    sign: str
    meaning: str

    @property
    def facts(self) -> str:
        """What is assumed and what it means, as a clause behind the name or the value."""
        kind = "" if self.kind == "number" else self.kind
        assumed = " ".join(filter(None, (self.sign, kind)))
        return (f", {assumed}" if assumed else "") + (f": {self.meaning}" if self.meaning else "")


def parameters_listed(declaration: Declaration) -> list[ListedParameter]:
    """Return the parameters and the constant matrices of a declaration, with their meanings."""
    declared, meanings = declaration.declared, meanings_in(source_of(declaration))
    matrices = [a for a in declared.abstract if isinstance(a, Dense)]
    return [
        ListedParameter(name_of(s), _kind(s), _sign(s), meanings.get(name_of(s), ""))
        for s in (*declared.parameters, *matrices)
    ]


def sampler_as_json(declaration: Declaration) -> dict[str, Any]:
    """Return what is listed about a sampler as plain data."""
    declared = declaration.declared
    return {
        "name": declaration.name,
        "file": declaration.file,
        "purpose": purpose_of(declaration),
        "source": declared.source,
        "state": [b.name for b in declared.state],
        "domain": {b.name: domain_text(b) for b in declared.state},
        "gradient": gradient_needed(declaration),
        "functions": _functions(declaration),
        "parameters": [
            {"name": p.name, "kind": p.kind, "sign": p.sign, "meaning": p.meaning}
            for p in parameters_listed(declaration)
        ],
    }


def purpose_of(declaration: Declaration) -> str:
    """Return the first paragraph of the docstring of the file that declares a sampler."""
    paragraph = (ast.get_docstring(parsed(source_of(declaration))) or "").partition("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")


def gradient_needed(declaration: Declaration) -> str:
    """Return which gradient a sampler needs: ``none``, ``exact`` or ``estimated``.

    An ``estimated`` one may come from minibatches.
    """
    declared = declaration.declared
    if not any(isinstance(a, Potential) for a in declared.abstract):
        return "none"
    if isinstance(declared, Kernel) and refusal_of_estimates(declared) is not None:
        return "exact"
    return "estimated"


GRADIENT_WORDS = {
    "none": "no gradient: its law is fixed",
    "exact": "the gradient of all data",
    "estimated": "a gradient, which minibatches may estimate",
}


def sampler_lines(declaration: Declaration, purpose: str) -> list[str]:
    """Return what is listed about a sampler as lines of at most ``WIDTH_COLUMNS`` columns.

    Args:
        declaration: the sampler.
        purpose: what it is for; empty where the sampler before it said so.
    """
    declared = declaration.declared
    where = [
        f"{', '.join(b.name for b in blocks)} {domain}"
        for domain, blocks in _by_domain(declared.state).items()
    ]
    needs = [GRADIENT_WORDS[gradient_needed(declaration)]]
    needs += [f"{name}, a function to bind" for name in _functions(declaration)]
    needs += [p.name + p.facts for p in parameters_listed(declaration)]
    lines = [f"  {declaration.name}"]
    lines += _wrapped(purpose) if purpose else []
    lines += _wrapped(f"state: {', '.join(where)}")
    lines += _wrapped(f"needs: {'; '.join(needs)}")
    if gradient_needed(declaration) == "exact":
        lines += _wrapped("exact at every step size, by Metropolis tests")
    lines += _wrapped(f"from: {declared.source}") if declared.source else []
    return lines


def posterior_lines(name: str, width: int, summary: str) -> list[str]:
    """Return what is listed about a posterior, in lines of at most ``WIDTH_COLUMNS`` columns.

    Args:
        name: its name.
        width: the columns of the longest name.
        summary: what it is.
    """
    first = f"  {name:<{width}}  "
    return textwrap.wrap(
        summary, WIDTH_COLUMNS, initial_indent=first, subsequent_indent=" " * len(first)
    )


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH_COLUMNS, initial_indent=" " * 4, subsequent_indent=" " * 6)


def _by_domain(state: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for block in state:
        found.setdefault(_domain_words(block), []).append(block)
    return found


def _domain_words(block: Block) -> str:
    """Return where a block lives, as a clause behind its name."""
    words = "on the simplex" if on_simplex(block) else _interval_words(block.domain)
    image = block.image
    return words if image is None else f"{words}, for {image.name} {_domain_words(image)}"


def _interval_words(domain: Set) -> str:
    ends = finite_ends(domain)
    if not ends:
        return "on the real line"
    if len(ends) == 1:
        (end,) = ends
        return f"{'>' if end.inward == 1 else '<'}{'=' if end.belongs else ''} {end.at}"
    low, high = ends
    return f"in {'[' if low.belongs else '('}{low.at}, {high.at}{']' if high.belongs else ')'}"


def _functions(declaration: Declaration) -> list[str]:
    """Return the names of the abstract functions that must be bound before a run."""
    return [
        str(a.func if a.args and not isinstance(a, Field) else a)
        for a in declaration.declared.abstract
        if not isinstance(a, Potential | Dense)
    ]


def _kind(s: Symbol) -> str:
    if isinstance(s, Dense):
        return "matrix"
    return "vector" if isinstance(s, Indexed) and not isinstance(s, Scalar) else "number"


def _sign(s: Symbol) -> str:
    if isinstance(s, Dense):
        return "positive definite" if s.positive_definite else ""
    facts = ("positive", "negative", "nonnegative", "nonpositive")
    return next((fact for fact in facts if getattr(s, f"is_{fact}")), "")
