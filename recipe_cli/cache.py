"""The command ``cache``: what is kept of generated modules and their machine code, and how it is
cleared.
"""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from recipe import RecipeError
from recipe.language.plain_text import without_codes
from recipe_cli.terminal import print_line, print_lines

if TYPE_CHECKING:
    from codegen.store.inventory import Contents, Kept

DAY = 86400.0

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

    found = contents()
    if as_json:
        print_lines(json.dumps(_data(found), indent=2))
        return
    for line in _lines(found):
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

    found = contents() if older_than is None else contents().unused_for(older_than * DAY)
    files = list(found.files())
    if not files:
        print_line(f"nothing to delete in {found.folder}")
        return
    what = f"{_number(len(found.modules), 'module')} ({_bytes(size(files))}) in {found.folder}"
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


def _lines(found: Contents) -> list[str]:
    from codegen.store.inventory import size

    if not found.modules:
        return [f"nothing is kept in {found.folder} yet"]
    rows = [_row(m) for m in sorted(found.modules, key=lambda m: -m.used)]
    head = ("last used", "text", "machine code", "module", "made from")
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(4)]
    lines = [
        f"{_number(len(found.modules), 'module')}, {_bytes(size(found.files()))}, in {found.folder}"
    ]
    for row in (head, *rows):
        lines.append(
            "  ".join(
                [
                    f"{row[0]:<{widths[0]}}",
                    f"{row[1]:>{widths[1]}}",
                    f"{row[2]:>{widths[2]}}",
                    f"{row[3]:<{widths[3]}}",
                    row[4],
                ]
            )
        )
    return lines


def _row(module: Kept) -> tuple[str, str, str, str, str]:
    from codegen.store.inventory import size

    used = time.strftime("%Y-%m-%d %H:%M", time.localtime(module.used))
    text = [module.text] if module.text else []
    made_from = module.made_from or "its text is gone"
    return (
        used,
        _bytes(size(text)),
        _bytes(size(module.code)),
        module.name,
        made_from + (f", {module.scheme}" if module.scheme else ""),
    )


def _data(found: Contents) -> dict[str, Any]:
    from codegen.store.inventory import size

    return {
        "directory": str(found.folder),
        "bytes": size(found.files()),
        "modules": [
            {
                "name": m.name,
                "made_from": m.made_from,
                "scheme": m.scheme,
                "text_bytes": size([m.text] if m.text else []),
                "machine_code_bytes": size(m.code),
                "machine_code_files": len(m.code),
                "last_used": m.used,
            }
            for m in found.modules
        ],
    }


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _bytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB" if count >= 1e6 else f"{count / 1e3:.1f} kB"
