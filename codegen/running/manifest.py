"""The manifest of a checkpoint: the fingerprint of its run, the positions of its chains, and the
files that hold their states and draws.

It is JSON with a digest of its content. A manifest is refused unless its digest is right, it has
the form that this program writes, and its numbers agree with one another.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from recipe.files.atomic_write import open_regular
from recipe.language.errors import RecipeError
from recipe.printing.plain_text import without_codes

FORMAT, VERSION = "recipe checkpoint", 3
STATE_NAME = re.compile(r"state-(\d{6,18})\.npz", re.ASCII)
DRAWS_NAME = re.compile(r"draws-(\d{6,18})\.npz", re.ASCII)
SHA256 = re.compile("[0-9a-f]{64}")
REPAIR = "start again in another folder"
MAX_SHOWN_CHARS = 200  # characters


@dataclass(frozen=True)
class ArrayFile:
    """A file of arrays.

    Attributes:
        file: its name in the folder of the checkpoint.
        sha256: the SHA-256 of its content, in hexadecimal.
    """

    file: str
    sha256: str

    @property
    def serial(self) -> int:
        """The number in the name. A number is used once in the life of a checkpoint, for one file
        of states and one of draws.
        """
        return int(self.file[6:-4])


@dataclass(frozen=True)
class ChainPosition:
    """The position of a chain: the steps it has done, the number of the block that stopped it (or
    -1), and the draws it has kept.
    """

    done: int
    stopped_by: int
    draws: int


@dataclass(frozen=True)
class Manifest:
    """The content of a manifest.

    Attributes:
        run: the fingerprint of the run.
        chains: the position of each chain; empty until the first states have been written.
        state: the file with the states of all chains; None until the first has been written.
        draws: the files of draws, in the order of the draws.
    """

    run: Mapping[str, Any]
    chains: tuple[ChainPosition, ...] = ()
    state: ArrayFile | None = None
    draws: tuple[ArrayFile, ...] = ()

    @property
    def parts(self) -> tuple[ArrayFile, ...]:
        """All files that the manifest names."""
        return (*self.draws, *([self.state] if self.state else []))

    def text(self) -> str:
        """Return the manifest as JSON with its digest, the text of the file."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "run": dict(self.run),
            "chains": [asdict(c) for c in self.chains],
            "state": None if self.state is None else asdict(self.state),
            "draws": [asdict(part) for part in self.draws],
        }
        return json.dumps({**body, "sha256": digest_of(body)}, indent=1)


def digest_of(body: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the content of a manifest without its digest, in hexadecimal."""
    return hashlib.sha256(
        json.dumps(body, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def read_manifest(path: Path) -> Manifest | None:
    """Return the manifest in a file; None if there is no such file.

    Raises:
        RecipeError: where it is not a manifest of this version, or not as it was written.
    """
    try:
        with open_regular(path) as file:
            text = file.read().decode()
        found = json.loads(text)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecipeError(f"{path} cannot be read: {error.strerror or error}; {REPAIR}") from None
    except (ValueError, RecursionError):
        raise RecipeError(f"{path} is damaged: its content is not JSON; {REPAIR}") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise RecipeError(f"{path} is not a checkpoint; choose another folder")
    if type(found.get("version")) is not int or found["version"] != VERSION:
        raise RecipeError(
            f"{path} has the version {printable(found.get('version'))}, and this program reads"
            f" {VERSION}; {REPAIR}"
        )
    try:
        manifest = _manifest(found)
        whole = text == manifest.text()
    except (KeyError, TypeError, ValueError, AttributeError):
        raise RecipeError(
            f"{path} is damaged: it lacks a field of a checkpoint; {REPAIR}"
        ) from None
    if not whole:
        raise RecipeError(
            f"{path} is damaged: its content does not have the digest that was written; {REPAIR}"
        )
    reason = _contradiction(manifest)
    if reason is not None:
        raise RecipeError(f"{path} is damaged: {reason}; {REPAIR}")
    return manifest


def printable(value: Any) -> str:
    """Return a value from a file as a message shows it: in one line and cut when it is long."""
    return without_codes(str(value)[:MAX_SHOWN_CHARS])


def _manifest(found: Mapping[str, Any]) -> Manifest:
    """Return the manifest that the JSON spells; ``_contradiction`` checks the types in it."""
    return Manifest(
        dict(found["run"]),
        tuple(ChainPosition(**c) for c in found["chains"]),
        None if found["state"] is None else ArrayFile(**found["state"]),
        tuple(ArrayFile(**part) for part in found["draws"]),
    )


def _contradiction(manifest: Manifest) -> str | None:
    """Return the first contradiction in a manifest, in words; None if a run may have written it."""
    if manifest.state is None and (manifest.chains or manifest.draws):
        return "it has chains or draws and no state"
    if manifest.state is not None and not manifest.chains:
        return "it has a state and no chains"
    for part, pattern in [
        *((p, DRAWS_NAME) for p in manifest.draws),
        *((p, STATE_NAME) for p in (manifest.state,) if p),
    ]:
        if not (_is_text(part.file, pattern) and _is_text(part.sha256, SHA256)):
            return "a file has a name or a digest that no checkpoint gives"
    serials = [part.serial for part in manifest.draws]
    if serials != sorted(set(serials)) or (
        manifest.state and serials and serials[-1] > manifest.state.serial
    ):
        return "its files are not in the order in which they were written"
    for number, chain in enumerate(manifest.chains):
        if any(type(n) is not int for n in (chain.done, chain.stopped_by, chain.draws)):
            return f"the position of chain {number} is not in whole numbers"
        if not (chain.stopped_by >= -1 and 0 <= chain.draws <= chain.done):
            return (
                f"chain {number} cannot have done {chain.done} steps and kept {chain.draws} draws"
            )
    if bool(manifest.draws) != any(chain.draws for chain in manifest.chains):
        return "its draws and its files of draws do not agree"
    return None


def _is_text(value: Any, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
