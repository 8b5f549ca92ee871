"""The memory that a run needs: for its draws twice, as they are collected from the chains, and for
the states of its chains.
"""

from __future__ import annotations

from collections.abc import Iterable

from codegen.device.random import AHEAD
from codegen.inputs.lengths import Lengths
from codegen.inputs.options import SamplingOptions
from codegen.lowering.in_place import drawn_ahead
from codegen.module import Module
from codegen.system.memory import require_memory
from recipe.language.blocks import Block, Scalar
from recipe.language.symbols import Length

FLOAT_BYTES = 8
DRAW_COPIES = 2  # copies of all draws: in the chains, and in the result
FLOATS_PER_KEPT_STEP = 3  # floats for each draw of a chain, beside the draw
CHAIN_OVERHEAD_BYTES = 6_000  # bytes of a chain beside its floats, measured with 20,000 chains
# copies of a block: the first state, the state, the last state, and the state that is returned
BLOCK_COPIES = 4
# Floats for each draw of a coordinate while it is diagnosed: 13.2 measured with 40,000 draws.
FLOATS_PER_DIAGNOSED_DRAW = 14
REPAIR = "raise thin= or keep fewer blocks, keep=[...], or take fewer chains"


def require_room(
    module: Module, options: SamplingOptions, lengths: Lengths, data_rows: int = 0
) -> None:
    """Refuse a run whose draws and states do not fit into memory, before they are allocated.

    Args:
        module: the generated module.
        options: the options of the run.
        lengths: the lengths of the blocks; a length that is not known yet counts as 1.
        data_rows: the rows of the data, of which SAGA remembers each.

    Raises:
        RecipeError: with the bytes that are needed and those that are free.
    """
    kept = _coordinates(options.kept(module), lengths)
    draws = options.chains * options.draws * (kept + len(module.plan.statistics)) * FLOAT_BYTES
    floats = _state_floats(module, options, lengths) + data_rows * _row_floats(module, lengths)
    states = options.chains * (CHAIN_OVERHEAD_BYTES + floats * FLOAT_BYTES)
    require_memory(
        DRAW_COPIES * draws + FLOATS_PER_KEPT_STEP * options.draws * FLOAT_BYTES + states,
        f"{options.chains} chains with {kept} coordinates and {options.draws} draws a chain",
        f"{REPAIR}, or svrg= in the place of saga=" if options.saga else REPAIR,
    )


def require_room_to_diagnose(chains: int, draws: int) -> None:
    """Refuse draws that fit into memory, but whose diagnosis would not.

    Args:
        chains: the number of chains.
        draws: the number of draws of each chain.

    Raises:
        RecipeError: with the bytes that are needed and those that are free.
    """
    what = f"the numbers that diagnose {chains} chains with {draws} draws each"
    require_memory(
        FLOATS_PER_DIAGNOSED_DRAW * chains * draws * FLOAT_BYTES,
        what,
        "take fewer chains or more thinning",
    )


def _coordinates(blocks: Iterable[Block], lengths: Lengths) -> int:
    """Return the number of coordinates of all these blocks."""
    return sum(1 if isinstance(b, Scalar) else lengths.known(b.length) or 1 for b in blocks)


def _state_floats(module: Module, options: SamplingOptions, lengths: Lengths) -> int:
    """Return the number of floats in the state of a chain, with its scratch."""
    plan = module.plan
    sizes = [*plan.scratch.values()]
    sizes += [n for e in module.estimators.values() for n in e.scratch.values()]
    scratch = ((lengths.known(n) if isinstance(n, Length) else n) or 1 for n in sizes)
    ahead = len(drawn_ahead(plan)) * AHEAD
    return (
        BLOCK_COPIES * _coordinates(plan.state, lengths)
        + sum(scratch)
        + ahead
        + _minibatch_floats(options)
    )


def _row_floats(module: Module, lengths: Lengths) -> int:
    """Return the number of floats that SAGA remembers of a row."""
    tables = [n for e in module.estimators.values() for n in e.tables.values()]
    return sum((lengths.known(n) if isinstance(n, Length) else 1) or 1 for n in tables)


def _minibatch_floats(options: SamplingOptions) -> int:
    """Return the number of row numbers in a minibatch and in the table that keeps them distinct."""
    return options.rows + (0 if options.replace else 2 << options.rows.bit_length())
