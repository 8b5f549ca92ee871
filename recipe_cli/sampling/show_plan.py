"""Print what a run would do."""

from __future__ import annotations

from codegen.inputs.options import SamplingOptions
from recipe import Posterior
from recipe_cli.declarations.declaration import Declaration
from recipe_cli.sampling.dry_run import dry_run
from recipe_cli.sampling.run_plan import plan_as_json, plan_lines
from recipe_cli.sampling.text_check import TextCheck
from recipe_cli.terminal.printing import print_json, print_line
from recipe_cli.terminal.progress import Progress


def print_plan(
    declaration: Declaration,
    posterior: str,
    law: Posterior,
    options: SamplingOptions,
    text: TextCheck,
    as_json: bool,
) -> None:
    """Print what a run would do, as text or as JSON.

    Raises:
        RecipeError: whatever would keep the run from beginning.
    """
    with Progress() as progress:
        progress.show("generating, proving and compiling the module; timing some steps")
        plan = dry_run(declaration, posterior, law, options, text)
    if as_json:
        print_json(plan_as_json(plan))
        return
    for line in plan_lines(plan):
        print_line(line)
