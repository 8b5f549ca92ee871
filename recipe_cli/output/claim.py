"""A claim on an output file: no two commands write the same file at the same time.

The claim is a small file beside the output, which is locked while the command runs. If a command is
killed, its lock goes with it, so a claim that is left over blocks nobody.
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
# A file system without locks gives these errors: then the claim keeps nobody off.
NO_LOCK_ERRNOS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


@contextmanager
def claimed(target: Path) -> Iterator[None]:
    """Hold the claim on a file, so that no other command of this program writes it.

    Raises:
        RecipeError: if another command holds the claim, or no file can be made beside the output.
    """
    if sys.platform == "win32":  # Windows has no such locks
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
            path.unlink()  # while it is locked, so that nobody takes a claim that vanishes
        os.close(descriptor)


def _short(name: str) -> str:
    """Return a file name, or its hash if the name is too long for a claim beside it."""
    encoded = os.fsencode(name)
    return name if len(encoded) <= MAX_NAME_BYTES else hashlib.sha256(encoded).hexdigest()


def _locked(path: Path, target: Path) -> int:
    """Return the descriptor of the claim, locked by this process.

    Another process may delete the claim after it was opened and before it was locked: then the
    function tries again.
    """
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
    """Lock an open claim and mark it as ours; return False if the claim was deleted meanwhile."""
    found = os.fstat(descriptor)
    content = os.read(descriptor, len(CLAIM_MARK)) if stat.S_ISREG(found.st_mode) else b"?"
    if content not in (b"", CLAIM_MARK):
        raise RecipeError(
            f"{path} is no claim of this program, and a claim needs its name; move it, or choose"
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
            f"another process is writing {target}; choose another path, or wait for that process"
        )
    with suppress(FileNotFoundError):
        there = os.stat(path, follow_symlinks=False)
        if (there.st_dev, there.st_ino) == (found.st_dev, found.st_ino):
            os.pwrite(descriptor, CLAIM_MARK + f"process {os.getpid()}\n".encode(), 0)
            return True
    return False
