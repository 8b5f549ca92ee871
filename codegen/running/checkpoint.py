"""Checkpoints: a folder from which a run goes on, bit for bit, as if it had never been stopped.

The folder holds a manifest (JSON), the states of the chains, and files of draws; arrays are NumPy's
``.npz`` without pickles. Every file is written under another name and then renamed, the manifest
last, and no name is used twice. So the manifest in the folder always names complete files. It holds
the SHA-256 of each file and of itself, by which damage is found. It also holds the fingerprint of
the run, by which another run is refused.

New draws are written to a new file, together with the draws of the last files if these have fewer
than twice as many. So each file has at least twice the draws of the next one: there are no more
files than the number of draws has binary digits, and a draw is written again only when its file
grows by half.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile

import numpy as np
from filelock import lock_descriptor

from codegen.running.another_run import differences, is_another
from codegen.running.chains import Chain
from codegen.running.manifest import (
    DRAWS_NAME,
    STATE_NAME,
    ArrayFile,
    ChainPosition,
    Manifest,
    read_manifest,
)
from recipe.files.atomic_write import is_unfinished, open_regular, replaced
from recipe.language.errors import RecipeError

MANIFEST_NAME, LOCK_NAME = "checkpoint.json", "lock"

Arrays = dict[str, np.ndarray]


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the previous one is unchanged, and the run goes on."""


class _DrawsFile(NamedTuple):
    """A file of draws.

    Attributes:
        part: the name of the file and its digest.
        ends: the number of draws of each chain in this file and all files before it.
    """

    part: ArrayFile
    ends: list[int]


