"""``recipe list``: the catalog, a sampler or a posterior a line."""

from __future__ import annotations

from recipe_cli.commands.options import AsJson
from recipe_cli.declarations import catalog_entries, posterior_names, posterior_summary
from recipe_cli.terminal.printing import print_json, print_line

EPILOG = "Example: `recipe list`"


def list_catalog(as_json: AsJson = False) -> None:
    """List the catalog: samplers with name, state and source, then posteriors to sample."""
    samplers = catalog_entries()
    posteriors = {name: posterior_summary(name) for name in posterior_names()}
    if as_json:
        print_json(
            {
                "samplers": [
                    {"name": e.name, "file": e.file, "source": e.declared.source} for e in samplers
                ],
                "posteriors": [
                    {"name": name, "file": f"catalog/posteriors/{name}.py", "summary": summary}
                    for name, summary in posteriors.items()
                ],
            }
        )
        return
    print_line("Samplers:")
    width = max(len(e.name) for e in samplers)
    for e in samplers:
        state = f"({', '.join(b.name for b in e.declared.state)})"
        print_line(f"  {e.name:<{width}}  {state:<14}  {e.declared.source or ''}")
    print_line("")
    print_line("Posteriors, for `recipe sample SAMPLER --posterior NAME`:")
    width = max(map(len, posteriors))
    for name, summary in posteriors.items():
        print_line(f"  {name:<{width}}  {summary}")
