"""Checkpoints: a folder from which a run goes on, bit for bit, as if it had never been stopped.

The folder holds a manifest (JSON), the states of the chains, and files of draws; arrays are NumPy's
``.npz`` without pickles. Every file is written whole, the manifest last, and no name is used twice:
whatever happens, the manifest that is there names files that are whole. Their SHA-256 is in it, and
its own, so that damage is found, and so is all that the draws depend on, so that another run is not
taken for this one.

New draws go to a new file, together with those of the last files where these are less than twice as
many. So a file has at least twice the draws of the next one: there are no more files than the
number of draws has binary digits, and a draw is written again only where its file grows by half.
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

from codegen.files.atomic_write import is_unfinished, open_regular, replaced
from codegen.running.chains import Chain
from codegen.running.manifest import (
    DRAWS_NAME,
    STATE_NAME,
    ArrayFile,
    ChainPosition,
    Manifest,
    printable,
    read_manifest,
)
from recipe.language.errors import RecipeError

MANIFEST_NAME, LOCK_NAME = "checkpoint.json", "lock"

Arrays = dict[str, np.ndarray]


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the one before it is still there, and the run goes on."""


class _DrawsFile(NamedTuple):
    """A file of draws, and how many draws of each chain there are up to its end."""

    part: ArrayFile
    ends: list[int]