@dataclass
class Checkpoint:
    """The folder of one run.

    Args:
        folder: the folder, which is made if it does not exist.
        run: the fingerprint of the run, as JSON; a checkpoint with another fingerprint is refused.
        draws_after: returns the number of draws that a chain has kept after a number of steps.
        seconds: the time between two writings, in seconds.
        blocks: the number of blocks of a state, one of which may stop a chain.
        redrawn: the fields of a state that a run fills before it reads them; they are not saved.
    """

    folder: Path
    run: Mapping[str, Any]
    draws_after: Callable[[int], int]
    seconds: float
    blocks: int
    redrawn: Collection[str] = ()
    _draws_files: tuple[_DrawsFile, ...] = ()
    _copied: dict[int, tuple[int, int, Arrays]] = field(default_factory=dict)
    _written: float = field(default_factory=time.monotonic)
    _serial: int = 0
    _lock: IO[bytes] | None = None

    def open(self, chains: Sequence[Chain], steps: int) -> bool:
        """Lock the folder, and set the chains to the checkpoint in it if there is one.

        Args:
            chains: the chains at their first states; their states, draws and numbers of steps are
                overwritten by those of the checkpoint.
            steps: the number of steps of the run.

        Returns:
            True if the folder had a checkpoint.

        Raises:
            RecipeError: where the folder cannot be used, is in use by another process, or holds
                another run, damaged files or more steps than ``steps``.
        """
        try:
            with self._errors_with_repair():
                self._lock_folder()
                return self._restore_if_saved(chains, steps)
        except BaseException:
            self.release()
            raise

    @contextmanager
    def _errors_with_repair(self) -> Iterator[None]:
        """Turn an error of the file system into one sentence with the repair."""
        try:
            yield
        except RecipeError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RecipeError(
                f"the checkpoint {self.folder} cannot be made: {reason}; choose another folder"
            ) from None

    def _lock_folder(self) -> None:
        """Make the folder if there is none, refuse one with other files, and lock it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(self.folder / MANIFEST_NAME):
            self._refuse_other_files()
        self._lock = open_regular(self.folder / LOCK_NAME, os.O_RDWR | os.O_CREAT)
        if not lock_descriptor(self._lock.fileno(), blocking=False):
            raise RecipeError(
                f"another process is writing the checkpoint {self.folder}; choose another folder"
            )

    def release(self) -> None:
        """Unlock the folder, so that another process may use it."""
        if self._lock is not None:
            with suppress(OSError):  # the lock is released even if closing fails
                self._lock.close()
            self._lock = None

    def _restore_if_saved(self, chains: Sequence[Chain], steps: int) -> bool:
        """Restore the chains from a locked folder; return True if it had a checkpoint."""
        manifest = read_manifest(self.folder / MANIFEST_NAME)
        if manifest is None:
            self._refuse_other_files()
            # A manifest without a state is written first, as proof that later files in this folder
            # belong to a checkpoint.
            self._write_manifest(Manifest(self.run))
            return False
        self._serial = max((part.serial for part in manifest.parts), default=0)
        self._refuse_another_run(manifest)
        self._restore(manifest, chains, steps)
        return True

    def visit(
        self, chain: Chain, chains: Sequence[Chain], at_rest: Callable[[Chain], bool]
    ) -> None:
        """Copy the state of a chain if a checkpoint is due, and write it once all chains are
        copied.

        Args:
            chain: a chain that no thread moves at the moment.
            chains: all chains.
            at_rest: returns True if no thread moves a chain.
        """
        if not self._copied and time.monotonic() - self._written < self.seconds:
            return
        with self._errors_as_warnings():
            if not self._copied:
                self._copied = {c.number: self._snapshot(c) for c in chains if at_rest(c)}
            # chains that are moving now are copied when they come to rest and are visited
            self._copied[chain.number] = self._snapshot(chain)
            if len(self._copied) == len(chains):
                self._write_copied(chains)

    def close(self, chains: Sequence[Chain]) -> None:
        """Write the last checkpoint of a run, when no chain moves any more."""
        with self._errors_as_warnings():
            self._copied = {c.number: self._snapshot(c) for c in chains}
            self._write_copied(chains)

    def _snapshot(self, chain: Chain) -> tuple[int, int, Arrays]:
        """Return the steps of a chain, the block that stopped it, and copies of its arrays."""
        return (
            chain.done,
            chain.stopped_by,
            {name: array.copy() for name, array in self._state_arrays(chain).items()},
        )

    def _state_arrays(self, chain: Chain) -> Arrays:
        """Return the arrays of a state that a checkpoint saves, by field."""
        return {
            name: getattr(chain.state, name)
            for name in chain.state._fields
            if name not in self.redrawn
        }

    @contextmanager
    def _errors_as_warnings(self) -> Iterator[None]:
        """Turn every error into a warning: a run must not end, and lose its draws, because a
        checkpoint cannot be written.
        """
        try:
            yield
        except Exception as error:  # also MemoryError, not only errors of the disk
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            text = f"the checkpoint {self.folder} cannot be written: {reason}"
            warnings.warn(
                f"{text}; the one before it is whole, and the run goes on",
                CheckpointWarning,
                stacklevel=3,
            )
            self._wait_for_next()

    def _write_copied(self, chains: Sequence[Chain]) -> None:
        self._write(chains)
        self._wait_for_next()

    def _wait_for_next(self) -> None:
        """Drop the copies, and wait ``seconds`` until the next checkpoint is due."""
        self._copied = {}
        self._written = time.monotonic()

    def _write(self, chains: Sequence[Chain]) -> None:
        """Write the copied states, the new draws and the manifest, and delete old files."""
        copied = [self._copied[c.number] for c in chains]
        # a new number for every attempt, so that no file that a manifest names is overwritten
        self._serial += 1
        after = [self.draws_after(done) for done, _, _ in copied]
        kept = self._with_new_draws(chains, after)
        states = {
            f"{name}_{c.number}": a
            for c, (_, _, arrays) in zip(chains, copied, strict=True)
            for name, a in arrays.items()
        }
        standing = (
            ChainPosition(done, stopped_by, n)
            for (done, stopped_by, _), n in zip(copied, after, strict=True)
        )
        state = self._write_arrays(f"state-{self._serial:06d}", states)
        manifest = Manifest(self.run, tuple(standing), state, tuple(k.part for k in kept))
        self._write_manifest(manifest)
        self._draws_files = kept
        self._delete_old_files(manifest)

    def _with_new_draws(self, chains: Sequence[Chain], after: list[int]) -> tuple[_DrawsFile, ...]:
        """Return the files with all draws so far; if there are new draws, write the last file.

        Args:
            chains: the chains.
            after: the number of draws of each chain.
        """
        kept, none = list(self._draws_files), [0] * len(chains)
        if after == (kept[-1].ends if kept else none):
            return self._draws_files
        total, ends = sum(after), [none, *(k.ends for k in kept)]
        while kept and sum(ends[-1]) - sum(ends[-2]) < 2 * (total - sum(ends[-1])):
            kept.pop()
            ends.pop()
        draws = {
            f"{name}_{c.number}": getattr(c.draws, name)[first:last]
            for c, first, last in zip(chains, ends[-1], after, strict=True)
            for name in c.draws._fields
            if getattr(c.draws, name).shape[0] > 0
        }
        return (*kept, _DrawsFile(self._write_arrays(f"draws-{self._serial:06d}", draws), after))

    def _write_manifest(self, manifest: Manifest) -> None:
        with replaced(self.folder / MANIFEST_NAME) as temporary:
            temporary.write_text(manifest.text(), encoding="ascii")

    def _write_arrays(self, stem: str, arrays: Arrays) -> ArrayFile:
        """Write arrays to a file of this name, and return the name with the digest."""
        path = self.folder / f"{stem}.npz"
        with replaced(path) as temporary:
            with temporary.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            with temporary.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        return ArrayFile(path.name, digest)

    def _delete_old_files(self, manifest: Manifest) -> None:
        """Delete the files of earlier checkpoints, but no links of such names. A file that cannot
        be deleted now is deleted by a later checkpoint.
        """
        named = {part.file for part in manifest.parts}
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                own = DRAWS_NAME.fullmatch(entry.name) or STATE_NAME.fullmatch(entry.name)
                if own and entry.name not in named and entry.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        os.unlink(entry.path)

    def _refuse_other_files(self) -> None:
        """Refuse a folder without a manifest that holds other files than an unfinished manifest and
        the lock.
        """
        for path in sorted(self.folder.iterdir()):
            status = path.lstat()
            empty = stat.S_ISREG(status.st_mode) and status.st_size == 0
            if not (
                is_unfinished(path.name, of=MANIFEST_NAME) or (path.name == LOCK_NAME and empty)
            ):
                raise RecipeError(
                    f"{self.folder} holds {path.name} and no checkpoint; choose an empty or a new"
                    " folder"
                )

    def _refuse_another_run(self, manifest: Manifest) -> None:
        """Refuse a checkpoint with another fingerprint, and name the differences."""
        if is_another(manifest.run, self.run):
            raise RecipeError(
                f"the checkpoint {self.folder} is of another run:"
                f" {differences(manifest.run, self.run)}; choose another folder, or the settings of"
                " that run"
            )

    def _restore(self, manifest: Manifest, chains: Sequence[Chain], steps: int) -> None:
        """Set the chains to the states and draws that a manifest names."""
        if manifest.state is None:
            return  # the run was stopped before its first checkpoint
        if len(manifest.chains) != len(chains):
            raise self._damaged(f"it has {len(manifest.chains)} chains")
        for number, record in enumerate(manifest.chains):
            if record.draws != self.draws_after(record.done) or record.stopped_by >= self.blocks:
                raise self._damaged(f"the numbers of chain {number} do not agree")
        furthest = max(record.done for record in manifest.chains)
        if furthest > steps:
            raise RecipeError(
                f"the checkpoint {self.folder} stands at step {furthest}, beyond steps={steps}; ask"
                " for more"
            )
        self._restore_states(manifest, manifest.state, chains)
        ends = [0] * len(chains)
        for part in manifest.draws:
            ends = self._restore_draws(part, chains, ends)
            self._draws_files = (*self._draws_files, _DrawsFile(part, ends))
        if ends != [record.draws for record in manifest.chains]:
            raise self._damaged("the number of draws is not the one that is written")

    def _restore_states(self, manifest: Manifest, part: ArrayFile, chains: Sequence[Chain]) -> None:
        """Copy the states in a file into the chains, with their numbers of steps."""
        states = self._arrays(part)
        goals = {
            f"{name}_{c.number}": array
            for c in chains
            for name, array in self._state_arrays(c).items()
        }
        self._refuse_other_names(part, states, goals)
        for key, goal in goals.items():
            goal[...] = self._array(states, key, goal.shape)
        for chain, record in zip(chains, manifest.chains, strict=True):
            chain.done, chain.stopped_by = record.done, record.stopped_by

    def _restore_draws(
        self, part: ArrayFile, chains: Sequence[Chain], firsts: list[int]
    ) -> list[int]:
        """Append the draws in a file to those of the chains.

        Args:
            part: the file.
            chains: the chains.
            firsts: the number of draws of each chain before.

        Returns:
            The number of draws of each chain afterwards.
        """
        arrays = self._arrays(part)
        goals = {
            f"{name}_{c.number}": (k, getattr(c.draws, name))
            for k, c in enumerate(chains)
            for name in c.draws._fields
        }
        goals = {key: goal for key, goal in goals.items() if goal[1].shape[0] > 0}
        self._refuse_other_names(part, arrays, goals)
        ends: dict[int, int] = {}
        for key, (k, goal) in goals.items():
            end = firsts[k] + (arrays[key].shape[0] if arrays[key].ndim else 0)
            if end > goal.shape[0] or ends.setdefault(k, end) != end:
                raise self._damaged(f"{key} has too many draws, or too few")
            goal[firsts[k] : end] = self._array(arrays, key, (end - firsts[k], *goal.shape[1:]))
        return [ends.get(k, 0) for k in range(len(chains))]

    def _refuse_other_names(
        self, part: ArrayFile, arrays: Arrays, goals: Mapping[str, Any]
    ) -> None:
        if set(arrays) != set(goals):
            raise self._damaged(f"{part.file} does not hold the arrays of this run")

    def _arrays(self, part: ArrayFile) -> Arrays:
        """Return the arrays in a file, whose digest is checked before it is read."""
        try:
            with open_regular(self.folder / part.file) as opened:
                if hashlib.file_digest(opened, "sha256").hexdigest() != part.sha256:  # type: ignore[arg-type]
                    raise self._damaged(f"{part.file} is not the file that was written")
                opened.seek(0)
                with np.load(opened, allow_pickle=False) as file:
                    return {name: file[name] for name in file.files}
        except RecipeError:
            raise
        except OSError as error:
            raise self._damaged(f"{part.file}: {error.strerror or error}") from None
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            raise self._damaged(f"{part.file}: {error}") from None

    def _array(self, arrays: Arrays, key: str, shape: tuple[int, ...]) -> np.ndarray:
        """Return an array, which must be one of floats of this shape."""
        if arrays[key].shape != shape or arrays[key].dtype != np.float64:
            raise self._damaged(f"{key} has another shape")
        return arrays[key]

    def _damaged(self, reason: str) -> RecipeError:
        """Return the error for a damaged checkpoint, with the repair."""
        return RecipeError(
            f"the checkpoint {self.folder} is damaged: {reason}; nothing was changed, start again"
            " in another folder"
        )


def saved_warmup(folder: Path) -> int | None:
    """Return the number of warm-up steps of the run whose checkpoint a folder holds; None if it
    holds no checkpoint.

    Args:
        folder: the folder.

    Raises:
        RecipeError: where the checkpoint cannot be read.
    """
    manifest = read_manifest(folder / MANIFEST_NAME)
    found = None if manifest is None else manifest.run.get("warmup")
    return found if type(found) is int else None


def saved_draws(folder: Path) -> int:
    """Return the largest number of draws of a chain in the checkpoint in a folder; 0 if the folder
    holds no checkpoint.

    Args:
        folder: the folder.

    Raises:
        RecipeError: where the checkpoint cannot be read.
    """
    manifest = read_manifest(folder / MANIFEST_NAME)
    return 0 if manifest is None else max((chain.draws for chain in manifest.chains), default=0)
