"""Checkpoints: a folder from which a run goes on, bit for bit, as if it had never been stopped.

The folder holds a manifest (JSON), the states of the chains, and one file of draws for every time it was written; arrays are
NumPy's ``.npz`` without pickles. Every file is written under a temporary name, synced and renamed, the manifest last: whatever
happens, the manifest that is there names files that are whole. Their SHA-256 is in it, so that damage is found, and so is all
that the draws depend on, so that another run is not taken for this one.
"""

from __future__ import annotations

import hashlib
import json
import re
import time
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from codegen.chains import Chain
from codegen.whole import force_names_to_disk, force_to_disk
from recipe.errors import RecipeError

FORMAT, VERSION = "recipe checkpoint", 1
MANIFEST = "checkpoint.json"
PART_NAME = re.compile(r"(state|draws)-\d{6,}\.npz")
OWN_NAME = re.compile(r"(state|draws)-\d{6,}\.npz|\.(state-\d{6,}\.npz|draws-\d{6,}\.npz|checkpoint\.json)\.part")

Arrays = dict[str, np.ndarray]


class CheckpointWarning(UserWarning):
    """A checkpoint could not be written; the one before it is still there, and the run goes on."""


@dataclass
class Checkpoint:
    """The folder of one run.

    Args:
        folder: made if it is not there.
        run: everything that the draws depend on, as JSON; another run is refused.
        seconds: how often to write.
        redrawn: the fields of a state that are left out, as a run fills them before it reads them.
    """

    folder: Path
    run: Mapping[str, Any]
    draws_after: Callable[[int], int]
    seconds: float
    redrawn: Collection[str] = ()
    _manifest: dict[str, Any] = field(default_factory=dict)
    _taken: dict[int, tuple[int, int, Arrays]] = field(default_factory=dict)
    _written: float = field(default_factory=time.monotonic)
    _serial: int = 0
    _lock: Any = None

    def open(self, chains: Sequence[Chain], steps: int) -> bool:
        """Take the folder, and put the chains where the checkpoint stands, if there is one; whether there was.

        Raises:
            RecipeError: where the folder cannot be used, is in use, or holds another run or damaged files.
        """
        try:
            self._take_the_folder()
            return self._opened(chains, steps)
        except BaseException:
            self.let_go()
            raise

    def _take_the_folder(self) -> None:
        import fcntl  # POSIX only, and so are checkpoints

        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._lock = (self.folder / "lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecipeError(f"another process is writing the checkpoint {self.folder}; choose another folder") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise RecipeError(f"the checkpoint {self.folder} cannot be made: {reason}; choose another folder") from None

    def let_go(self) -> None:
        """Leave the folder to others."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _opened(self, chains: Sequence[Chain], steps: int) -> bool:
        if not (self.folder / MANIFEST).exists():
            self._refuse_strange_folder()
            # The manifest comes first, without a state: so whatever else is found later is known to be ours.
            self._manifest = {"format": FORMAT, "version": VERSION, "run": dict(self.run), "chains": [], "state": None, "draws": []}
            try:
                self._write_manifest(self._manifest)
            except OSError as error:
                raise RecipeError(f"{self._cannot_be_written(error)}; choose another folder") from None
            return False
        self._manifest = _read_manifest(self.folder / MANIFEST)
        self._serial = max((int(part["file"][6:-4]) for part in self._parts()), default=0)
        self._refuse_another_run()
        self._restore(chains, steps)
        return True

    def _parts(self) -> list[dict[str, str]]:
        return [*self._manifest["draws"], *([self._manifest["state"]] if self._manifest["state"] else [])]

    def visit(self, chain: Chain, chains: Sequence[Chain], at_rest: Callable[[Chain], bool]) -> None:
        """Called when a chain is at rest between two pieces of work: copies its state if it is time, and writes once all are."""
        if not self._taken:
            if time.monotonic() - self._written < self.seconds:
                return
            self._taken = {c.number: self._snapshot(c) for c in chains if at_rest(c)}
        self._taken[chain.number] = self._snapshot(chain)  # those that come to rest from now on are visited themselves
        if len(self._taken) == len(chains):
            self._write_or_warn(chains)

    def close(self, chains: Sequence[Chain]) -> None:
        """Write where the chains stand at the end."""
        self._taken = {c.number: self._snapshot(c) for c in chains}
        self._write_or_warn(chains)

    def _snapshot(self, chain: Chain) -> tuple[int, int, Arrays]:
        return chain.done, chain.guilty, {name: array.copy() for name, array in self._state_arrays(chain).items()}

    def _state_arrays(self, chain: Chain) -> Arrays:
        return {name: getattr(chain.state, name) for name in chain.state._fields if name not in self.redrawn}

    def _cannot_be_written(self, error: OSError) -> str:
        return f"the checkpoint {self.folder} cannot be written: {error.strerror or error}"

    def _write_or_warn(self, chains: Sequence[Chain]) -> None:
        try:
            self._write(chains)
        except OSError as error:
            text = f"{self._cannot_be_written(error)}; the one before it is whole, and the run goes on"
            warnings.warn(text, CheckpointWarning, stacklevel=2)
        self._taken = {}
        self._written = time.monotonic()

    def _write(self, chains: Sequence[Chain]) -> None:
        taken = [self._taken.get(c.number) or self._snapshot(c) for c in chains]
        before = [chain["draws"] for chain in self._manifest["chains"]] or [0] * len(chains)
        after = [self.draws_after(done) for done, _, _ in taken]
        self._serial += 1  # a name that a manifest has is never used again, also where that manifest was not replaced
        draws = {
            f"{name}_{c.number}": getattr(c.draws, name)[first:last]
            for c, first, last in zip(chains, before, after, strict=True)
            for name in c.draws._fields
            if getattr(c.draws, name).shape[0] > 0
        }
        states = {f"{name}_{c.number}": a for c, (_, _, arrays) in zip(chains, taken, strict=True) for name, a in arrays.items()}
        manifest = dict(self._manifest)
        if after != before:
            manifest["draws"] = [*manifest["draws"], self._write_arrays(f"draws-{self._serial:06d}", draws)]
        manifest["state"] = self._write_arrays(f"state-{self._serial:06d}", states)
        manifest["chains"] = [
            {"done": done, "guilty": guilty, "draws": kept} for (done, guilty, _), kept in zip(taken, after, strict=True)
        ]
        self._write_manifest(manifest)
        self._manifest = manifest
        self._remove_what_is_not_named()

    def _write_manifest(self, manifest: Mapping[str, Any]) -> None:
        _replace(self.folder / MANIFEST, lambda file: file.write(json.dumps(manifest, indent=1).encode()))

    def _write_arrays(self, stem: str, arrays: Arrays) -> dict[str, str]:
        path = self.folder / f"{stem}.npz"
        _replace(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]
        return {"file": path.name, "sha256": _digest(path)}

    def _remove_what_is_not_named(self) -> None:
        named = {part["file"] for part in self._parts()}
        for path in self.folder.iterdir():
            if OWN_NAME.fullmatch(path.name) and path.name not in named:
                with suppress(OSError):
                    path.unlink()

    def _refuse_strange_folder(self) -> None:
        """Without a manifest nothing here is ours, but for what the first writing of one leaves."""
        strange = next((p for p in self.folder.iterdir() if p.name not in ("lock", f".{MANIFEST}.part")), None)
        if strange is not None:
            raise RecipeError(f"{self.folder} holds {strange.name} and no checkpoint; choose an empty or a new folder")

    def _refuse_another_run(self) -> None:
        theirs = self._manifest["run"]
        for key in {**self.run, **theirs}:
            if theirs.get(key) != self.run.get(key):
                raise RecipeError(
                    f"the checkpoint {self.folder} is of another run: {key} was {theirs.get(key)} and is {self.run.get(key)}; "
                    "choose another folder, or the settings of that run"
                )

    def _restore(self, chains: Sequence[Chain], steps: int) -> None:
        if self._manifest["state"] is None:
            return  # stopped before it was written for the first time
        states = self._arrays(self._manifest["state"])
        records = self._manifest["chains"]
        if len(records) != len(chains):
            raise self._damaged(f"it has {len(records)} chains")
        if any(record["done"] > steps for record in records):
            raise RecipeError(
                f"the checkpoint {self.folder} stands at step {max(r['done'] for r in records)}, beyond steps={steps}; ask for more"
            )
        for chain, record in zip(chains, records, strict=True):
            chain.done, chain.guilty = record["done"], record["guilty"]
            for name, array in self._state_arrays(chain).items():
                array[...] = self._fitting(states, f"{name}_{chain.number}", array.shape)
        filled = [0] * len(chains)
        for part in self._manifest["draws"]:
            arrays = self._arrays(part)
            for k, chain in enumerate(chains):
                filled[k] += self._restore_draws(chain, arrays, filled[k])
        if filled != [record["draws"] for record in records]:
            raise self._damaged("the number of draws is not the one that is written")

    def _restore_draws(self, chain: Chain, arrays: Arrays, first: int) -> int:
        rows = 0
        for name in chain.draws._fields:
            goal = getattr(chain.draws, name)
            if goal.shape[0] > 0:
                key = f"{name}_{chain.number}"
                rows = arrays[key].shape[0] if key in arrays else 0
                if first + rows > goal.shape[0]:
                    raise self._damaged(f"{key} has too many draws")
                goal[first : first + rows] = self._fitting(arrays, key, (rows, *goal.shape[1:]))
        return rows

    def _arrays(self, part: Mapping[str, str]) -> Arrays:
        path = self.folder / part["file"]
        try:
            if _digest(path) != part["sha256"]:
                raise self._damaged(f"{path.name} is not the file that was written")
            with np.load(path, allow_pickle=False) as file:
                return {name: file[name] for name in file.files}
        except RecipeError:
            raise
        except OSError as error:
            raise self._damaged(f"{path.name}: {error.strerror or error}") from None
        except (ValueError, KeyError, EOFError, BadZipFile) as error:
            raise self._damaged(f"{path.name}: {error}") from None

    def _fitting(self, arrays: Arrays, key: str, shape: tuple[int, ...]) -> np.ndarray:
        if key not in arrays or arrays[key].shape != shape or arrays[key].dtype != np.float64:
            raise self._damaged(f"{key} is missing or has another shape")
        return arrays[key]

    def _damaged(self, reason: str) -> RecipeError:
        return RecipeError(f"the checkpoint {self.folder} is damaged: {reason}; nothing was changed, start again in another folder")


def saved_warmup(folder: Path) -> int | None:
    """The warm-up of the run that a folder holds, None where it holds none."""
    if not (folder / MANIFEST).is_file():
        return None
    found = _read_manifest(folder / MANIFEST)["run"].get("warmup")
    return found if type(found) is int else None


def _replace(path: Path, write: Callable[[Any], Any]) -> None:
    """Write a file so that a reader, or a machine that stops, finds all of it or none."""
    temporary = path.with_name(f".{path.name}.part")
    try:
        with temporary.open("wb") as file:
            write(file)
            force_to_disk(file)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    force_names_to_disk(path.parent)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _read_manifest(path: Path) -> dict[str, Any]:
    """The manifest, if it is one of this format: its parts are checked here, what they say when it is used."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise RecipeError(f"{path} is damaged or cannot be read: {error}; start again in another folder") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecipeError(f"{path} is not a checkpoint; choose another folder")
    if found.get("version") != VERSION:
        raise RecipeError(f"{path} has the version {found.get('version')}, and this program reads {VERSION}; choose another folder")
    if not (isinstance(found.get("run"), dict) and _is_state(found) and _are_parts(found) and _are_chains(found)):
        raise RecipeError(f"{path} is damaged: it lacks what a checkpoint has; start again in another folder")
    return found


def _is_part(part: Any) -> bool:
    return (
        isinstance(part, dict) and isinstance(part.get("sha256"), str) and isinstance(part.get("file"), str)
        and PART_NAME.fullmatch(part["file"]) is not None
    )  # fmt: skip


def _is_state(found: dict[str, Any]) -> bool:
    """A state, or none where nothing has been written yet."""
    return _is_part(found.get("state")) or ("state" in found and found["state"] is None and not found.get("draws"))


def _are_parts(found: dict[str, Any]) -> bool:
    return isinstance(found.get("draws"), list) and all(_is_part(part) for part in found["draws"])


def _are_chains(found: dict[str, Any]) -> bool:
    chains = found.get("chains")
    return isinstance(chains, list) and all(
        isinstance(c, dict) and all(type(c.get(k)) is int for k in ("done", "guilty", "draws")) and c["done"] >= 0 for c in chains
    )
