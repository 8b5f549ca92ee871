"""The only place from which this command prints, as what stands in a file must not send codes to a
terminal.

A name, a comment, an attribute or the name of a file can hold an escape sequence. It is written out
here, whoever prints it, so that no other file has to think of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from typer.core import TyperGroup

from recipe.language.plain_text import without_codes


def print_line(text: str, err: bool = False) -> None:
    """One line; a line break in it is written out, so that nothing in a file makes a line of its
    own.
    """
    typer.echo(without_codes(text), err=err)


def print_lines(text: str) -> None:
    """A text of several lines, such as JSON or Markdown."""
    typer.echo("\n".join(map(without_codes, text.split("\n"))))


def print_json(data: Any) -> None:
    """Plain data as JSON, for machines."""
    print_lines(json.dumps(data, indent=2))


def console(err: bool = False, **more: Any) -> Console:
    """For text with styles, tables and bars."""
    return _Console(stderr=err, highlight=False, **more)


def console_beside(other: Console, width: int) -> Console:
    """One that writes where another one does, with a width of its own."""
    file: IO[str] = other.file
    return _Console(file=file, width=width, highlight=False)


class _Console(Console):
    """Rich's codes for styles and cursors are its own; text between them holds none."""

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


class PlainUsage(TyperGroup):
    """The commands; what is wrong with how one is called is said without codes, too."""

    def make_context(self, *args: Any, **more: Any) -> Any:
        with _plain_usage():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        with _plain_usage():
            return super().invoke(ctx)


@contextmanager
def _plain_usage() -> Iterator[None]:
    try:
        yield
    except typer.TyperException as error:
        if hasattr(error, "message"):
            error.message = without_codes(error.message)
        raise
