"""All printing of this command, so that no text from a file can send control codes to a
terminal.

A name, a comment, an attribute or the name of a file may contain an escape sequence. The functions
here write it out as text, whoever calls them, so no other file has to think of it.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import IO, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from typer.core import TyperGroup

from recipe.printing.plain_text import without_codes


def print_line(text: str, err: bool = False) -> None:
    """Print one line; line breaks in the text are written out, so that text from a file never
    starts a line.
    """
    typer.echo(without_codes(text), err=err)


def print_lines(text: str) -> None:
    """Print a text of several lines, such as JSON or Markdown."""
    typer.echo("\n".join(map(without_codes, text.split("\n"))))


def print_json(data: Any) -> None:
    """Print plain data as JSON."""
    print_lines(json.dumps(data, indent=2))


def print_each(found: list[Any], as_json: bool) -> None:
    """Print plain data as one JSON document, or texts one after another."""
    if as_json:
        print_json(found)
        return
    for text in found:
        print_lines(text)


def tell(sentence: str, kind: str = "recipe") -> None:
    """Write a sentence to stderr.

    This works from a signal handler, and also if nobody reads stderr any more.

    Args:
        sentence: what to write.
        kind: the word in front of it, ``recipe`` or ``warning``.
    """
    with suppress(OSError, ValueError, AttributeError):
        os.write(
            sys.stderr.fileno(), f"{kind}: {without_codes(sentence)}\n".encode(errors="replace")
        )


def warn_in_sentences() -> None:
    """Show the warnings of this process as sentences, without the line of code that gave them."""
    warnings.showwarning = _show_warning


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: Any = None,
    line: Any = None,
) -> None:
    tell(" ".join(str(message).split()), "warning")


def console(err: bool = False, **more: Any) -> Console:
    """Return a console for text with styles, tables and bars."""
    return _Console(stderr=err, highlight=False, **more)


def console_beside(other: Console, width: int) -> Console:
    """Return a console that writes to the same file as another one, with its own width in
    columns.
    """
    file: IO[str] = other.file
    return _Console(file=file, width=width, highlight=False)


class _Console(Console):
    """A console in which only Rich itself writes control codes: the texts that it prints contain
    none.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            yield (
                segment
                if segment.control
                else Segment(_lines_without_codes(segment.text), segment.style)
            )


def _lines_without_codes(text: str) -> str:
    return text if text.isprintable() else "\n".join(map(without_codes, text.split("\n")))


# Commands of other programs: what to type here.
CALLED_HERE = {
    "summary": "`recipe diagnose DRAWS.nc` judges and summarises saved draws.",
    "stansummary": "`recipe diagnose DRAWS.nc` judges and summarises saved draws.",
    "optimize": "A mode is codegen.Density(posterior).mode() in Python.",
    "compile": "`recipe sample` compiles by itself; `recipe generate` writes the text.",
    "fit": "`recipe sample` draws from a posterior.",
}


class PlainUsage(TyperGroup):
    """The group of commands; messages about wrong usage contain no control codes either."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _plain_usage():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with _plain_usage():
            return super().invoke(ctx)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command, or say what a command of another program is called here."""
        if args and args[0] in CALLED_HERE:
            ctx.fail(f"No such command {args[0]!r}. {CALLED_HERE[args[0]]}")
        return super().resolve_command(ctx, args)


@contextmanager
def _plain_usage() -> Iterator[None]:
    try:
        yield
    except typer.TyperException as error:
        if hasattr(error, "message"):
            error.message = without_codes(error.message)
        raise
