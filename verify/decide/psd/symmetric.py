"""What ``x^T D x`` sees of D: its symmetric part, one group of connected blocks at a time."""

from __future__ import annotations

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.entry import Entry, combine, parts, transposed
from verify.generator.coupling import Diffusion, Group


def symmetrised(dynamics: Dynamics) -> Diffusion:
    """``(D + D^T) / 2``; entries that are symmetric as they are written stay as they are."""
    return {
        (a, b): _mean(entry, transposed(dynamics.diffusion[b, a]))
        for (a, b), entry in dynamics.diffusion.items()
    }


def _mean(here: Entry, there: Entry) -> Entry:
    return here if here == there else type(here)(*(p / 2 for p in parts(combine(here, there))))


def written_in(state: Group, diffusion: Diffusion) -> list[Expr]:
    """The blocks, and what is written in D."""
    return [*state, *(p for entry in diffusion.values() for p in parts(entry) if p != 0)]


def names_of(group: Group) -> str:
    """The blocks of a group in words."""
    return ", ".join(b.name for b in group)
