"""The exception of trials."""


class NothingToCompareError(Exception):
    """A program cannot be compared with a declaration, because no exact null law is known for
    it.
    """