@dataclass
class Checkpoint:
    """The folder of one run.

    Args:
        folder: made if it is not there.
        run: everything that the draws depend on, as JSON; another run is refused.
        draws_after: how many draws a chain has kept after so many steps.
        seconds: how often to write.
        blocks: how many blocks a state has, one of which may stop a chain.
        redrawn: the fields of a state that are left out, as a run fills them before it reads them.
    """

    folder: Path
    run: Mapping[str, Any]
    draws_after: Callable[[int], int]
    seconds: float
    blocks: int
    redrawn: Collection[str] = ()
    _kept: tuple[_DrawsFile, ...] = ()
    _taken: dict[int, tuple[int, int, Arrays]] = field(default_factory=dict)
    _written: float = field(default_factory=time.monotonic)
    _serial: int = 0
    _lock: IO[bytes] | None = None

    def open(self, chains: Sequence[Chain], steps: int) -> bool:
        """Take the folder, and put the chains where the checkpoint stands, if there is one; whether
        there was.

        Raises:
            RecipeError: where the folder cannot be used, is in use, or holds another run or damaged
                files.
        """
        try:
            with self._refusals():
                self._take_the_folder()
                return self._opened(chains, steps)
        except BaseException:
            self.release()
            raise

    @contextmanager
    def _refusals(self) -> Iterator[None]:
        try:
            yield
        except RecipeError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RecipeError(
                f"the checkpoint {self.folder} cannot be made: {reason}; choose another folder"
            ) from None

    def _take_the_folder(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(self.folder / MANIFEST_NAME):
            self._refuse_strange_folder()
        self._lock = open_regular(self.folder / LOCK_NAME, os.O_RDWR | os.O_CREAT)
        if not lock_descriptor(self._lock.fileno(), blocking=False):
            raise RecipeError(
                f"another process is writing the checkpoint {self.folder}; choose another folder"
            )

    def release(self) -> None:
        """Leave the folder to others."""
        if self._lock is not None:
            with suppress(OSError):  # it is closed all the same
                self._lock.close()
            self._lock = None

    def _opened(self, chains: Sequence[Chain], steps: int) -> bool:
        manifest = read_manifest(self.folder / MANIFEST_NAME)
        if manifest is None:
            self._refuse_strange_folder()
            # The manifest comes first, without a state: so whatever else is found later is known to
            # be ours.
            self._write_manifest(Manifest(self.run))
            return False
        self._serial = max((part.serial for part in manifest.parts), default=0)
        self._refuse_another_run(manifest)
        self._restore(manifest, chains, steps)
        return True

    def visit(
        self, chain: Chain, chains: Sequence[Chain], at_rest: Callable[[Chain], bool]
    ) -> None:
        """Called when a chain is at rest between two pieces of work: copies its state if it is
        time, and writes once all are.
        """
        if not self._taken and time.monotonic() - self._written < self.seconds:
            return
        with self._warned():
            if not self._taken:
                self._taken = {c.number: self._snapshot(c) for c in chains if at_rest(c)}
            self._taken[chain.number] = self._snapshot(
                chain
            )  # those that come to rest from now on are visited themselves
            if len(self._taken) == len(chains):
                self._write_taken(chains)

    def close(self, chains: Sequence[Chain]) -> None:
        """Write where the chains stand at the end."""
        with self._warned():
            self._taken = {c.number: self._snapshot(c) for c in chains}
            self._write_taken(chains)

    def _snapshot(self, chain: Chain) -> tuple[int, int, Arrays]:
        return (
            chain.done,
            chain.stopped_by,
            {name: array.copy() for name, array in self._state_arrays(chain).items()},
        )

    def _state_arrays(self, chain: Chain) -> Arrays:
        return {
            name: getattr(chain.state, name)
            for name in chain.state._fields
            if name not in self.redrawn
        }

    @contextmanager
    def _warned(self) -> Iterator[None]:
        """Whatever goes wrong within is a warning: a run does not end, and its draws are not lost,
        for want of a checkpoint.
        """
        try:
            yield
        except Exception as error:  # memory that is not there, as well as a disk that is full
            reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
            text = f"the checkpoint {self.folder} cannot be written: {reason}"
            warnings.warn(
                f"{text}; the one before it is whole, and the run goes on",
                CheckpointWarning,
                stacklevel=3,
            )
            self._rest()

    def _write_taken(self, chains: Sequence[Chain]) -> None:
        self._write(chains)
        self._rest()

    def _rest(self) -> None:
        """Begin to wait for the next time."""
        self._taken = {}
        self._written = time.monotonic()

    def _write(self, chains: Sequence[Chain]) -> None:
        taken = [self._taken[c.number] for c in chains]
        # a name that a manifest has is never used again, also where that manifest was not replaced
        self._serial += 1
        after = [self.draws_after(done) for done, _, _ in taken]
        kept = self._with_new_draws(chains, after)
        states = {
            f"{name}_{c.number}": a
            for c, (_, _, arrays) in zip(chains, taken, strict=True)
            for name, a in arrays.items()
        }
        standing = (
            ChainPosition(done, stopped_by, n)
            for (done, stopped_by, _), n in zip(taken, after, strict=True)
        )
        state = self._write_arrays(f"state-{self._serial:06d}", states)
        manifest = Manifest(self.run, tuple(standing), state, tuple(k.part for k in kept))
        self._write_manifest(manifest)
        self._kept = kept
        self._delete_what_is_not_named(manifest)

    def _with_new_draws(self, chains: Sequence[Chain], after: list[int]) -> tuple[_DrawsFile, ...]:
        """The files of draws up to those, of which the last one is new where there are new
        draws.
        """
        kept, none = list(self._kept), [0] * len(chains)
        if after == (kept[-1].ends if kept else none):
            return self._kept
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
        path = self.folder / f"{stem}.npz"
        with replaced(path) as temporary:
            with temporary.open("wb") as file:
                np.savez(file, **arrays)  # type: ignore[arg-type]
            with temporary.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
        return ArrayFile(path.name, digest)

    def _delete_what_is_not_named(self, manifest: Manifest) -> None:
        """Files of earlier writings; a link of such a name is none of them. What cannot be deleted
        now is deleted next time.
        """
        named = {part.file for part in manifest.parts}
        with suppress(OSError), os.scandir(self.folder) as entries:
            for entry in entries:
                own = DRAWS_NAME.fullmatch(entry.name) or STATE_NAME.fullmatch(entry.name)
                if own and entry.name not in named and entry.is_file(follow_symlinks=False):
                    with suppress(OSError):
                        os.unlink(entry.path)

    def _refuse_strange_folder(self) -> None:
        """Without a manifest nothing here is ours, but for what the first writing of one leaves."""
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
        theirs = manifest.run
        for key in {**self.run, **theirs}:
            if theirs.get(key) != self.run.get(key):
                raise RecipeError(
                    f"the checkpoint {self.folder} is of another run: "
                    f"{printable(key)} was {printable(theirs.get(key))} and is"
                    f" {printable(self.run.get(key))}; choose another folder, or the settings of"
                    " that run"
                )

    def _restore(self, manifest: Manifest, chains: Sequence[Chain], steps: int) -> None:
        if manifest.state is None:
            return  # stopped before it was written for the first time
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
            self._kept = (*self._kept, _DrawsFile(part, ends))
        if ends != [record.draws for record in manifest.chains]:
            raise self._damaged("the number of draws is not the one that is written")

    def _restore_states(self, manifest: Manifest, part: ArrayFile, chains: Sequence[Chain]) -> None:
        states = self._arrays(part)
        goals = {
            f"{name}_{c.number}": array
            for c in chains
            for name, array in self._state_arrays(c).items()
        }
        self._refuse_other_names(part, states, goals)
        for key, goal in goals.items():
            goal[...] = self._fitting(states, key, goal.shape)
        for chain, record in zip(chains, manifest.chains, strict=True):
            chain.done, chain.stopped_by = record.done, record.stopped_by

    def _restore_draws(
        self, part: ArrayFile, chains: Sequence[Chain], firsts: list[int]
    ) -> list[int]:
        """Put the draws of a file after the first ones; returns how many there are then."""
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
            goal[firsts[k] : end] = self._fitting(arrays, key, (end - firsts[k], *goal.shape[1:]))
        return [ends.get(k, 0) for k in range(len(chains))]

    def _refuse_other_names(
        self, part: ArrayFile, arrays: Arrays, goals: Mapping[str, Any]
    ) -> None:
        if set(arrays) != set(goals):
            raise self._damaged(f"{part.file} does not hold the arrays of this run")

    def _arrays(self, part: ArrayFile) -> Arrays:
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

    def _fitting(self, arrays: Arrays, key: str, shape: tuple[int, ...]) -> np.ndarray:
        if arrays[key].shape != shape or arrays[key].dtype != np.float64:
            raise self._damaged(f"{key} has another shape")
        return arrays[key]

    def _damaged(self, reason: str) -> RecipeError:
        return RecipeError(
            f"the checkpoint {self.folder} is damaged: {reason}; nothing was changed, start again"
            " in another folder"
        )


def saved_warmup(folder: Path) -> int | None:
    """The warm-up of the run that a folder holds, None where it holds none."""
    manifest = read_manifest(folder / MANIFEST_NAME)
    found = None if manifest is None else manifest.run.get("warmup")
    return found if type(found) is int else None


def saved_draws(folder: Path) -> int:
    """How many draws of a chain the checkpoint in a folder holds: the most of any chain, 0 where
    there is none.
    """
    manifest = read_manifest(folder / MANIFEST_NAME)
    return 0 if manifest is None else max((chain.draws for chain in manifest.chains), default=0)
