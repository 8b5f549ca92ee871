"""Read the posterior of a run, in this process: its data are not read twice or copied."""

from __future__ import annotations

from recipe import Posterior
from recipe.declare.ordered_answers import answers_in_order
from recipe_cli.declarations.posteriors import posterior_in
from recipe_cli.sandbox.process_limits import Limits
from recipe_cli.sandbox.time_limit import within_seconds
from recipe_cli.terminal.printing import print_line


def read_posterior(where: str, limits: Limits) -> Posterior:
    """Return the posterior of a file or of the catalog.

    Args:
        where: what the user typed.
        limits: its seconds are the time that the file may take.

    Raises:
        RecipeError: if there is no such posterior, or its file takes too long.
    """
    with within_seconds(where, limits):
        found = posterior_in(where)
    for answers, order in answers_in_order(found.laws, found.categories).items():
        print_line(f"note: the order of {answers} is {order}", err=True)
    return found
