"""The one display of what is going on: a line on stderr where that is a terminal, and nothing
anywhere else.
"""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from recipe_cli.terminal.printing import console

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress


class Progress:
    """A line that says what is being done; it is taken away at the end.

    Args:
        timed: the line also has a bar, counts steps, and is drawn again while nothing is said, by a
            thread of its own. Without it there is no thread, so that a process can be forked
            meanwhile.
    """

    def __init__(self, timed: bool = False) -> None:
        self._timed = timed
        self._console = console(err=True)
        self._seen = self._console.file.isatty() and self._console.is_interactive
        self._display: RichProgress | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.clear()

    def show(self, doing: str) -> None:
        """Say what is being done."""
        if not self._seen:
            return
        if self._display is None:
            self._display = self._begun(doing)
            return
        self._display.update(self._display.task_ids[0], description=doing)
        if not self._timed:
            self._display.refresh()

    def count(self, done: int, total: int | None) -> None:
        """Say how many steps are done, and of how many where that is known, after ``show``."""
        if self._display is None:
            return
        whole = None if total is None else max(done, total)
        steps = f"{done:,} steps" if whole is None else f"{done:,} of {whole:,} steps"
        self._display.update(self._display.task_ids[0], completed=done, total=whole, steps=steps)

    def clear(self) -> None:
        """Take the line away, until something is said again."""
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _begun(self, doing: str) -> RichProgress:
        from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn, TimeElapsedColumn
        from rich.table import Column

        one_line = Column(no_wrap=True, overflow="ellipsis")
        columns: list[ProgressColumn] = [
            TextColumn("{task.description}", markup=False, table_column=one_line)
        ]
        if self._timed:
            columns += [BarColumn(), TextColumn("{task.fields[steps]}"), TimeElapsedColumn()]
        display = Progress(
            *columns,
            console=self._console,
            transient=True,
            auto_refresh=self._timed,
            redirect_stdout=self._timed,
            redirect_stderr=self._timed,
        )
        display.add_task(doing, total=None, steps="")
        display.start()
        if not self._timed:  # a thread that is left at work could not show the cursor again
            self._console.show_cursor(True)
        return display
