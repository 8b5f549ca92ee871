"""The mutation score: small changes of every sampler of the catalog, and who notices them.

    python tests/mutation_score.py                        # all: some 10 minutes of one core
    python tests/mutation_score.py --results score.jsonl  # goes on where it was stopped
    python tests/mutation_score.py --of sghmc --show      # one sampler, mutant by mutant
    python tests/mutation_score.py --group source --every 10   # a tenth of the changed texts
    python tests/mutation_score.py --json                 # the table and the survivors as JSON

Exit status: 0 if nothing survives but what is listed with its reason, 1 if something does, 2 for
bad input.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

# Python looks for modules beside this script first, where `recipe` is a folder of tests.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import typer
from mutation.forked import each
from mutation.mutant import GROUPS, Fate, Judgement, Mutant
from mutation.originals import Judge, Original, originals
from mutation.score import (
    EXPLAINED,
    Result,
    after_a_proof,
    result_of,
    survivors,
    table,
    unexplained,
)
from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from recipe import DecimalWarning

PROGRESS = Console(stderr=True)


def judged(
    chosen: list[Original], every: int, jobs: int, limit: float, known: dict[str, Result]
) -> Iterator[Result]:
    """The results of every so many mutants of these originals, known ones as they are."""
    for original in chosen:
        mutants = list(islice(original.mutants(), 0, None, every))
        fresh = [m for m in mutants if m.name not in known]
        yield from (known[m.name] for m in mutants if m.name in known)
        if fresh:
            yield from _fresh(original, fresh, jobs, limit)


def _fresh(original: Original, mutants: list[Mutant], jobs: int, limit: float) -> Iterator[Result]:
    PROGRESS.print(f"{original.group}: {original.name}, {len(mutants)} mutants", highlight=False)
    left = []
    for mutant, judgement, seconds in each(
        partial(_judge, original.judge()), mutants, jobs, limit, _open
    ):
        if judgement.fate is Fate.UNDECIDED and original.then is not None:
            left.append((mutant, judgement, seconds))
        else:
            yield result_of(mutant, judgement, seconds)
    before = {mutant.name: (judgement, seconds) for mutant, judgement, seconds in left}
    if original.then is not None:
        for mutant, judgement, seconds in each(
            partial(_judge, original.then), [m for m, _, _ in left], jobs, limit, _open
        ):
            proof, spent = before[mutant.name]
            yield result_of(mutant, after_a_proof(proof, judgement), spent + seconds)


def _open(why: str) -> Judgement:
    return Judgement(Fate.UNDECIDED, why)


def _judge(judge: Judge, mutant: Mutant) -> Judgement:
    return judge(mutant)


def read_results(path: Path | None) -> dict[str, Result]:
    """What was found before, by name; a last line that is cut off is left out."""
    found: dict[str, Result] = {}
    for line in path.read_text().splitlines() if path is not None and path.exists() else ():
        try:
            result = Result(**json.loads(line))
        except (ValueError, TypeError):
            continue
        found[result.name] = result
    return found


def _chosen(group: str | None, of: str) -> list[Original]:
    if group is not None and group not in GROUPS:
        raise typer.BadParameter(f"there is no group {group!r}; the groups are {', '.join(GROUPS)}")
    found = [o for o in originals() if group in (None, o.group) and o.name.startswith(of)]
    if not found:
        raise typer.BadParameter(f"nothing that is mutated is called {of!r}")
    return found


def main(
    group: Annotated[str | None, typer.Option(help=f"Only one of: {', '.join(GROUPS)}.")] = None,
    of: Annotated[str, typer.Option(help="Only what is called so, or begins so.")] = "",
    every: Annotated[int, typer.Option(min=1, help="Every so many mutants of each original.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, help="How many at once.")] = 2,
    limit: Annotated[
        float, typer.Option(min=1, help="Seconds for one mutant; then it is undecided.")
    ] = 60,
    results: Annotated[
        Path | None, typer.Option(help="A file of results: what is in it is not judged again.")
    ] = None,
    show: Annotated[
        bool, typer.Option("--show", help="Every mutant with its fate and the reason.")
    ] = False,
    operators: Annotated[
        bool, typer.Option("--operators", help="A row for each kind of change.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="The table and every result as JSON.")
    ] = False,
) -> None:
    """Mutate samplers, judge the mutants by proofs, translation validation and statistics, and
    count who was killed by what.
    """
    warnings.simplefilter("ignore", DecimalWarning)
    known, found = read_results(results), []
    try:
        for result in judged(_chosen(group, of), every, jobs, limit, known):
            found.append(result)
            if results is not None and result.name not in known:
                with results.open("a") as file:
                    print(json.dumps(result.as_json()), file=file)
            if show:
                PROGRESS.print(
                    f"  {result.fate:22} {result.seconds:6.1f} s  {result.name}: {result.why}",
                    highlight=False,
                    markup=False,
                )
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    print_score(found, operators, as_json)
    raise typer.Exit(1 if unexplained(found) else 0)


def print_score(found: list[Result], operators: bool, as_json: bool) -> None:
    """The table, and every survivor with the reason."""
    rows = table(found, operators)
    if as_json:
        print(json.dumps({"table": rows, "results": [r.as_json() for r in found]}, indent=1))
        return
    console = Console(width=max(100, Console().width))
    shown = Table(
        *rows[0],
        box=SIMPLE,
        caption="proof, translation, statistics: killed by these; undecided: left open by proofs",
    )
    for row in rows:
        shown.add_row(*map(str, row.values()))
    console.print(shown)
    for r in survivors(found):
        said = EXPLAINED.get(r.name, r.why)
        console.print(f"survives: {r.name}: {said}", highlight=False, markup=False, soft_wrap=True)


app: Any = typer.Typer(add_completion=False)
app.command(help=__doc__)(main)

if __name__ == "__main__":
    app()
