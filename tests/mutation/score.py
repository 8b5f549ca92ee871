"""Counting: who killed what, and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from mutation.mutant import GROUPS, Fate, Judgement, Mutant

COLUMNS = (
    Fate.PROOF,
    Fate.TRANSLATION,
    Fate.STATISTICS,
    Fate.EQUIVALENT,
    Fate.STATIONARY,
    Fate.SURVIVOR,
)


@dataclass(frozen=True)
class Result:
    """One mutant and all that was found; ``undecided`` says what proofs left open, where another
    judge came after.
    """

    group: str
    of: str
    operator: str
    name: str
    fate: str
    why: str
    undecided: str | None
    seconds: float

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def result_of(mutant: Mutant, judgement: Judgement, seconds: float) -> Result:
    """The result of the last judge; what nobody decides survives."""
    fate = Fate.SURVIVOR if judgement.fate is Fate.UNDECIDED else judgement.fate
    why, left_open = judgement.why, judgement.left_open
    return Result(
        mutant.group,
        mutant.of,
        mutant.operator,
        mutant.name,
        fate.value,
        why,
        left_open,
        round(seconds, 2),
    )


def after_a_proof(proof: Judgement, judgement: Judgement) -> Judgement:
    """What another judge says of a mutant that a proof left undecided."""
    why = judgement.why if judgement.fate is not Fate.UNDECIDED else f"{proof.why}; {judgement.why}"
    return Judgement(judgement.fate, why, proof.why)


def table(results: Iterable[Result], by_operator: bool = False) -> list[dict[str, Any]]:
    """A row a group (or a kind of change in it) and one for all: how many, and how many of each
    fate.
    """
    listed = list(results)
    rows = []
    for group in GROUPS:
        of_group = [r for r in listed if r.group == group]
        kinds = sorted({r.operator for r in of_group}) if by_operator else []
        rows += [
            _row(f"{group}: {kind}", [r for r in of_group if r.operator == kind]) for kind in kinds
        ]
        rows += [_row(group, of_group)] if of_group else []
    return [*rows, _row("all", listed)]


def _row(name: str, results: list[Result]) -> dict[str, Any]:
    count = Counter(r.fate for r in results)
    left_open = sum(r.undecided is not None for r in results)
    fates = {f.value.split()[-1]: count[f.value] for f in COLUMNS}
    return {"mutants": name, "number": len(results), **fates, "undecided": left_open}


REDRAWN = (
    "harmless: the momentum is redrawn in full before anything reads its sign: positions are right"
)
EXPLAINED = {  # survivors, and why they are
    "mirror_sghmc: D[r, r] moved to theta": (
        "which law a reflected noise keeps that turns the momentum is an open question here"
    ),
    "mirror_sghmc, semi-implicit: theta (assignment 2 of 2) twice": (
        "harmless: what is folded already stays as it is"
    ),
    "hmc_kernel: part 2: no flip on rejection": REDRAWN,
    "hmc_kernel: part 2: nothing flips": REDRAWN,
}


def survivors(results: Iterable[Result]) -> list[Result]:
    """Those that nobody killed and nobody proved to be equivalent."""
    return [r for r in results if r.fate == Fate.SURVIVOR.value]


def unexplained(results: Iterable[Result]) -> list[Result]:
    """The survivors that nothing is known of."""
    return [r for r in survivors(results) if r.name not in EXPLAINED]
