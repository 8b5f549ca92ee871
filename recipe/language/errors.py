"""The one error that a mistake in a recipe raises."""


class RecipeError(ValueError):
    """A recipe, an update or a request that cannot be accepted.

    The message is one sentence that names the smallest guilty expression and proposes the repair.
    """


class OutsideLanguageError(RecipeError):
    """An expression that the normal form cannot hold; it is refused, never approximated or
    dropped.
    """
