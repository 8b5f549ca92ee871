"""Why a canonical form can be out of reach; each leads to *undecided*, never to a verdict."""


class CannotDecideError(Exception):
    """The canonical form does not reach this expression."""


class TooLargeError(CannotDecideError):
    """The canonical form would not fit into the memory that a verdict may take."""


class TableFullError(TooLargeError):
    """The expression has more generators than the table holds."""
