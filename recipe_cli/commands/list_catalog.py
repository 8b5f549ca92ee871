"""``recipe list``: the catalog, samplers with what they need, and posteriors."""

from __future__ import annotations

from recipe_cli.commands.options import AsJson
from recipe_cli.terminal.loading import loading
from recipe_cli.terminal.printing import print_json, print_line

EPILOG = "Examples: `recipe list`, `recipe list --json`"


def list_catalog(as_json: AsJson = False) -> None:
    """List the catalog: what each sampler is for and what it needs, then posteriors to sample."""
    if not as_json:  # at once, as what follows takes a second to load
        print_line("Samplers:")
    with loading():
        from recipe_cli.declarations.of_catalog import catalog_entries
        from recipe_cli.declarations.posteriors import posterior_names, posterior_summary
        from recipe_cli.render.catalog_table import (
            posterior_lines,
            purpose_of,
            sampler_as_json,
            sampler_lines,
        )

        samplers = catalog_entries()
    posteriors = {name: posterior_summary(name) for name in posterior_names()}
    if as_json:
        print_json(
            {
                "samplers": [sampler_as_json(e) for e in samplers],
                "posteriors": [
                    {"name": name, "file": f"catalog/posteriors/{name}.py", "summary": summary}
                    for name, summary in posteriors.items()
                ],
            }
        )
        return
    said = ""
    for e in samplers:
        for line in sampler_lines(e, "" if e.file == said else purpose_of(e)):
            print_line(line)
        said = e.file
    print_line("")
    print_line("Posteriors, for `recipe sample SAMPLER --posterior NAME`:")
    width = max(map(len, posteriors))
    for name, summary in posteriors.items():
        for line in posterior_lines(name, width, summary):
            print_line(line)
