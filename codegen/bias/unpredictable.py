"""Where nothing can be predicted: the exception that carries the reason."""

from __future__ import annotations


class UnpredictableError(Exception):
    """Nothing can be predicted about the bias of a run; its text is the reason, a clause that
    follows "as".
    """
