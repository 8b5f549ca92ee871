"""The discretisation schemes, and which of them fit a recipe, as text and as plain data."""

from __future__ import annotations

import json
from typing import Any

from sympy import Symbol

from recipe import Recipe, RecipeError
from recipe.kernel.stays_in_domain import check_inside
from recipe.scheme import SCHEMES, Scheme
from recipe.scheme.discretisation import discretisation
from recipe.scheme.flow import flow
from recipe.scheme.increment import step_symbol
from recipe.scheme.pieces import LETTERS, Motion, pieces_of
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.terminal.printing import print_line, print_lines

SPLITTING_NOTE = (
    "any word over the letters of the pieces is a scheme; a letter that occurs twice runs for half"
    " the step each time"
)


def fitting_schemes(found: list[Declaration]) -> list[dict[str, Any]]:
    """Return, for each recipe, its pieces and the schemes that fit, as plain data.

    Args:
        found: the declarations to discretise.

    Raises:
        RecipeError: if none of them is a recipe.
    """
    recipes = [(d.name, d.declared) for d in found if isinstance(d.declared, Recipe)]
    if not recipes:
        raise RecipeError(
            "schemes are for recipes, and the file declares none: an update or a kernel is discrete"
            " already"
        )
    return [_of_recipe(name, recipe) for name, recipe in recipes]


def print_fitting_schemes(data: list[dict[str, Any]], as_json: bool) -> None:
    """Print what ``fitting_schemes`` returns, as text or JSON."""
    if as_json:
        print_lines(json.dumps(data, indent=2))
        return
    for entry in data:
        _print_recipe(entry)


def print_all_schemes(as_json: bool) -> None:
    """Print all schemes, as text or JSON."""
    if as_json:
        print_lines(
            json.dumps(
                [
                    {k: getattr(s, k) for k in ("name", "summary", "fits", "source")}
                    for s in SCHEMES
                ],
                indent=2,
            )
        )
        return
    width = max(len(s.name) for s in SCHEMES)
    for s in SCHEMES:
        print_line(f"{s.name:<{width}}  {s.summary}; {s.fits}; {s.source}")
    print_line(
        ", ".join(f"{letter} {meaning}" for letter, meaning in LETTERS.items())
        + f": {SPLITTING_NOTE}"
    )


def _of_recipe(name: str, recipe: Recipe) -> dict[str, Any]:
    """Return the pieces of a recipe with their flows, and each scheme with the reason why it does
    not fit, or None.
    """
    try:
        pieces = [
            _piece(p.letter, m, step_symbol(recipe)) for p in pieces_of(recipe) for m in p.motions
        ]
        why = None
    except RecipeError as error:
        pieces, why = [], str(error)
    schemes = [
        {"name": s.name, "summary": s.summary, "refused": _refusal(s, recipe)} for s in SCHEMES
    ]
    return {"name": name, "pieces": pieces, "no_splitting": why, "schemes": schemes}


def _piece(letter: str, motion: Motion, time: Symbol) -> dict[str, str]:
    law = flow(motion, time)
    return {
        "letter": letter,
        "meaning": LETTERS[letter],
        "block": motion.block.name,
        "rate": str(motion.rate),
        "push": str(motion.push),
        "noise": str(motion.noise),
        "mean": str(law.mean),
        "variance": str(law.variance),
    }


def _refusal(scheme: Scheme, recipe: Recipe) -> str | None:
    """Return the reason why a scheme does not fit a recipe; None if it fits."""
    try:
        check_inside(discretisation(recipe, scheme).update)
    except RecipeError as error:
        return str(error)
    return None


def _print_recipe(entry: dict[str, Any]) -> None:
    print_line(f"{entry['name']}")
    if entry["pieces"]:
        print_line("  pieces of the generator, and where each leads in the time step_size:")
    for p in entry["pieces"]:
        law = p["mean"] if p["variance"] == "0" else f"N({p['mean']}, {p['variance']})"
        print_line(f"    {p['letter']} {p['meaning']}: {p['block']} <- {law}")
    if entry["no_splitting"]:
        names = [s["name"] for s in entry["schemes"] if s["refused"] == entry["no_splitting"]]
        print_line(f"  no splitting ({', '.join(names)}): {entry['no_splitting']}")
    width = max(len(s["name"]) for s in entry["schemes"])
    print_line("  schemes:")
    for s in entry["schemes"]:
        if s["refused"] is None:
            print_line(f"    {s['name']:<{width}}  {s['summary']}")
    for s in entry["schemes"]:
        if s["refused"] not in (None, entry["no_splitting"]):
            print_line(f"    {s['name']:<{width}}  does not fit: {s['refused']}")
