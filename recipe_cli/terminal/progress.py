"""The display of progress: one line on stderr if that is a terminal, and nothing otherwise."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from recipe_cli.terminal.printing import console

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

PROVING = "proving that the module is the rule"
TUNING = "tuning: a pilot run, and the steps that it leads to"


class Progress:
    """A line that says what the command is doing; it is removed at the end.

    Args:
        timed: whether the line also has a bar, counts steps, and is redrawn by a thread of its own.
            Without that thread the process can be forked while the line is shown.
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
        """Show what the command is doing."""
        if not self._seen:
            return
        if self._display is None:
            self._display = self._begun(doing)
            return
        self._display.update(self._display.task_ids[0], description=doing)
        if not self._timed:
            self._display.refresh()

    def count(self, done: int, total: int | None) -> None:
        """Show how many steps are done, and of how many if that is known; it follows a call of
        ``show``.
        """
        if self._display is None:
            return
        whole = None if total is None else max(done, total)
        steps = f"{done:,} steps" if whole is None else f"{done:,} of {whole:,} steps"
        self._display.update(self._display.task_ids[0], completed=done, total=whole, steps=steps)

    def clear(self) -> None:
        """Remove the line until the next call of ``show``."""
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _begun(self, doing: str) -> RichProgress:
        """Start the display and return it."""
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
        if not self._timed:  # a daemon thread that ends here would leave the cursor hidden
            self._console.show_cursor(True)
        return display
