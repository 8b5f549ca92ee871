"""Changes of the text of a generated module, by ``mutants``: a few of every kind, spread over the
text.
"""

from __future__ import annotations

import ast
import difflib
from collections import defaultdict
from collections.abc import Iterator

from generators.text_mutants import Place, changed, places

from mutation.mutant import SOURCE, Mutant


def source_mutants(
    name: str, text: str, skipped: frozenset[str], of_each_kind: int
) -> Iterator[Mutant]:
    """So many mutants of every kind at most, at places that are far from each other."""
    by_kind: dict[str, list[Place]] = defaultdict(list)
    for place in places(text, skipped):
        by_kind[place.kind].append(place)
    before, seen = ast.unparse(ast.parse(text)), set()
    for kind, found in by_kind.items():
        for place in found[:: max(1, -(-len(found) // of_each_kind))]:
            after = changed(text, place)
            if after != before and after not in seen:
                seen.add(after)
                yield Mutant(
                    SOURCE,
                    name,
                    kind,
                    f"{kind}, line {place.line}: {_difference(before, after)}",
                    after,
                )


def _difference(before: str, after: str) -> str:
    """The lines that differ, in one line."""
    lines = list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0))[
        3:
    ]
    old, new = ("; ".join(line[1:].strip() for line in lines if line[0] == sign) for sign in "-+")
    return (
        f"`{old}` becomes `{new}`"
        if old and new
        else f"`{old}` dropped"
        if old
        else f"`{new}` added"
    )
