"""Certificates of the catalog: their size, and how long the independent checker takes.

python benchmarks/certificate_time.py
"""

import json
import statistics
import time

from rich.console import Console
from rich.table import Table

from recipe_cli.declarations.of_catalog import catalog_entries
from verify import Verdict, verify
from verify.certificate import canonical, certificate_of
from verify.checker import check

REPEATS = 5


def main() -> None:
    """Print one line a proved entry."""
    table = Table("", "bytes", "milliseconds", "result", title="recipe check")
    for entry in catalog_entries():
        report = verify(entry.declared)
        if report.verdict is not Verdict.PROVED:
            continue
        text = canonical(certificate_of(entry.declared, report))
        seconds = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            result = check(json.loads(text))
            seconds.append(time.perf_counter() - began)
        table.add_row(
            entry.name, str(len(text)), f"{1000 * statistics.median(seconds):.0f}", result.sentence
        )
    Console().print(table)


if __name__ == "__main__":
    main()
