"""The question "did you mean ...?" about a name that is unknown."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

SMALLEST_LIKENESS = 0.6  # difflib's ratio of two names, 1 for equal ones


def did_you_mean(name: object, names: Iterable[object]) -> str:
    """Return a question about the name that is meant, such as ``did you mean theta? ``, with a
    space at its end; empty where no name is like it.

    Args:
        name: the unknown name. Capitals, hyphens and underscores do not matter.
        names: the names that are known.
    """
    known = [str(n) for n in names]
    by_plain = {_plain(n): n for n in reversed(known)}  # the first of equal ones stays
    close = difflib.get_close_matches(
        _plain(str(name)), [_plain(n) for n in known], n=1, cutoff=SMALLEST_LIKENESS
    )
    return f"did you mean {by_plain[close[0]]}? " if close else ""


def _plain(name: str) -> str:
    return name.lower().replace("-", "_")
