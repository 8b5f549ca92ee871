"""``recipe cache``: which generated modules are kept with their machine code, and clearing them."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from recipe import RecipeError
from recipe.language.plain_text import without_codes
from recipe_cli.terminal.printing import print_json, print_line

SECONDS_A_DAY = 86400.0

app = typer.Typer(
    rich_markup_mode="markdown",
    epilog=(
        "Examples: `recipe cache`, `recipe cache --json`, `recipe cache clear --older-than 30`. The"
        " directory is RECIPE_CACHE, or the user's cache directory; samplers refuse it where others"
        " can write to it, as what is in it runs. Exit status: 0 good, 2 bad input, or a file that"
        " could not be deleted, 130 interrupted."
    ),
)


@app.callback(invoke_without_command=True)
def cache(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Show the generated modules that are kept, with their machine code; `recipe cache clear`
    deletes them.
    """
    if context.invoked_subcommand is not None:
        if as_json:
            raise RecipeError("--json shows what is kept, and clear deletes it: say one of them")
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
            "--older-than", metavar="DAYS", min=0.0, help="Only what was not used for that long."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete what is kept: it is made again when it is needed. Other files in the directory stay,
    and so do running samplers.
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
            raise RecipeError(f"this would delete {what}; say --yes")
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
    try:
        return typer.confirm(without_codes(question))
    except typer.Abort:
        raise typer.Exit(130) from None
