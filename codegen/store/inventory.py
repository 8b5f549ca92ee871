"""The contents of the store, modules with their machine code, and how it is emptied.

A file is deleted only if this program gives files such a name in this place. The text of a module
must also have the content that its name says, or begin as every module does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from codegen.files.private_files import regular_content
from codegen.store.machine_code import SUFFIX
from codegen.store.modules import hash_of, place
from recipe.files.atomic_write import UNFINISHED, is_left

TEXT_NAME = re.compile(r"(\w+_([0-9a-f]{12}))\.py", re.ASCII)
CODE_NAME = re.compile(rf"(\w+_[0-9a-f]{{12}})\..+{re.escape(SUFFIX)}", re.ASCII)
NUMBA_FILE_NAME = re.compile(r"(\w+_[0-9a-f]{12})\..+\.(?:nbi|nbc|pyc)", re.ASCII)


@dataclass(frozen=True)
class Kept:
    """A module in the store.

    Attributes:
        name: its file name without the ending.
        made_from: the first line of its text: what it was generated from.
        scheme: the discretisation, empty where the text does not say.
        text: the file of its text; None where only machine code is left.
        code: the files of its machine code.
        used: when it was last used, in seconds since 1970.
    """

    name: str
    made_from: str
    scheme: str
    text: Path | None
    code: tuple[Path, ...]
    used: float

    @property
    def files(self) -> tuple[Path, ...]:
        """All files of the module.

        The text comes last, so that an interrupted deletion leaves files that are still recognised.
        """
        return (*self.code, *([self.text] if self.text else []))


@dataclass(frozen=True)
class Contents:
    """Everything in the store.

    Attributes:
        folder: the folder of the store.
        modules: the modules in it.
        unfinished: temporary files whose process has ended before it could finish them.
    """

    folder: Path
    modules: tuple[Kept, ...]
    unfinished: tuple[Path, ...]

    def files(self) -> Iterator[Path]:
        """Yield every file."""
        for module in self.modules:
            yield from module.files
        yield from self.unfinished

    def unused_for(self, seconds: float) -> Contents:
        """Return the modules and files that were not used for some time.

        Args:
            seconds: the time in seconds.
        """
        before = time.time() - seconds
        modules = tuple(m for m in self.modules if m.used <= before)
        return Contents(
            self.folder, modules, tuple(p for p in self.unfinished if _time(p) <= before)
        )


@dataclass
class _FoundFiles:
    text: Path | None = None
    head: str = ""
    code: list[Path] = field(default_factory=list)


def contents() -> Contents:
    """Return what the store contains now; another process may be changing it."""
    folder = place()
    compiled = folder / "__pycache__"
    found: dict[str, _FoundFiles] = {}
    unfinished = []
    for path in _files(folder):
        name = TEXT_NAME.fullmatch(path.name)
        head = _head_of_a_module(path, name[2]) if name else None
        if name and head is not None:
            found.setdefault(name[1], _FoundFiles()).text = path
            found[name[1]].head = head
        elif _is_unfinished(path):
            unfinished.append(path)
    for path in (
        [] if compiled.is_symlink() else _files(compiled)
    ):  # nothing is deleted behind a link
        ours, numbas = CODE_NAME.fullmatch(path.name), NUMBA_FILE_NAME.fullmatch(path.name)
        if ours:
            found.setdefault(ours[1], _FoundFiles()).code.append(path)
        elif numbas and numbas[1] in found:
            found[numbas[1]].code.append(path)
        elif _is_unfinished(path):
            unfinished.append(path)
    return Contents(
        folder, tuple(_kept(name, f) for name, f in sorted(found.items())), tuple(unfinished)
    )


def _is_unfinished(path: Path) -> bool:
    """Return True if this is the temporary file of a module or of machine code, and the process
    that wrote it is gone.
    """
    found = UNFINISHED.fullmatch(path.name)
    if found is None or not any(kind.fullmatch(found["name"]) for kind in (TEXT_NAME, CODE_NAME)):
        return False
    try:
        return is_left(path.lstat(), found)
    except OSError:  # it has gone meanwhile
        return False


def delete(files: Iterable[Path]) -> list[Path]:
    """Delete files; it is no error if another process has deleted one already.

    Args:
        files: the files.

    Returns:
        The files that could not be deleted.
    """
    left = []
    for path in files:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            left.append(path)
    return left


def size(files: Iterable[Path]) -> int:
    """Return the bytes of all files together; a file that does not exist counts 0.

    Args:
        files: the files.
    """
    total = 0
    for path in files:
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _kept(name: str, found: _FoundFiles) -> Kept:
    """Return a module by its files; the head of its text says what it was made from."""
    lines = [line.removeprefix("# ") for line in found.head.splitlines() if line.startswith("# ")]
    scheme = next(
        (
            line.removeprefix("scheme: ").partition(";")[0]
            for line in lines
            if line.startswith("scheme: ")
        ),
        "",
    )
    used = max(map(_time, [*found.code, *([found.text] if found.text else [])]), default=0.0)
    return Kept(
        name, lines[0] if lines else "", scheme, found.text, tuple(sorted(found.code)), used
    )


def _head_of_a_module(path: Path, name_hash: str) -> str | None:
    """Return the comment at the top if this is the text of a module, which may be damaged; None
    otherwise.
    """
    content = regular_content(path)
    if content is None:
        return None
    text = content.decode("utf-8", errors="replace")
    head = text[: text.find("\nfrom ")]
    begins_well = re.match(r"# .*generated by recipe ", text) is not None
    return head if begins_well or hash_of(text)[:12] == name_hash else None


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    except OSError:
        return []


def _time(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
