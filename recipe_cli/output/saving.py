"""Draws that took hours are not lost at the end: what saving needs is tried before the run, and
there are other places after it.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codegen import Draws
from codegen.files.atomic_write import force_to_disk, whole_file
from codegen.results.diagnostics import imported_arviz
from codegen.results.draws import refuse_full_disk
from codegen.results.write_netcdf import write_netcdf
from recipe import RecipeError
from recipe.language.plain_text import without_codes
from recipe_cli.errors import mistake_of
from recipe_cli.output.claim import claimed


@dataclass
class Output:
    """The file that a command saves draws to, or none.

    Attributes:
        saved: where the draws are, once they are saved.
        fault: why they are not where they should be, as a sentence, or None.
    """

    path: Path | None
    force: bool = False
    checkpoint: Path | None = None
    saved: Path | None = None
    fault: str | None = None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Within, no other command writes the file."""
        with nullcontext() if self.path is None else claimed(self.path):
            if self.path is not None and self.path.exists() and not self.force:
                raise RecipeError(
                    f"{self.path} is already there; choose another name, or say --force to"
                    " replace it"
                )
            yield

    def rehearse(self, one: Draws, size: int) -> None:
        """Import and try all that saving and judging the draws needs, on one draw, at the place
        where they go.

        Raises:
            RecipeError: where that fails, or there is no room for so many bytes.
        """
        imported_arviz()
        if self.path is None:
            return
        refuse_full_disk(self.path, size)
        try:
            with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=".recipe-") as trial:
                write_netcdf(one.to_inferencedata(), Path(trial.name))
        except OSError as error:
            raise RecipeError(
                f"{self.path} cannot be written: {error.strerror or error}; choose another path"
            ) from None

    def save(self, draws: Draws) -> None:
        """Save draws, if there are any: where they go, else at the first other place that takes
        them.
        """
        if self.path is None:
            return
        if int(max(draws.counts)) == 0:  # a chain that stopped early costs the others nothing
            tell(f"no draw was kept yet, so {self.path} is not written")
            return
        try:
            if self.path.exists() and not self.force:
                raise RecipeError(
                    f"{self.path} was made by another program while the run went on, and is not"
                    " replaced"
                )
            self.saved = draws.save(self.path)
        except Exception as error:
            reason = mistake_of(error).sentence
            self.saved = _rescued(draws, self.path)
            self.fault = f"{reason}; {self._what_is_left()}"

    def _what_is_left(self) -> str:
        if self.saved is not None:
            return f"the draws are saved in {self.saved}"
        if self.checkpoint is not None:
            return (
                "no other place takes them, and the same command gets them from the checkpoint"
                f" {self.checkpoint}"
            )
        return "no other place takes them, and they are lost"


def _rescued(draws: Draws, path: Path) -> Path | None:
    """Save draws at another place, as netCDF or else as NumPy arrays, which need least; None where
    no place takes them.
    """
    for place in (lambda: path.parent, lambda: Path(tempfile.gettempdir()), Path.cwd, Path.home):
        for suffix, save in ((".nc", Draws.save), (".npz", _save_arrays)):
            with suppress(Exception):
                other = place() / f"{path.stem[:100]}-{secrets.token_hex(4)}{suffix}"
                save(draws, other)
                return other
    return None


def _save_arrays(draws: Draws, path: Path) -> None:
    """The draws by block as ``.npz``, with how they were made as JSON."""
    refuse_full_disk(path, draws.bytes)
    how = np.array(json.dumps(dict(draws.attributes)))
    with whole_file(path) as temporary, temporary.open("r+b") as file:
        np.savez(
            file,
            allow_pickle=False,
            **{
                "step_size of recipe": draws.step_sizes,
                "attributes of recipe": how,
                **draws.values,
            },
        )
        force_to_disk(file)


def tell(sentence: str, kind: str = "recipe") -> None:
    """A sentence on stderr, also from a handler of signals, and also where nobody reads it any
    more.
    """
    with suppress(OSError, ValueError, AttributeError):
        os.write(
            sys.stderr.fileno(), f"{kind}: {without_codes(sentence)}\n".encode(errors="replace")
        )


@contextmanager
def broken_pipes_are_errors() -> Iterator[None]:
    """Within, a reader that has gone is an error of the write; by itself it ends this command,
    which must save first.
    """
    if not hasattr(signal, "SIGPIPE") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)
