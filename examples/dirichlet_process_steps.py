"""Step sizes of SCIR and SGRLD for examples/dirichlet_process_page.py, by the score of users to
validate after short runs.

python examples/dirichlet_process_page.py --run OUT --search   # some minutes; runs are kept in OUT

A grid and not a search in one dimension: sticks and components have a step size each. Users to
validate are a tenth of those of the training file, drawn once; the users of the test are not seen.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from dirichlet_process import run
from dirichlet_process_sweep import Settings
from page_tables import markdown
from scipy.sparse import csr_matrix

from codegen.system.progress_bar import progress_bar
from recipe import RecipeError

VALIDATED, SWEEPS, SEED, BATCH = 0.1, 200, 7, 1000
GRID: dict[str, tuple[Sequence[float], Sequence[float]]] = {  # of sticks, of components
    "SCIR": ((0.01, 0.1, 1.0, 10.0), (0.03, 0.1, 0.3, 1.0)),
    "SGRLD": ((5e-6, 5e-5, 5e-4), (1e-3, 3e-3, 1e-2, 3e-2)),
}


def searched(users: csr_matrix, out: Path) -> list[dict[str, Any]]:
    """Carry out the runs of the grid that are not in the folder, and return the results of all.

    Args:
        users: the pages of each user of the training file.
        out: the folder.

    Returns:
        A dict for each point: its sampler, both step sizes, and the score of users to validate,
        None where the sampler left its domain.
    """
    order = np.random.default_rng(SEED).permutation(users.shape[0])
    cut = round(VALIDATED * users.shape[0])
    fitted, validated = users[order[cut:]], users[order[:cut]]
    found = []
    for sampler, grid in GRID.items():
        for stick, row in product(*grid):
            head = {"sampler": sampler, "stick_step": stick, "row_step": row, "sweeps": SWEEPS}
            path = out / f"search-{sampler}-{stick:g}-{row:g}.json"
            kept = json.loads(path.read_text()) if path.is_file() else {}
            if head != {k: kept.get(k) for k in head}:
                settings = Settings(sampler, BATCH, stick, row)
                with progress_bar(f"{sampler}, steps {stick:g} and {row:g}", SWEEPS) as show:
                    kept = {**head, "score": _score(fitted, validated, settings, show)}
                path.write_text(json.dumps(kept))
            found.append(kept)
    return found


def _score(fitted: csr_matrix, validated: csr_matrix, settings: Settings, show: Any) -> Any:
    """Averaged over draws; None where the sampler left its domain."""
    try:
        return run(fitted, validated, settings, sweeps=SWEEPS, seed=SEED, show=show).averaged
    except RecipeError:
        return None


def best(found: Sequence[dict[str, Any]], sampler: str) -> tuple[float, float]:
    """The step sizes of sticks and of components with the least score."""
    mine = [f for f in found if f["sampler"] == sampler and f["score"] is not None]
    least = min(mine, key=lambda f: float(f["score"]))
    return least["stick_step"], least["row_step"]


def search_table(found: Sequence[dict[str, Any]]) -> str:
    """A row a sampler and step of sticks, a column a step of components."""
    rows: list[list[str]] = []
    columns = sorted({f["row_step"] for f in found})
    for sampler, stick in dict.fromkeys((f["sampler"], f["stick_step"]) for f in found):
        score = {f["row_step"]: f["score"] for f in found
                 if (f["sampler"], f["stick_step"]) == (sampler, stick)}  # fmt: skip
        cells = [
            _cell(score, column, (stick, column) == best(found, sampler)) for column in columns
        ]
        rows.append([sampler, f"{stick:g}", *cells])
    return markdown(["sampler", "step of sticks", *(f"{c:g}" for c in columns)], rows)


def _cell(score: dict[float, float | None], column: float, least: bool) -> str:
    if column not in score:
        return ""
    value = score[column]
    text = "left" if value is None else f"{value:.3f}"
    return f"**{text}**" if least else text
