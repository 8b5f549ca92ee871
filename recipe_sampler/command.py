"""The entry point of the command ``recipe``.

It stands in ``recipe_sampler``, which no other distribution has, so that a package ``recipe_cli``
or ``recipe`` of somebody else is named in one sentence before it is imported.
"""

from __future__ import annotations

import sys

MIXED_PACKAGES_STATUS = 2  # the exit status of bad input


def main() -> None:
    """Run the command, and end with its exit status."""
    try:
        from recipe_sampler.one_distribution import require_catalog

        require_catalog()
    except ImportError as error:
        sys.stderr.write(f"recipe: {error}\n")
        sys.exit(MIXED_PACKAGES_STATUS)
    from recipe_cli.start import main as command

    command()
