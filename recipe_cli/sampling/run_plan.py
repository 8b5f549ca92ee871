"""What a run would do, as text and as plain data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import Any

from codegen.inputs.schedule import Cyclical, Geometric, Schedule, step_sizes
from recipe_cli.render.cache_table import bytes_in_words
from recipe_cli.sampling.dry_run import RunPlan

WIDTH_COLUMNS = 80
LABEL_COLUMNS = 12
UNITS = ((60.0, 3600.0, "min"), (3600.0, float("inf"), "h"))


def plan_lines(plan: RunPlan) -> list[str]:
    """Return the plan as lines of at most ``WIDTH_COLUMNS`` columns."""
    options = plan.options
    rows = [
        ("sampler", f"{plan.sampler} by the scheme {plan.scheme}, of {plan.posterior}"),
        (
            "module",
            f"{plan.module_name}, {plan.module_lines} lines, {_proof_words(plan)}, compiled",
        ),
        ("blocks", _counted(plan.blocks)),
        *(("prior", f"{block} ~ {law}") for block, law in plan.priors.items()),
        ("data", ", ".join(f"{n} {_shape_words(s)}" for n, s in plan.data.items()) or "none"),
        *(
            (("parameter"), f"{p.name} {_value(v, options.steps)}{p.facts}")
            for p, v in plan.parameters
        ),
        ("step size", str(options.schedule) if options.step_size is not None else "none"),
        ("minibatch", f"{options.rows} rows" if options.rows else "all rows in every step"),
        (
            "run",
            f"{options.chains} chains of {options.steps:,} steps, {options.warmup:,} of them"
            f" warm-up; {options.draws:,} draws are kept of each",
        ),
        ("memory", f"{bytes_in_words(plan.draw_bytes)} of draws, twice while they are collected"),
        (
            "time",
            f"about {seconds_in_words(plan.step_seconds)} a step of all chains:"
            f" {seconds_in_words(plan.run_seconds)} of sampling, after"
            f" {seconds_in_words(plan.compile_seconds)} to prepare",
        ),
    ]
    return lines_of_rows(rows)


def lines_of_rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    """Return rows of a plan, a label and its text, as lines of at most ``WIDTH_COLUMNS`` columns,
    and that nothing was done.
    """
    lines = [
        line
        for label, text in rows
        for line in textwrap.wrap(
            text,
            WIDTH_COLUMNS,
            initial_indent=f"{label:<{LABEL_COLUMNS}}",
            subsequent_indent=" " * LABEL_COLUMNS,
        )
    ]
    return [*lines, "nothing was sampled or saved"]


def plan_as_json(plan: RunPlan) -> dict[str, Any]:
    """Return the plan as plain data; times are in seconds."""
    options = plan.options
    return {
        "sampler": plan.sampler,
        "scheme": plan.scheme,
        "posterior": plan.posterior,
        "module": {
            "name": plan.module_name,
            "lines": plan.module_lines,
            "proved": not plan.unproved,
        },
        "blocks": plan.blocks,
        "priors": plan.priors,
        "data": {name: list(shape) for name, shape in plan.data.items()},
        "parameters": [
            {"name": p.name, "value": first, "last": last, "sign": p.sign, "meaning": p.meaning}
            for p, v in plan.parameters
            for first, last in [_ends(v, options.steps)]
        ],
        "chains": options.chains,
        "steps": options.steps,
        "warmup": options.warmup,
        "thin": options.thin,
        "batch_size": options.rows or None,
        "draws": options.draws,
        "bytes": plan.draw_bytes,
        "seconds": {
            "prepare": plan.compile_seconds,
            "step": plan.step_seconds,
            "run": plan.run_seconds,
        },
    }


def seconds_in_words(seconds: float) -> str:
    """Return a time with a unit in which it is no small number."""
    for least, below, unit in UNITS:
        if least <= seconds < below:
            return f"{seconds / least:.1f} {unit}"
    if seconds >= 1:
        return f"{seconds:.1f} s"
    return f"{seconds * 1e3:.1f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.2g} us"


def _proof_words(plan: RunPlan) -> str:
    return "compared and not proved" if plan.unproved else "proved to be the rule"


def _counted(blocks: dict[str, int]) -> str:
    total = sum(blocks.values())
    return ", ".join(f"{n} {k:,}" for n, k in blocks.items()) + f"; {total:,} coordinates"


def _shape_words(shape: tuple[int, ...]) -> str:
    return " x ".join(f"{n:,}" for n in shape)


def _value(value: Any, steps: int) -> str:
    if isinstance(value, Cyclical):
        return f"= {value}"
    if isinstance(value, Schedule):
        first, last = _ends(value, steps)
        until = min(value.steps, steps) if isinstance(value, Geometric) else steps
        return f"from {first:g} to {last:g} in {until:,} steps"
    return f"= {value:g}" if isinstance(value, float | int) else f"= {value}"


def _ends(value: Any, steps: int) -> tuple[Any, Any]:
    """Return a parameter in the first and in the last step."""
    if not isinstance(value, Schedule):
        return value, value
    return float(step_sizes(value, 0, 1)[0]), float(step_sizes(value, steps - 1, 1)[0])
