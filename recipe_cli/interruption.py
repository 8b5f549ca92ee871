"""What Ctrl-C does while this program loads its libraries.

This file imports nothing that takes time.
"""

from __future__ import annotations

import os

INTERRUPTED_STATUS = 130  # exit status
INTERRUPTED_LINE = "recipe: interrupted\n"


def end_at_once(number: int, frame: object) -> None:
    """Handle Ctrl-C while this program is being loaded: end at once.

    No work has begun yet, and an exception that is raised inside an import may be swallowed there.
    """
    os.write(2, INTERRUPTED_LINE.encode())
    os._exit(INTERRUPTED_STATUS)
