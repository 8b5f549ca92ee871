"""``recipe explain``: the statement of each obligation, and why it matters."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

import typer

from recipe import RecipeError
from recipe.language.did_you_mean import did_you_mean
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_lines

EPILOG = "Examples: `recipe explain stationarity`, `recipe explain`"


def explain(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="OBLIGATION", help="Name of an obligation; by default all are explained."
        ),
    ] = None,
) -> None:
    """Explain what an obligation states, and why it matters."""
    check_obligations([] if name is None else [name])
    known = _obligations()
    for n in known if name is None else [name]:
        statement, explanation = known[n]
        print_lines(f"{n}: {statement}\n  {explanation}")


def check_obligations(names: Iterable[str]) -> None:
    """Check that every name is the name of an obligation.

    Raises:
        RecipeError: if one is not.
    """
    known = _obligations()
    for name in names:
        if name not in known:
            raise RecipeError(
                f"there is no obligation {name!r}; {did_you_mean(name, known)}the obligations are"
                f" {', '.join(known)}"
            )


def _obligations() -> dict[str, tuple[str, str]]:
    """Return the statement and the explanation of every obligation, by its name."""
    with loading():
        from verify.obligations import KERNEL_OBLIGATIONS, LABEL_OBLIGATIONS, OBLIGATIONS

    every = (*OBLIGATIONS, *KERNEL_OBLIGATIONS, *LABEL_OBLIGATIONS)
    first = {o.name: o for o in reversed(every)}  # of a name that several have
    named = dict.fromkeys(o.name for o in every)
    return {name: (first[name].statement, first[name].explanation) for name in named}
