"""What was found out about a text once and need not be found out again: small facts on disk, under hashes of all they rest on.

A fact is only as good as its key: it must hold everything that decides the answer. The release is part of every key: a hash of this
program's own text, and the versions of what it computes with, so that a change of one letter anywhere forgets all.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

import recipe
from codegen import store
from recipe.errors import RecipeError

FOLDER = "facts"
ROOMS = ("recipe", "verify", "codegen", "catalog", "recipe_cli")
ALGEBRA = ("sympy", "python-flint", "mpmath")


def key_of(*parts: str) -> str:
    """The hash of these texts and of the release."""
    return _hash(json.dumps([release(), *parts]))


@functools.cache
def release() -> str:
    """A hash of every source file of this program, and of the versions of what it computes with."""
    root = Path(recipe.__file__).parent.parent
    found = hashlib.sha256(json.dumps([version(name) for name in ALGEBRA]).encode())
    for room in ROOMS:
        for path in sorted((root / room).rglob("*.py")):
            content = path.read_bytes()
            found.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode() + content)
    return found.hexdigest()


def remembered(key: str) -> str | None:
    """The fact under this key; None where there is none, or its file is damaged."""
    path = _path(store.place(), key)
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("fact"), str) or found.get("digest") != _digest(key, found["fact"]):
        return None
    with suppress(OSError):
        os.utime(path)  # when it was last used
    return str(found["fact"])


def remember(key: str, fact: str) -> None:
    """Keep a fact under this key. Where it cannot be written it is found out again next time."""
    with suppress(OSError, RecipeError):
        path = _path(store.directory(), key)
        path.parent.mkdir(exist_ok=True)
        store.write(path, json.dumps({"fact": fact, "digest": _digest(key, fact)}))


def _path(folder: Path, key: str) -> Path:
    return folder / FOLDER / f"{key}.json"


def _digest(key: str, fact: str) -> str:
    return _hash(json.dumps([key, fact]))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
