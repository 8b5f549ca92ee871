"""Saving draws: every step of it is tried before the run, and if it fails after the run, draws go
to another place.
"""

from __future__ import annotations

import json
import secrets
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from codegen import Draws
from codegen.results.save_groups import refuse_full_disk
from codegen.results.write_netcdf import write_netcdf
from recipe import RecipeError
from recipe.files.atomic_write import force_to_disk, whole_file
from recipe_cli.errors import mistake_of
from recipe_cli.output.claim import claimed
from recipe_cli.terminal.printing import tell


@dataclass
class Output:
    """The file that a command saves draws to.

    Attributes:
        path: the file; None if the draws are not saved.
        force: whether an existing file may be replaced.
        checkpoint: the folder of the checkpoint, which holds the draws as well; None if there is
            none.
        saved: the file that holds the draws once they are saved; None before.
        fault: one sentence on why the draws are not in ``path``; None if they are.
    """

    path: Path | None
    force: bool = False
    checkpoint: Path | None = None
    saved: Path | None = None
    fault: str | None = None

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """Hold the claim on the file, so that no other command writes it.

        Raises:
            RecipeError: if another command holds the claim, or the file exists and may not be
                replaced.
        """
        with nullcontext() if self.path is None else claimed(self.path):
            if self.path is not None and self.path.exists() and not self.force:
                raise RecipeError(
                    f"{self.path} exists already; choose another name, or add --force to replace it"
                )
            yield

    def rehearse(self, one: Draws, size: int) -> None:
        """Save one draw as a rehearsal: this imports all that saving needs, and writes where the
        draws will go.

        Args:
            one: one draw of each chain.
            size: the number of bytes that all draws will need.

        Raises:
            RecipeError: if saving fails, or the disk has no room for that many bytes.
        """
        if self.path is None:
            return
        refuse_full_disk(self.path, size)
        try:
            with tempfile.NamedTemporaryFile(dir=self.path.parent, prefix=".recipe-") as trial:
                write_netcdf(one.groups(), Path(trial.name))
        except OSError as error:
            raise RecipeError(
                f"{self.path} cannot be written: {error.strerror or error}; choose another path"
            ) from None

    def save(self, draws: Draws) -> None:
        """Save draws, if there are any, to the output file; if that fails, to the first other
        folder that takes them.
        """
        if self.path is None:
            return
        if int(max(draws.counts)) == 0:  # one chain with draws is enough to save them
            tell(f"no draw was kept yet, so {self.path} is not written")
            return
        try:
            if self.path.exists() and not self.force:
                raise RecipeError(
                    f"another program made {self.path} while the sampler ran, so it is not replaced"
                )
            self.saved = draws.save(self.path)
        except Exception as error:
            reason = mistake_of(error).sentence
            self.saved = _rescued(draws, self.path)
            self.fault = f"{reason}; {self._where_the_draws_are()}"

    def _where_the_draws_are(self) -> str:
        """Return a clause on where the draws are after the output file could not be written."""
        if self.saved is not None:
            return f"the draws are saved in {self.saved}"
        if self.checkpoint is not None:
            return (
                "no other folder takes the draws, and the same command gets them from the"
                f" checkpoint {self.checkpoint}"
            )
        return "no other folder takes the draws, so they are lost"


def _rescued(draws: Draws, path: Path) -> Path | None:
    """Save draws in another folder; return the file, or None if no folder takes them.

    The file is netCDF or, if that fails, NumPy arrays, which need less.
    """
    for place in (lambda: path.parent, lambda: Path(tempfile.gettempdir()), Path.cwd, Path.home):
        for suffix, save in ((".nc", Draws.save), (".npz", _save_arrays)):
            with suppress(Exception):
                other = place() / f"{path.stem[:100]}-{secrets.token_hex(4)}{suffix}"
                save(draws, other)
                return other
    return None


def _save_arrays(draws: Draws, path: Path) -> None:
    """Save the draws as ``.npz``, an array a block, with the attributes of the run as JSON."""
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


@contextmanager
def broken_pipes_are_errors() -> Iterator[None]:
    """Turn a broken pipe into an error of the write, so that this command can save its draws
    first.

    Otherwise a reader that has gone ends this process by a signal.
    """
    if not hasattr(signal, "SIGPIPE") or threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGPIPE, before)
