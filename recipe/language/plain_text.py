"""Text that a terminal takes for nothing but text."""

from __future__ import annotations


def without_codes(text: str) -> str:
    """The text with every character written out that a terminal could take for a command.

    These are the control characters (a line break is one), the marks that turn the direction of
    writing, halves of surrogate pairs, and spaces other than the common one.
    """
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text
    )
