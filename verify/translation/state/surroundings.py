"""The surroundings of the statements that are read."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from verify.translation.state.values import Array, Chunk


@dataclass
class Surroundings:
    """The loops, calls and branches around the statements, and why the statements are read.

    Attributes:
        call_depth: the number of calls.
        loop_labels: the labels of the loops.
        counter_range: the first counter of random numbers in the loop, and the end of its range, as
            text.
        current_chunks: the chunks of the loops.
        in_loop_of_eights: True in a loop that takes eight coordinates at a time.
        has_few_branch: True while statements are read that run only for eight coordinates and more.
        pair_part: in a loop over pairs, the part of the coordinates (``Place.part``).
        restoring: True while a saved state is restored, which was checked when it was new.
        finding_writes: True while the body of a loop is read only to find the arrays that it
            writes.
        writes_only_out: True in ``step``, which may write into ``out`` only.
        grown: for each loop that was read, the arrays that grow in it: a loop inside of others is
            read again with each of them.
    """

    call_depth: int = 0
    loop_labels: list[int] = field(default_factory=list)
    counter_range: str = ""
    current_chunks: set[Chunk] = field(default_factory=set)
    in_loop_of_eights: bool = False
    has_few_branch: bool = False
    pair_part: str = ""
    restoring: bool = False
    finding_writes: bool = False
    writes_only_out: bool = False
    grown: dict[ast.AST, list[Array]] = field(default_factory=dict)
