"""Which arguments and attributes a docstring explains, for tests of public names."""

import dataclasses
import inspect
import re
from typing import Any


def section(documented: Any, title: str) -> str:
    """The text of a section of a docstring; empty if there is none."""
    text = inspect.getdoc(documented) or ""
    found = re.search(rf"^{title}:\n((?:    .*\n?|\n)*)", text, re.MULTILINE)
    return found[1] if found else ""


def entries(text: str) -> set[str]:
    """The names that a section explains; one line may explain several."""
    heads = re.findall(r"^    (\**\w+(?:, \**\w+)*): ", text, re.MULTILINE)
    return {name.strip(" *") for head in heads for name in head.split(",")}


def parameters(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters) - {"self", "cls"}


def fields(cls: type) -> set[str]:
    """The public fields of a dataclass."""
    return {f.name for f in dataclasses.fields(cls) if not f.name.startswith("_")}
