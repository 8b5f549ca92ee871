"""The one progress bar: on stderr where that is a terminal, a line of text in a notebook, and
nothing anywhere else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import Progress

from codegen.system.lossy_stream import LossyStream
from recipe.printing.plain_text import without_codes

SECONDS_PER_LINE = 1.0  # between two writings of the line of text


@contextmanager
def progress_bar(
    title: str,
    total: float,
    *,
    done: float = 0.0,
    wanted: bool = True,
    after_seconds: float = 0.0,
) -> Iterator[Callable[[float], None]]:
    """Yield a function that is told how much of the total is done.

    The bar goes away at the end. An error of the terminal is ignored, as a bar must not end what it
    shows.

    Args:
        title: what is being done; control characters in it are written out.
        total: how much there is to do.
        done: how much of it is done before.
        wanted: False for no bar at all.
        after_seconds: the bar appears at the first call after this time; 0 shows it at once.
    """
    console = Console(file=LossyStream(sys.stderr))  # type: ignore[arg-type]
    if wanted and console.is_jupyter:
        with _line_of_text(title, total) as show_line:
            yield show_line
        return
    bar = Progress(console=console, disable=not (wanted and console.is_terminal), transient=True)
    task = bar.add_task(escape(without_codes(title)), total=total, completed=done)  # type: ignore[arg-type]
    began = time.perf_counter()
    with ExitStack() as stack:

        def appear() -> None:
            hidden = not (bar.disable or bar.live.is_started)
            if hidden and time.perf_counter() - began >= after_seconds:
                stack.enter_context(bar)

        def show(so_far: float) -> None:
            bar.update(task, completed=so_far)
            appear()

        appear()
        yield show


@contextmanager
def line_while(doing: str, *, wanted: bool = True) -> Iterator[None]:
    """Show one line, on a terminal or in a notebook, while something is done that cannot be
    counted. The line goes away at the end.

    Args:
        doing: what is being done, in a few words; control characters in it are written out.
        wanted: False for no line.
    """
    with changing_line(wanted=wanted) as show:
        show(doing)
        yield


@contextmanager
def changing_line(*, wanted: bool = True) -> Iterator[Callable[[str], None]]:
    """Yield a function that is told what is being done, and shows it as ``line_while`` does.

    Args:
        wanted: False for no line.
    """
    stream = LossyStream(sys.stderr)
    console = Console(file=stream)  # type: ignore[arg-type]
    seen = wanted and not console.is_dumb_terminal and (console.is_terminal or console.is_jupyter)
    width = 0

    def show(doing: str) -> None:
        nonlocal width
        line = f"{without_codes(doing)} ..."[: console.width - 1]
        if seen:
            stream.write(f"\r{line:<{width}}")
            stream.flush()
        width = len(line)

    try:
        yield show
    finally:
        if seen:
            stream.write("\r" + " " * width + "\r")
            stream.flush()


@contextmanager
def _line_of_text(title: str, total: float) -> Iterator[Callable[[float], None]]:
    """Yield a function that rewrites one line of text, which every notebook shows; a bar of rich
    would need ipywidgets there. The line goes away at the end.
    """
    stream, last, width = LossyStream(sys.stderr), time.perf_counter(), 0

    def write(line: str) -> None:
        nonlocal width
        stream.write(f"\r{line:<{width}}")
        stream.flush()
        width = len(line)

    def show(so_far: float) -> None:
        nonlocal last
        if time.perf_counter() - last >= SECONDS_PER_LINE:
            last = time.perf_counter()
            write(f"{without_codes(title)}: {100 * so_far / max(total, 1):.0f} %")

    try:
        yield show
    finally:
        if width:
            write("")
            stream.write("\r")
