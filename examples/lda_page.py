"""The page docs/models/lda.md and its picture, from the results of examples/lda_experiment.py.

python examples/lda_page.py             # writes the page from docs/models/lda.json
python examples/lda_page.py --from OUT  # takes the results of OUT into docs/models/lda.json first
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lda_pictures import picture

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "models"
TITLES = {
    "online": "Documents in minibatches (Fig. 2b of Patterson & Teh, Fig. 3 of Ma et al.)",
    "released": "The two samplers with the priors of the released code (Fig. 3a of Baker et al.)",
    "batch": "All documents in each step (Fig. 2a of Patterson & Teh)",
}
ORDER = ("SCIR", "SGRLD", "SGRHMC", "SGLD", "SGHMC", "HSVG", "OVB", "CGS")
Result = dict[str, Any]


def page(data: dict[str, Any]) -> str:
    """Return the text of the page."""
    lines = [*data["head"], ""]
    for experiment, title in TITLES.items():
        found = [r for r in data["results"] if r["experiment"] == experiment]
        if found:
            lines += [f"## {title}", "", *data["said"].get(experiment, []), ""]
            lines += [*table(found), ""]
    lines += ["## Speed", "", *data["said"]["speed"], "", *speed_table(data["speed"]), ""]
    lines += ["## Growth", "", *data["said"]["growth"], "", *growth_tables(data["growth"]), ""]
    return "\n".join([*lines, *data["foot"]]) + "\n"


def table(results: list[Result]) -> list[str]:
    """The perplexities of each method at the end, as means over seeds."""
    lines = [
        "| method | perplexity, averaged over draws | of the last draw | after a tenth of the run |"
        " seconds | seeds |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for method in ORDER:
        mine = [r for r in results if r["method"] == method]
        if mine:
            tenth = [r["averaged"][max(0, len(r["steps"]) // 10 - 1)] for r in mine]
            cells = [spread(r["averaged"][-1] for r in mine), spread(r["single"][-1] for r in mine)]
            cells += [spread(tenth), f"{statistics.mean(r['seconds'] for r in mine):.0f}"]
            lines.append(f"| {method} | {' | '.join(cells)} | {len(mine)} |")
    return lines


def spread(values: Iterable[float]) -> str:
    """The mean of some numbers, and half of their range behind it."""
    listed = list(values)
    half = (max(listed) - min(listed)) / 2
    return f"{statistics.mean(listed):.0f}" + (f" (± {half:.0f})" if len(listed) > 1 else "")


def speed_table(speed: list[Result]) -> list[str]:
    """What is compared, its value and its unit."""
    lines = ["| what | value | unit |", "| --- | --- | --- |"]
    return lines + [f"| {s['library']} | {s['value']:.4g} | {s['unit']} |" for s in speed]


def growth_tables(growth: dict[str, list[Result]]) -> list[str]:
    """Time by topics, time by tokens, and memory by documents."""
    times = growth["times"]
    usual = next(t for t in times if sum(t["documents"] == u["documents"] for u in times) > 1)
    by_topics = [t for t in times if t["documents"] == usual["documents"]]
    by_size = sorted((t for t in times if t["topics"] == 50), key=lambda t: int(t["tokens"]))
    lines = ["| topics | ns a token and sweep | of it, a topic |", "| --- | --- | --- |"]
    for t in by_topics:
        lines.append(f"| {t['topics']} | {t['ns']:.1f} | {t['ns'] / t['topics']:.2f} |")
    lines += ["", "| documents | tokens | milliseconds a sweep | ns a token and sweep |"]
    lines += ["| --- | --- | --- | --- |"]
    for t in by_size:
        sweep = f"{t['ns'] * t['tokens'] / 1e6:.2f}"
        lines.append(f"| {t['documents']:,} | {t['tokens']:,} | {sweep} | {t['ns']:.1f} |")
    forms = list(dict.fromkeys(m["form"] for m in growth["memory"]))
    lines += ["", f"| documents | {' | '.join(f'MB, {form}' for form in forms)} |"]
    lines += ["| --- |" + " --- |" * len(forms)]
    of = {(m["form"], m["documents"]): f"{m['megabytes']:.0f}" for m in growth["memory"]}
    for documents in sorted({m["documents"] for m in growth["memory"]}):
        cells = [of.get((form, documents), "") for form in forms]
        lines.append(f"| {documents:,} | {' | '.join(cells)} |")
    return lines


def taken_from(out: Path, data: dict[str, Any]) -> dict[str, Any]:
    """Return the data of the page with the results of a folder."""
    results = []
    for path in sorted(out.glob("*-*-[0-9]*.json")):
        found = json.loads(path.read_text())
        kept = {k: found[k] for k in ("experiment", "method", "seed", "steps", "seconds")}
        rounded = {k: [round(x, 1) for x in found[k]] for k in ("averaged", "single")}
        results.append(kept | {"seconds": round(found["seconds"], 1)} | rounded)
    speed = [s for path in sorted(out.glob("speed-*.json")) for s in json.loads(path.read_text())]
    found = data | {"results": results, "speed": speed}
    growth = out / "growth.json"
    return found | {"growth": json.loads(growth.read_text())} if growth.is_file() else found


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--from", dest="out", type=Path, help="a folder of results")
    out, path = parser.parse_args().out, FOLDER / "lda.json"
    data = json.loads(path.read_text())
    if out is not None:
        data = taken_from(out, data)
        path.write_text(json.dumps(data, indent=1) + "\n")
    (FOLDER / "lda.md").write_text(page(data))
    picture(data["results"], FOLDER / "lda.png")


if __name__ == "__main__":
    main()
