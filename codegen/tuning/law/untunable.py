"""Where no setting can be found: the exception that says why, and what to do."""

from __future__ import annotations

from recipe.language.errors import RecipeError


class UntunableError(RecipeError):
    """No setting of the sampler is known to be within the budget; its text says why, and names what
    to do. Nothing has been sampled. The exit status of the command is 3.
    """

    undecided = True
