"""Tables of Markdown, and a page whose tables stand between markers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; every cell is text."""
    lines = ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join(lines) + "\n"


def page(text: str, tables: dict[str, str]) -> str:
    """The text with these tables between ``<!-- NAME -->`` and ``<!-- end of NAME -->``.

    Raises:
        ValueError: where the text does not have both markers of a table, once.
    """
    for name, table in tables.items():
        start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        if text.count(start) != 1 or text.count(end) != 1:
            raise ValueError(f"the page does not have the markers of the table {name} once each")
        before, rest = text.split(start)
        text = before + start + table + end + rest.split(end)[1]
    return text
