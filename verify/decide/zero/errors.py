"""Reasons why an expression has no canonical form; each leads to *undecided*, never to a
verdict.
"""


class CannotDecideError(Exception):
    """The expression has no canonical form here."""


class TooLargeError(CannotDecideError):
    """The canonical form would need more memory than a verdict may take."""


class TableFullError(TooLargeError):
    """The expression has more generators than the table holds."""
