"""``recipe cache``: list and delete the generated modules that are kept with their machine code."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from recipe import RecipeError
from recipe.printing.plain_text import without_codes
from recipe_cli.commands.options import AsJson
from recipe_cli.terminal.printing import print_json, print_line

SECONDS_A_DAY = 86400.0

app = typer.Typer(
    rich_markup_mode="markdown",
    epilog=(
        "Examples: `recipe cache`, `recipe cache --json`, `recipe cache clear --older-than 30`. The"
        " cache is the folder that RECIPE_CACHE names, or a folder in the user's cache directory."
        " Samplers run the code in it, so they refuse a folder that other users can write to. Exit"
        " status: 0 good, 2 bad input or a file that could not be deleted, 130 interrupted."
    ),
)


@app.callback(invoke_without_command=True)
def cache(
    context: typer.Context,
    as_json: AsJson = False,
) -> None:
    """List the generated modules that are kept with their machine code; `recipe cache clear`
    deletes them.
    """
    if context.invoked_subcommand is not None:
        if as_json:
            raise RecipeError("--json lists the cache and clear deletes it: choose one of them")
        return
    from codegen.store.inventory import contents
    from recipe_cli.render.cache_table import cache_as_json, cache_lines

    found = contents()
    if as_json:
        print_json(cache_as_json(found))
        return
    for line in cache_lines(found):
        print_line(line)


@app.command(epilog="Examples: `recipe cache clear`, `recipe cache clear --older-than 30 --yes`")
def clear(
    older_than: Annotated[
        float | None,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            min=0.0,
            help="Delete only modules that were last used more than this many days ago.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Delete without asking.")] = False,
) -> None:
    """Delete the modules that are kept, with their machine code. They are made again when they are
    needed; other files in the folder and running samplers are not touched.
    """
    from codegen.store.inventory import contents, delete, size
    from recipe_cli.render.cache_table import bytes_in_words, counted

    found = contents() if older_than is None else contents().unused_for(older_than * SECONDS_A_DAY)
    files = list(found.files())
    if not files:
        print_line(f"nothing to delete in {found.folder}")
        return
    what = (
        f"{counted(len(found.modules), 'module')} ({bytes_in_words(size(files))}) in {found.folder}"
    )
    if not yes:
        if not sys.stdin.isatty():
            raise RecipeError(f"this would delete {what}; add --yes to do it")
        if not _agreed(f"Delete {what}?"):
            print_line("nothing was deleted")
            return
    left = delete(files)
    if left:
        raise RecipeError(
            f"{len(left)} of {len(files)} files could not be deleted, such as {left[0]}"
        )
    print_line(f"deleted {what}")


def _agreed(question: str) -> bool:
    """Ask the user a question; return whether the answer is yes."""
    try:
        return typer.confirm(without_codes(question))
    except typer.Abort:
        raise typer.Exit(130) from None
