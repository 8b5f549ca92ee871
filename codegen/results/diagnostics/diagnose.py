"""Diagnose draws: choose those that can be judged, judge them, and say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from codegen.results.diagnostics.convergence import MIN_DRAWS, convergence
from codegen.results.diagnostics.diagnosis import OF_CONVERGENCE, CoordinateDiagnostics, Diagnosis
from codegen.results.diagnostics.groups import NEVER_MOVED, Group
from codegen.results.diagnostics.judged_draws import (
    BlockOfDraws,
    blocks_of,
    finite_draws,
    run_of,
    usable,
)
from codegen.results.diagnostics.words import (
    Apart,
    apart_in,
    badly_mixed,
    disagrees,
    never_moved,
    rejected,
    sentences,
    stopped,
    too_few,
)
from codegen.running.memory_needed import require_room_to_diagnose


def diagnosis_of(posterior: Group) -> Diagnosis:
    """Diagnose the draws of a group: convergence and effective sample size of each coordinate, and
    warnings.

    A chain that stopped early is left out, as its last draws before the end are not to be trusted.

    Args:
        posterior: variables of numbers with the dimensions chain and draw.

    Raises:
        RecipeError: where a variable is not numbers by chain and draw.
    """
    blocks, run = blocks_of(posterior), run_of(posterior)
    require_room_to_diagnose(len(run.numbers), run.draws)
    finite = finite_draws(blocks, len(run.numbers), run.draws)
    positions, kept = usable(finite, run.draws)
    chains = tuple(run.numbers[p] for p in positions)
    rows: list[CoordinateDiagnostics] = []
    apart: list[Apart] = []
    alone: list[tuple[CoordinateDiagnostics, np.ndarray]] = []  # numbers that are blocks
    derived = str(run.attributes.get("derived", "")).split()
    stuck: dict[str, list[Any]] = {}
    if kept >= MIN_DRAWS:
        for block in blocks:
            values = block.chosen(positions, kept)
            of_block = _rows(block, values)
            rows += of_block
            if len(of_block) > 1:
                apart += apart_in(of_block, values, chains)
            elif any(map(disagrees, of_block)):
                alone.append((of_block[0], values))
            if block.name not in derived:
                stuck |= _stuck(block, values, chains)
        if alone:
            apart += apart_in(
                [row for row, _ in alone], np.concatenate([v for _, v in alone], axis=2), chains
            )
    divergences = tuple(
        filter(None, re.split(r"; (?=chain \d)", str(run.attributes.get("divergences", ""))))
    )
    diverged = bool(divergences) or bool((finite < run.draws).any())
    said = [
        *divergences,
        *stopped(run, finite, chains, kept),
        *sentences(run.attributes.get("warnings", "")),
    ]
    if not any(NEVER_MOVED in d for d in divergences):  # which say why nothing moved
        said += [*never_moved(stuck, len(chains)), *rejected(run)]
    if kept < MIN_DRAWS:
        said += too_few(kept, diverged)
    elif diverged:
        rows = [row.without_convergence() for row in rows]
    else:
        said += badly_mixed(rows, apart, len(chains), kept, run.attributes.get("narrow_place"))
    return Diagnosis(
        tuple(rows),
        run.attributes,
        len(run.numbers),
        run.draws,
        chains,
        kept,
        divergences,
        diverged,
        tuple(dict.fromkeys(said)),  # a sentence of a divergence is one of the run as well
    )


def diagnosed_draws(
    posterior: Group, found: Diagnosis, labels: Sequence[str]
) -> dict[str, np.ndarray]:
    """Return the draws behind the rows of some coordinates: for each label, in the order of
    ``labels``, an array of the shape (diagnosed chains, diagnosed draws).
    """
    wanted = set(labels)
    numbers = run_of(posterior).numbers
    positions = np.array([numbers.index(c) for c in found.diagnosed_chains])
    draws = {
        label: block.chosen(positions, found.diagnosed_draws)[:, :, k]
        for block in blocks_of(posterior)
        for k, label in enumerate(block.labels)
        if label in wanted
    }
    return {label: draws[label] for label in labels}


def _stuck(block: BlockOfDraws, values: np.ndarray, chains: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the coordinates that never moved, each with the chains in which it did not."""
    still = values.min(axis=1) == values.max(axis=1)
    return {
        block.labels[k]: [chains[c] for c in np.flatnonzero(still[:, k]).tolist()]
        for k in np.flatnonzero(still.any(axis=0))
    }


def _rows(block: BlockOfDraws, values: np.ndarray) -> list[CoordinateDiagnostics]:
    """Return the rows of a block."""
    found = convergence(values)
    columns = {name: np.array(getattr(found, name)) for name in CoordinateDiagnostics._fields[2:]}
    constant = values.min(axis=(0, 1)) == values.max(axis=(0, 1))
    for name in OF_CONVERGENCE:
        columns[name][constant] = np.nan  # a constant is not as many good draws as there are
    return [
        CoordinateDiagnostics(label, block.name, *numbers)
        for label, *numbers in zip(
            block.labels, *(column.tolist() for column in columns.values()), strict=True
        )
    ]
