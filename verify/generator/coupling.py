"""How D couples the blocks, and the diffusion of a single coordinate."""

from __future__ import annotations

from sympy import Expr

from recipe.declare.dynamics import Dynamics
from recipe.language.blocks import Block
from recipe.language.entry import Coupling, Entry, is_zero_entry, parts
from recipe.language.symbols import GENERIC, OTHER
from recipe.language.total import relabel

Diffusion = dict[tuple[Block, Block], Entry]
Group = tuple[Block, ...]


def connected(state: Group, diffusion: Diffusion) -> list[Group]:
    """The groups of blocks that entries of D connect; blocks without noise are in no group."""
    groups: list[Group] = []
    for block in state:
        touching = [g for g in groups if any(_touch(diffusion, block, other) for other in g)]
        merged = {b for g in touching for b in g} | {block}
        groups = [g for g in groups if g not in touching] + [tuple(b for b in state if b in merged)]
    return [g for g in groups if any(_touch(diffusion, a, b) for a in g for b in g)]


def _touch(diffusion: Diffusion, a: Block, b: Block) -> bool:
    return not (is_zero_entry(diffusion[a, b]) and is_zero_entry(diffusion[b, a]))


def own_diffusion(dynamics: Dynamics, block: Block) -> Expr:
    """``D_ii``, the diffusion of one coordinate of a block by itself."""
    entry = dynamics.diffusion[block, block]
    if isinstance(entry, Coupling):
        return entry.diagonal + relabel(entry.kernel, OTHER, GENERIC)
    return parts(entry)[0]
