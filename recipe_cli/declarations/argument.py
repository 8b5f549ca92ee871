"""An argument that names declarations: ``FILE``, ``FILE:NAME``, the dotted name of code, or a name
of the catalog.
"""

from __future__ import annotations

import os
from pathlib import Path


def parts_of(where: str) -> tuple[str, str, str]:
    """Return the path or catalog name of an argument, a colon, and the name of a declaration, which
    is empty if there is none.
    """
    return (where, "", "") if Path(where).exists() else where.partition(":")


def is_path(text: str) -> bool:
    """Whether this is a path: it ends in .py or has a folder in it. All else is a name of the
    catalog, whatever is in the working directory.
    """
    return text.endswith(".py") or os.sep in text


def is_dotted(text: str) -> bool:
    """Whether this is the dotted name of code, such as ``blackjax.sgmcmc.sgld``."""
    parts = text.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def as_path(name: str) -> str:
    """Return how a file of the working directory with this name is written as a path, if there is
    one.
    """
    return f", here ./{name}" if Path(name).is_file() else ""
