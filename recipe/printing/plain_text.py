"""Text without characters that a terminal would take for commands."""

from __future__ import annotations


def without_codes(text: str) -> str:
    """Return the text with every character escaped that a terminal could take for a command.

    These are control characters (line breaks included), marks that change the direction of writing,
    unpaired surrogates, and every space but the common one.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
