"""The symmetric part of D, which is all that ``x^T D x`` depends on, and other ways to write it."""

from __future__ import annotations

from sympy import Expr, cos, expand_trig, sin

from recipe.declare.dynamics import Dynamics
from recipe.language.entry import Entry, combine, parts, transposed
from verify.generator.coupling import Diffusion, Group


def symmetrised(dynamics: Dynamics) -> Diffusion:
    """``(D + D^T) / 2``; entries that are written symmetrically are left as they are."""
    return {
        (a, b): _mean(entry, transposed(dynamics.diffusion[b, a]))
        for (a, b), entry in dynamics.diffusion.items()
    }


def _mean(here: Entry, there: Entry) -> Entry:
    return here if here == there else type(here)(*(p / 2 for p in parts(combine(here, there))))


def angles_apart(entry: Entry) -> Entry:
    """The entry with sines and cosines of sums and multiples of angles multiplied out."""
    return type(entry)(
        *(p.xreplace({a: expand_trig(a) for a in p.atoms(sin, cos)}) for p in parts(entry))
    )


def written_in(state: Group, diffusion: Diffusion) -> list[Expr]:
    """The blocks of the state, and all expressions in D that are not zero."""
    return [*state, *(p for entry in diffusion.values() for p in parts(entry) if p != 0)]


def names_of(group: Group) -> str:
    """The names of the blocks of a group, separated by commas."""
    return ", ".join(b.name for b in group)
