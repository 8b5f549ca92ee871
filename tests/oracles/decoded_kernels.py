"""A certificate of a kernel read back into the language, so that the verifier may judge it again:
the names in it are looked up, never evaluated.
"""

from __future__ import annotations

from typing import Any

from sympy import Symbol

from oracles.decoded import Decoded
from recipe import Kernel, Update
from recipe.kernel.part import (
    FLIP,
    MetropolisedMap,
    MetropolisedPath,
    MetropolisHastings,
    Move,
    Part,
    Repeat,
)


def kernel_of(certificate: dict[str, Any]) -> Kernel:
    """The kernel that a certificate is about."""
    subject = certificate["subject"]
    table = Decoded(certificate["nodes"], certificate["symbols"], certificate["functions"])
    return Kernel([_Parts(table, subject).part(said) for said in subject["parts"]])


class _Parts:
    def __init__(self, table: Decoded, subject: dict[str, Any]) -> None:
        self.table = table
        self.H = table.expressions[subject["H"]]
        steps = [n for n, s in table.symbols.items() if s["kind"] == "step"]
        self.step = table.head(steps[0]) if steps else Symbol("h", positive=True)

    def part(self, said: dict[str, Any]) -> Part:
        match said["kind"]:
            case "move":
                return Move(self.update(said), FLIP)
            case "map":
                flips = tuple(map(self.table.head, said["flips"]))
                return MetropolisedMap(self.update(said), times(said), flips, said["turn"])
            case "path":
                return MetropolisedPath(self.part(said["around"]), self.part(said["test"]))
            case "repeat":
                return Repeat(tuple(map(self.part, said["parts"])), times(said))
        partners = tuple((self.table.head(a), self.table.head(b)) for a, b in said["partners"])
        update = self.update(said | {"sequential": False})
        return MetropolisHastings(update, partners, self.table.expressions[said["cost"]])

    def update(self, said: dict[str, Any]) -> Update:
        pairs = [(self.table.head(b), self.table.expressions[k]) for b, k in said["rule"]]
        return Update(self.step, pairs if said["sequential"] else dict(pairs), self.H)


def times(said: dict[str, Any]) -> Any:
    low, high = said["times"]
    return low if low == high else (low, high)
