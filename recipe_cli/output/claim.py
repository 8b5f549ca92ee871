"""A claim on a file that a long command will write: two commands never write one file.

The claim is a small file beside it, locked while the command runs, so that what a killed one leaves
blocks nobody.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

from recipe import RecipeError

CLAIM_MARK = b"recipe claims a file: "
MAX_NAME_BYTES = 200  # of a file name: file systems take 255
NO_LOCK_ERRNOS = {
    errno.ENOLCK,
    errno.ENOSYS,
    errno.EOPNOTSUPP,
}  # a file system that has none: then the claim is a note to readers


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Within, no other command of this program writes the file.

    Raises:
        RecipeError: where another one does, or where a file can not be made beside it.
    """
    if sys.platform == "win32":  # no such locks there
        yield
        return
    path = target.with_name(f".{_short(target.name)}.claim")
    try:
        descriptor = _locked(path, target)
    except OSError as error:
        raise RecipeError(
            f"{target} cannot be written: {error.strerror or error}; choose another path"
        ) from None
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()  # still locked, so that nobody takes a claim that is about to go
        os.close(descriptor)


def _short(name: str) -> str:
    encoded = os.fsencode(name)
    return name if len(encoded) <= MAX_NAME_BYTES else hashlib.sha256(encoded).hexdigest()


def _locked(path: Path, target: Path) -> int:
    """The claim, ours; it may have been taken away between its opening and its locking."""
    while True:
        descriptor = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600
        )
        try:
            if _taken(descriptor, path, target):
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _taken(descriptor: int, path: Path, target: Path) -> bool:
    found = os.fstat(descriptor)
    content = os.read(descriptor, len(CLAIM_MARK)) if stat.S_ISREG(found.st_mode) else b"?"
    if content not in (b"", CLAIM_MARK):
        raise RecipeError(
            f"{path} is in the way of a lock, and no file of this program; move it, or choose"
            " another output"
        )
    try:
        free = lock_descriptor(descriptor, blocking=False)
    except OSError as error:
        if error.errno not in NO_LOCK_ERRNOS:
            raise
        free = True
    if not free:
        raise RecipeError(
            f"another process is about to write {target}; choose another path, or wait for its end"
        )
    with suppress(FileNotFoundError):
        there = os.stat(path, follow_symlinks=False)
        if (there.st_dev, there.st_ino) == (found.st_dev, found.st_ino):
            os.pwrite(descriptor, CLAIM_MARK + f"process {os.getpid()}\n".encode(), 0)
            return True
    return False
