"""The sentence about a library that is not installed: who needs it, and how to install it.

Imports nothing.
"""

from __future__ import annotations

EXTRA_BY_LIBRARY = {
    "matplotlib": "plots",
    "pyarrow": "data",
    "scipy": "statistics",
    "xarray": "arviz",
}


def missing(who: str, library: str) -> str:
    """Return the sentence that ``who`` needs a library, and the command that installs it.

    Args:
        who: a noun in the singular, such as ``recipe test``.
        library: the name under which the library is imported. One without an extra of ours belongs
            to the default install, and is installed under its own name.
    """
    extra = EXTRA_BY_LIBRARY.get(library)
    wanted = f'"recipe-sampler[{extra}]"' if extra else library
    return f"{who} needs {library}, which is not installed: pip install {wanted}"
