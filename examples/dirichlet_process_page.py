"""The Dirichlet process mixture of examples/models/dirichlet_process.py on the users of msweb, and
the page docs/models/dirichlet_process.md.

python examples/dirichlet_process_page.py --run OUT   # 12 minutes; a stopped one goes on
python examples/dirichlet_process_page.py --run OUT --search   # with the search for step sizes
python examples/dirichlet_process_page.py             # the page, from docs/models's results

The two files of ``msweb`` (UCI, Anonymous Microsoft Web Data; Breese, Heckerman & Kadie 1998;
CC BY 4.0) are looked for below the folder that the environment variable RECIPE_DATA names.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from math import exp
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from experiment_command import BadDataError
from matplotlib.figure import Figure
from page_tables import markdown, page
from scipy.sparse import csr_matrix

from codegen.system.progress_bar import progress_bar
from recipe import RecipeError

sys.path.insert(0, str(Path(__file__).parent / "models"))
from dirichlet_process import one_law, run
from dirichlet_process_steps import search_table, searched
from dirichlet_process_sweep import Settings

PAGE = Path(__file__).resolve().parents[1] / "docs" / "models" / "dirichlet_process.md"
RESULTS, PICTURE = PAGE.with_suffix(".json"), PAGE.with_suffix(".png")
FILES = ("anonymous-msweb.data.gz", "anonymous-msweb.test.gz")
RELEASED = "released sticks"
RUNS: dict[str, tuple[Settings, int]] = {
    "exact slice Gibbs": (Settings("Gibbs"), 300),
    "SCIR": (Settings("SCIR", 1000, 0.1, 0.1), 1000),
    "SCIR, steps of the search": (Settings("SCIR", 1000, 10.0, 0.3), 1000),
    "SGRLD": (Settings("SGRLD", 1000, 5e-5, 1e-3), 1000),
    "SGRLD, steps of the search": (Settings("SGRLD", 1000, 5e-5, 3e-3), 1000),
    "SGRLD, released step of sticks": (Settings("SGRLD", 1000, 5e-3, 1e-3), 1000),
    "SGRLD, released step, a = 0.001": (Settings("SGRLD", 1000, 5e-3, 1e-3, a=0.001), 1000),
    "SGRLD, released update of sticks": (
        Settings("SGRLD", 1000, 5e-3, 1e-3, sticks=RELEASED),
        1000,
    ),
    "SGRLD, released update, a = 0.001": (
        Settings("SGRLD", 1000, 5e-3, 1e-3, a=0.001, sticks=RELEASED),
        1000,
    ),
}
SEEDS = 5


def read_users(path: Path) -> csr_matrix:
    """The pages of each user of a DST file: lines ``A`` list the pages, lines ``C`` begin a user,
    and lines ``V`` name a page of this user. Columns are in the order of the numbers of pages.

    Raises:
        BadDataError: one sentence that names the file and the line, where there is no such file,
            for a user without a page, and for a page that is not listed.
    """
    if not path.is_file():
        raise BadDataError(
            f"the msweb data are not here: {path} does not exist; set RECIPE_DATA to the folder"
            f" that holds msweb/{path.name}"
        )
    listed: set[str] = set()
    starts: list[int] = [0]
    pages: list[int] = []
    begun, name = 0, ""  # the line of the user, and what it is called
    with gzip.open(path, "rt", encoding="latin-1") as lines:
        for number, line in enumerate(lines, 1):
            kind, *rest = line.strip().split(",")
            if kind == "A" and rest:
                listed.add(rest[0])
            elif kind == "C":
                _end_user(path, begun, name, starts, pages)
                begun, name = number, rest[-1] if rest else ""
            elif kind == "V":
                if not begun or not rest or rest[0] not in listed:
                    raise BadDataError(
                        f"{path}, line {number}: a line V names a page that a line A lists, behind"
                        " the line C of a user"
                    )
                pages.append(int(rest[0]))
    _end_user(path, begun, name, starts, pages)
    if not pages:
        raise BadDataError(f"{path} has no user: it has no line that begins with C")
    order = np.array(sorted(map(int, listed)))
    columns = np.searchsorted(order, pages)
    return csr_matrix((np.ones(len(pages), int), columns, starts), (len(starts) - 1, len(order)))


def _end_user(path: Path, begun: int, name: str, starts: list[int], pages: list[int]) -> None:
    if begun and len(pages) == starts[-1]:
        raise BadDataError(
            f"{path}, line {begun}: the user {name} has no page; leave such users out"
        )
    if begun:
        starts.append(len(pages))


def carry_out(out: Path, search: bool) -> dict[str, Any]:
    """Carry out the runs that are not in the folder, and return the results of all.

    Args:
        out: the folder.
        search: whether step sizes are searched for as well; otherwise what an earlier search found
            stays.

    Raises:
        BadDataError: for data that are missing or impossible.
    """
    folder = os.environ.get("RECIPE_DATA")
    if folder is None:
        raise BadDataError("set RECIPE_DATA to the folder that holds msweb/")
    train, test = (read_users(Path(folder) / "msweb" / name) for name in FILES)
    out.mkdir(parents=True, exist_ok=True)
    found: dict[str, Any] = {
        "one law": one_law(train, test),
        "users": [train.shape[0], test.shape[0]],
        "votes": [int(train.sum()), int(test.sum())],
        "search": [],
        "runs": [],
    }
    if search:
        found["search"] = searched(train, out)
    elif RESULTS.is_file():
        found["search"] = json.loads(RESULTS.read_text()).get("search", [])
    for seed in range(SEEDS):
        for name, (settings, sweeps) in RUNS.items():
            path = out / f"{re.sub('[^a-zA-Z0-9.]+', '-', name)}-{seed}.json"
            half = path.with_suffix(".npz")
            head = {"name": name, "seed": seed, "sweeps": sweeps, "settings": asdict(settings)}
            kept = json.loads(path.read_text()) if path.is_file() else {}
            if json.loads(json.dumps(head)) != {k: kept.get(k) for k in head}:
                began = time.process_time()
                with progress_bar(f"{name}, seed {seed}", sweeps) as show:
                    course = run(
                        train, test, settings, sweeps=sweeps, seed=seed, show=show, checkpoint=half
                    )
                kept = {**head, **asdict(course), "seconds": time.process_time() - began}
                path.write_text(json.dumps(kept))
                half.unlink(missing_ok=True)
            single = [round(x, 4) for x in kept["single"]]
            found["runs"].append({**kept, "single": single})
    return found


def tables(data: dict[str, Any]) -> dict[str, str]:
    """The tables of the page, by the names of their markers."""
    return {"scores": table(data), "steps": search_table(data["search"])}


def table(data: dict[str, Any]) -> str:
    """The scores of each sampler at the end, as means over seeds."""
    one = data["one law"]
    first = ["one multinomial", "", "", f"{one:.3f}", "", f"{perplexity(data, one):.1f}"]
    rows = [[*first, "1", "", ""]]
    for name, (settings, sweeps) in RUNS.items():
        mine = [r for r in data["runs"] if r["name"] == name]
        if not mine:
            continue
        batch = settings.batch or data["users"][0]
        tenth = [r["single"][len(r["steps"]) // 10 - 1] for r in mine]
        rows.append(
            [
                name,
                f"{sweeps} of {batch:,}",
                spread(r["averaged"] for r in mine),
                spread(r["single"][-1] for r in mine),
                spread(tenth),
                f"{perplexity(data, mean(r['averaged'] for r in mine)):.1f}",
                spread((r["used"][-1] for r in mine), 0),
                f"{mean(r['seconds'] for r in mine):.0f}",
                str(len(mine)),
            ]
        )
    head = ["sampler", "sweeps, users in each", "score, averaged over draws", "of the last draw"]
    head += ["after a tenth of the run", "perplexity of a page", "components", "seconds", "seeds"]
    return markdown(head, rows)


def perplexity(data: dict[str, Any], score: float) -> float:
    """Of one page of a held-out user."""
    return exp(score * data["users"][1] / data["votes"][1])


def spread(values: Iterable[float], digits: int = 3) -> str:
    """The mean of some numbers, and half of their range behind it."""
    listed = list(values)
    half = (max(listed) - min(listed)) / 2
    return f"{mean(listed):.{digits}f}" + (f" (± {half:.{digits}f})" if len(listed) > 1 else "")


def drawn(data: dict[str, Any]) -> Figure:
    """Figure 3b: the score of single states, and components with users, against sweeps."""
    figure = Figure(figsize=(9, 3.6), layout="constrained")
    axes = figure.subplots(1, 2)
    for n, name in enumerate(RUNS):
        for r in (r for r in data["runs"] if r["name"] == name):
            label, line = name if r["seed"] == 0 else None, {"color": f"C{n}", "lw": 0.8}
            axes[0].plot(r["steps"], r["single"], label=label, **line)
            axes[1].plot(r["steps"], r["used"], **line)
    axes[0].axhline(data["one law"], color="0.6", lw=0.8, ls="--")
    axes[0].set(xlabel="sweep", ylabel="score of a held-out user", ylim=(11.3, 12.4))
    axes[1].set(xlabel="sweep", ylabel="components with users", yscale="log")
    axes[0].legend(fontsize=7)
    return figure


def main() -> int:
    """Run, and write the page; 1 where data are missing or impossible, 130 if stopped."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, metavar="OUT", help="carry out the runs, kept in OUT")
    parser.add_argument("--search", action="store_true", help="search for step sizes as well")
    given = parser.parse_args()
    out = given.run
    if given.search and out is None:
        parser.error("--search needs --run OUT")
    try:
        if out is not None:
            RESULTS.write_text(json.dumps(carry_out(out, given.search)) + "\n")
    except (BadDataError, RecipeError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"stopped; runs that were done are in {out}", file=sys.stderr)
        return 130
    data = json.loads(RESULTS.read_text())
    drawn(data).savefig(PICTURE, dpi=110)
    PAGE.write_text(page(PAGE.read_text(), tables(data)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
