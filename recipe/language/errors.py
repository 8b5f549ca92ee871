"""The errors that a mistake in a declaration raises."""


class RecipeError(ValueError):
    """A declaration or a request that cannot be accepted.

    The message is one sentence. It names the smallest expression that is at fault and proposes the
    repair. Every function of the public language raises this class, or its subclass
    ``OutsideLanguageError``, for a mistake of its caller.
    """


class OutsideLanguageError(RecipeError):
    """An expression that the language cannot represent, such as ``Max`` or ``Piecewise``.

    It is refused; it is never approximated and never dropped.
    """
