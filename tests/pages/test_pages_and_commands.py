"""Pages and the commands that make them: a page names its command, and every row that the command
prints, in its quick form or with part of its settings, is a row of the page.

Draws are the same bits on every processor (docs/determinism.md), so that rows are compared as text,
but where the gradient is the caller's own by BLAS, whose last bits differ between processors. A
page that is not made again after the draws have changed fails here.
"""

import math
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Page:
    """A page, the script that it names, and arguments with which the script prints some of the rows
    of the page, ``rows`` of them at least. Numbers may be off by the share ``off``, or by 0.01. The
    script needs the folder ``data`` of RECIPE_DATA.
    """

    page: str
    script: str
    arguments: tuple[str, ...]
    rows: int
    off: float = 0.0
    data: str = ""


QUICK = ("--quick",)
DATA = Path(os.environ.get("RECIPE_DATA", ROOT.parent / "shared" / "data"))
PAGES = (
    Page("docs/simplex.md", "examples/simplex_ess.py", QUICK, 4),
    Page("docs/exact.md", "examples/exact_minibatches.py", QUICK, 3),
    Page("docs/sampling.md", "examples/annealing.py", (), 5),
    Page("docs/sampling.md", "examples/fisher_scoring.py", (), 3),
    Page("docs/sampling.md", "examples/full_fisher_scoring.py", (), 3),
    Page("docs/sampling.md", "examples/gradient_variance.py", QUICK, 6),
    Page("docs/schemes.md", "benchmarks/recipe_figure_2_chain.py", QUICK, 5),
    Page("docs/schemes.md", "benchmarks/recipe_figure_2.py", ("--samplers", "gSGRHMC"), 3),
    Page("docs/constrained.md", "examples/transform_table.py", (), 9),
    Page("docs/constrained.md", "examples/course_figures.py", QUICK, 2),
    Page("docs/constrained.md", "examples/course_figures.py", ("--figures", "4"), 5, data="a9a"),
    Page("docs/constrained.md", "examples/first_phase.py", (), 6),
    Page("docs/constrained.md", "examples/scir_figures.py", ("--batches", "10"), 2),
    Page(
        "docs/constrained.md", "examples/transform_figures.py", ("--laws", "1", "--sizes", "1"), 2
    ),
    Page("docs/models/nonnegative_factors.md", "examples/models/nonnegative_factors.py", QUICK, 10),
    Page("docs/models/binary_network.md", "examples/models/binary_network.py", QUICK, 4, 0.25),
)
by_script = pytest.mark.parametrize(
    "made", PAGES, ids=lambda p: "-".join([Path(p.script).stem, *p.arguments])
)


def rows_of(text: str) -> list[str]:
    """The rows of all tables, without heads and rulers, blanks not counted."""
    lines = [re.sub(r"\s+", " ", line.strip()) for line in text.splitlines()]
    table = [n for n, line in enumerate(lines) if line.startswith("|")]
    rulers = {n for n in table if set(lines[n]) <= set("|-: ")}
    heads = {n - 1 for n in rulers}
    return [lines[n] for n in table if n not in rulers | heads]


def same(row: str, printed: str, off: float) -> bool:
    """Equal as text, or, with ``off``, equal but for numbers that are close."""
    if not off:
        return row == printed
    number = r"\d+\.\d+"
    if re.sub(number, "#", row) != re.sub(number, "#", printed):
        return False
    pairs = zip(re.findall(number, row), re.findall(number, printed), strict=True)
    return all(math.isclose(float(x), float(y), rel_tol=off, abs_tol=0.01) for x, y in pairs)


@by_script
def test_a_page_names_its_command(made):
    text = (ROOT / made.page).read_text(encoding="utf-8")
    assert re.search(rf"python {re.escape(made.script)}\b", text)
    assert (ROOT / made.script).is_file()


def test_rows_are_found_without_heads():
    assert rows_of("text\n| a | b |\n| --- | --- |\n| 1  |  2 |\n") == ["| 1 | 2 |"]


def test_rows_are_the_same_as_text_or_in_their_numbers():
    assert same("| a | 0.40 |", "| a | 0.40 |", 0)
    assert not same("| a | 0.40 |", "| a | 0.41 |", 0)
    assert same("| a | 0.40 |", "| a | 0.45 |", 0.25)
    assert not same("| a | 0.40 |", "| a | 0.60 |", 0.25)
    assert not same("| a | 0.40 |", "| b | 0.40 |", 0.25)


@pytest.mark.slow
@by_script
def test_the_page_has_the_rows_that_the_command_prints(made):
    if made.data and not (DATA / made.data).is_dir():
        pytest.skip(f"no folder {DATA / made.data}; RECIPE_DATA says where data are")
    done = subprocess.run(
        [sys.executable, made.script, *made.arguments],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    printed = rows_of(done.stdout)
    page = rows_of((ROOT / made.page).read_text(encoding="utf-8"))
    assert len(printed) >= made.rows
    assert not [row for row in printed if not any(same(of, row, made.off) for of in page)]
