"""Names that may stand in generated source."""

from __future__ import annotations

import keyword

from recipe.language.errors import RecipeError

MAX_NAME_CHARS = 100
MADE_NAME_CHARS = 90  # of a name that is cut, so that there is room for a number behind it


def fitting_name(name: str) -> str:
    """Return a name that is made of other names, cut where it is longer than a name may be.

    The limit is for names that users type. A name that is made of several may pass it without a
    fault of theirs; whoever makes it must see to it that it is unique.
    """
    return name if len(name) <= MAX_NAME_CHARS else name[:MADE_NAME_CHARS].rstrip("_")


def checked_name(name: object) -> str:
    """Return the name if it is an identifier that may stand in generated source.

    Raises:
        RecipeError: for anything else, such as a Python keyword or a name of more than
            ``MAX_NAME_CHARS`` characters.
    """
    if (
        not isinstance(name, str)
        or not name.isidentifier()
        or not name.isascii()
        or keyword.iskeyword(name)
    ):
        raise RecipeError(
            f"{name!r} is not a usable name: use letters, digits and underscores, and no Python"
            " keyword"
        )
    if len(name) > MAX_NAME_CHARS:
        raise RecipeError(
            f"the name {name[:20]}... has {len(name)} letters; the most is {MAX_NAME_CHARS}"
        )
    if name.startswith("_"):
        raise RecipeError(f"{name!r} is not a usable name: names must start with a letter")
    return name
