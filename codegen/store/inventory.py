"""What is in the store: its modules with their machine code; and how it is emptied.

A file is deleted only if its name is one that this program gives, in the place where it puts such a
file, and, for the text of a module, its content is what the name says or begins as every module
does.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from codegen.files.atomic_write import UNFINISHED, is_left
from codegen.files.private_files import regular_content
from codegen.store.machine_code import SUFFIX
from codegen.store.modules import hash_of, place

TEXT = re.compile(r"(\w+_([0-9a-f]{12}))\.py", re.ASCII)
CODE = re.compile(rf"(\w+_[0-9a-f]{{12}})\..+{re.escape(SUFFIX)}", re.ASCII)
NUMBAS_OWN = re.compile(r"(\w+_[0-9a-f]{12})\..+\.(?:nbi|nbc|pyc)", re.ASCII)


@dataclass(frozen=True)
class Kept:
    """A module in the store: what it was made from, its files, and when it was last used (seconds
    since 1970).
    """

    name: str
    made_from: str
    scheme: str
    text: Path | None
    code: tuple[Path, ...]
    used: float

    @property
    def files(self) -> tuple[Path, ...]:
        """All of it; the text goes last, so that what is left after an interruption is still known
        for what it is.
        """
        return (*self.code, *([self.text] if self.text else []))


@dataclass(frozen=True)
class Contents:
    """All that the store has."""

    folder: Path
    modules: tuple[Kept, ...]
    unfinished: tuple[Path, ...]

    def files(self) -> Iterator[Path]:
        """Every file of it."""
        for module in self.modules:
            yield from module.files
        yield from self.unfinished

    def unused_for(self, seconds: float) -> Contents:
        """The part that was not used for so long."""
        before = time.time() - seconds
        modules = tuple(m for m in self.modules if m.used <= before)
        return Contents(
            self.folder, modules, tuple(p for p in self.unfinished if _time(p) <= before)
        )


@dataclass
class _Found:
    text: Path | None = None
    head: str = ""
    code: list[Path] = field(default_factory=list)


def contents() -> Contents:
    """What the store has now; another process may be at work in it."""
    folder = place()
    compiled = folder / "__pycache__"
    found: dict[str, _Found] = {}
    unfinished = []
    for path in _files(folder):
        name = TEXT.fullmatch(path.name)
        head = _head_of_a_module(path, name[2]) if name else None
        if name and head is not None:
            found.setdefault(name[1], _Found()).text = path
            found[name[1]].head = head
        elif _is_unfinished(path):
            unfinished.append(path)
    for path in (
        [] if compiled.is_symlink() else _files(compiled)
    ):  # nothing is deleted behind a link
        ours, numbas = CODE.fullmatch(path.name), NUMBAS_OWN.fullmatch(path.name)
        if ours:
            found.setdefault(ours[1], _Found()).code.append(path)
        elif numbas and numbas[1] in found:
            found[numbas[1]].code.append(path)
        elif _is_unfinished(path):
            unfinished.append(path)
    return Contents(
        folder, tuple(_kept(name, f) for name, f in sorted(found.items())), tuple(unfinished)
    )


def _is_unfinished(path: Path) -> bool:
    """Whether this is the temporary file of a module or of machine code, and the process that wrote
    it is gone.
    """
    found = UNFINISHED.fullmatch(path.name)
    if found is None or not any(kind.fullmatch(found["name"]) for kind in (TEXT, CODE)):
        return False
    try:
        return is_left(path.lstat(), found)
    except OSError:  # it has gone meanwhile
        return False


def delete(files: Iterable[Path]) -> list[Path]:
    """Delete these files; returns those that could not be deleted. What another process has deleted
    already is no matter.
    """
    left = []
    for path in files:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            left.append(path)
    return left


def size(files: Iterable[Path]) -> int:
    """Their bytes; a file that has gone has none."""
    total = 0
    for path in files:
        with suppress(OSError):
            total += path.stat().st_size
    return total


def _kept(name: str, found: _Found) -> Kept:
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
    """The comment on top, if this is the text of a module, which may be damaged."""
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
