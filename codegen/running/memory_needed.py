"""The memory that a run needs: for its draws twice, as they are collected from the chains, and for
the states of its chains.
"""

from __future__ import annotations

from collections.abc import Iterable

from codegen.device.random import AHEAD
from codegen.generate import Module
from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions
from codegen.lowering.in_place import drawn_ahead
from codegen.system.memory import require_memory
from recipe.language.symbols import Block, Length, Scalar

FLOAT_BYTES = 8  # bytes
DRAW_COPIES = 2  # of the draws: the chains' own, and those that are returned
FLOATS_PER_KEPT_STEP = 3  # arrays of as many numbers as a chain has draws
CHAIN_OVERHEAD_BYTES = 6_000  # bytes of a chain beside its numbers, measured with 20,000 chains
BLOCK_COPIES = (
    4  # copies of a block in memory: first state, state, last state, and the state that is returned
)
FLOATS_PER_DIAGNOSED_DRAW = (
    17  # numbers for each draw of a coordinate while it is diagnosed, measured
)
REPAIR = "raise thin= or keep fewer blocks, keep=[...], or take fewer chains"


def require_room(module: Module, options: SamplingOptions, lengths: Lengths) -> None:
    """Refuse a run whose draws and states do not fit into memory; nothing of them is allocated yet.

    A length that is not known yet counts as 1.

    Raises:
        RecipeError: with what is needed and what there is.
    """
    kept = _coordinates(options.kept(module.plan.state), lengths)
    draws = options.chains * options.draws * (kept + len(module.plan.statistics)) * FLOAT_BYTES
    states = options.chains * (
        CHAIN_OVERHEAD_BYTES + _state_floats(module, options, lengths) * FLOAT_BYTES
    )
    require_memory(
        DRAW_COPIES * draws + FLOATS_PER_KEPT_STEP * options.draws * FLOAT_BYTES + states,
        f"{options.chains} chains with {kept} coordinates and {options.draws} draws a chain",
        REPAIR,
    )


def require_room_to_diagnose(chains: int, draws: int) -> None:
    """Refuse draws that fit into memory, but that could not be diagnosed there.

    Raises:
        RecipeError: with what is needed and what there is.
    """
    what = f"the numbers that diagnose {chains} chains with {draws} draws each"
    require_memory(
        FLOATS_PER_DIAGNOSED_DRAW * chains * draws * FLOAT_BYTES,
        what,
        "take fewer chains or more thinning",
    )


def _coordinates(blocks: Iterable[Block], lengths: Lengths) -> int:
    return sum(1 if isinstance(b, Scalar) else lengths.known(b.length) or 1 for b in blocks)


def _state_floats(module: Module, options: SamplingOptions, lengths: Lengths) -> int:
    """Return the number of floats in the state of a chain, with its scratch."""
    plan = module.plan
    scratch = (
        (lengths.known(n) if isinstance(n, Length) else n) or 1 for n in plan.scratch.values()
    )
    ahead = len(drawn_ahead(plan)) * AHEAD
    return (
        BLOCK_COPIES * _coordinates(plan.state, lengths)
        + sum(scratch)
        + ahead
        + _minibatch_floats(options)
    )


def _minibatch_floats(options: SamplingOptions) -> int:
    """Return the number of row numbers in a minibatch and in the table that keeps them distinct."""
    return options.rows + (0 if options.replace else 2 << options.rows.bit_length())
