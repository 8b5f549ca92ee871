"""Folders and files that nobody but the user can have changed, with modes that do not depend on the
umask.

Machine code that is read from disk runs as the user, and no digest beside it says who wrote it. So
the defence is that of ssh for its keys: the folder, the file, and every folder above must be safe,
as whoever can write to a folder above could put another folder in its place.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from recipe.files.atomic_write import open_regular, replaced
from recipe.language.errors import RecipeError

FOLDER_MODE = 0o700
HAS_OWNERS = hasattr(os, "geteuid")  # on Windows modes say nothing, and nothing is checked
REPAIR = "set RECIPE_CACHE to a folder of your own that has the mode 700"


def make_private(folder: Path) -> None:
    """Make a folder that only the user can enter, and every missing folder above it.

    Raises:
        OSError: where it cannot be made.
    """
    missing = []
    for path in (folder, *folder.parents):
        if os.path.lexists(path):
            break
        missing.append(path)
    for path in reversed(missing):
        path.mkdir(FOLDER_MODE, exist_ok=True)
    if not folder.is_dir():
        raise NotADirectoryError(20, "Not a directory", str(folder))


def require_private(folder: Path) -> None:
    """Refuse a folder into which somebody else can write, or in whose place somebody else can put
    another.

    Raises:
        RecipeError: in one sentence, with the repair.
    """
    if not HAS_OWNERS:
        return
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode) or not stat.S_ISDIR(found.st_mode):
        raise RecipeError(f"{folder} of the cache is a link or no folder; delete it, or {REPAIR}")
    if found.st_uid != os.geteuid():
        raise RecipeError(
            f"the cache folder {folder} belongs to another user (uid {found.st_uid}), and what is"
            f" in it would run as you; {REPAIR}"
        )
    if _open_to_others(found):
        raise RecipeError(
            f"others can write to the cache folder {folder}, and what is in it would run as you; "
            f"say recipe cache clear and chmod 700 {folder}, or {REPAIR}"
        )
    for above in folder.parents:
        _require_safe(above, folder)


def write_private(path: Path, content: bytes) -> None:
    """Put a file with the mode 600 in its place, whole or not at all.

    Raises:
        OSError: where it cannot be written; the old file is then unchanged.
    """
    with replaced(path, 0o600) as temporary:
        temporary.write_bytes(content)


def private_content(path: Path) -> bytes | None:
    """Return the bytes of a file that only the user can have written; None for every other file.

    The check and the read use one open file. In a folder that only the user can write, a file that
    fails the check is a leftover, and is written again.
    """
    return _content(path, _is_private)


def regular_content(path: Path) -> bytes | None:
    """Return the bytes of a file, whoever wrote it; None for a link, and for anything that is not a
    file, such as a fifo.
    """
    return _content(path, lambda _: True)


def _content(path: Path, wanted: Callable[[os.stat_result], bool]) -> bytes | None:
    try:
        with open_regular(path) as file:
            return file.read() if wanted(os.fstat(file.fileno())) else None
    except OSError:
        return None


def _is_private(found: os.stat_result) -> bool:
    return not HAS_OWNERS or (found.st_uid == os.geteuid() and not _open_to_others(found))


def _open_to_others(found: os.stat_result) -> bool:
    return bool(found.st_mode & (stat.S_IWGRP | stat.S_IWOTH))


def _require_safe(above: Path, folder: Path) -> None:
    """Refuse a folder above the cache in which somebody else can rename files.

    A folder that others can write is safe if it is sticky, as /tmp is.
    """
    found = above.stat()
    if found.st_uid not in (0, os.geteuid()):
        raise RecipeError(
            f"the folder {above} above the cache belongs to another user (uid {found.st_uid}), who"
            f" could put another folder in the place of {folder}; {REPAIR}, with no such folder"
            " above it"
        )
    if _open_to_others(found) and not found.st_mode & stat.S_ISVTX and not _group_of_one(found):
        raise RecipeError(
            f"others can write to the folder {above} above the cache, and could put another folder"
            f" in the place of {folder}; say chmod go-w {above}, or {REPAIR}, with no such folder"
            " above it"
        )


def _group_of_one(found: os.stat_result) -> bool:
    """Return True if only the user's own group can write: one with the user's name and no other
    member, as many systems give each user.
    """
    if found.st_mode & stat.S_IWOTH:
        return False
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.geteuid()), grp.getgrgid(found.st_gid)
    except KeyError:
        return False
    return (
        user.pw_gid == found.st_gid
        and group.gr_name == user.pw_name
        and set(group.gr_mem) <= {user.pw_name}
    )
