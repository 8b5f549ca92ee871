"""``recipe list``: the catalog, one sampler a line."""

from __future__ import annotations

from recipe_cli.commands.options import AsJson
from recipe_cli.declarations import catalog_entries
from recipe_cli.terminal.printing import print_json, print_line

EPILOG = "Example: `recipe list`"


def list_catalog(as_json: AsJson = False) -> None:
    """List the samplers of the catalog: name, state and source."""
    entries = catalog_entries()
    if as_json:
        print_json([{"name": e.name, "file": e.file, "source": e.declared.source} for e in entries])
        return
    width = max(len(e.name) for e in entries)
    for e in entries:
        state = f"({', '.join(b.name for b in e.declared.state)})"
        print_line(f"{e.name:<{width}}  {state:<14}  {e.declared.source or ''}")
