"""Where nothing can be predicted: the exception that carries the reason."""

from __future__ import annotations


class UnpredictableError(Exception):
    """Nothing can be predicted about the bias of a run; its text is the reason, a clause that
    follows "as".

    Attributes:
        seen: what was seen of the density, a sentence that a user should read whatever is
            predicted; None where nothing was.
    """

    def __init__(self, reason: str, seen: str | None = None) -> None:
        super().__init__(reason)
        self.seen = seen
