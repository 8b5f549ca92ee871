"""The command ``recipe`` in a process of its own, as a user calls it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command(*arguments, cwd=ROOT, cache=None):
    """What came of it: exit status, stdout and stderr."""
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"} | ({"RECIPE_CACHE": str(cache)} if cache else {})
    call = [sys.executable, "-m", "recipe_cli", *map(str, arguments)]
    return subprocess.run(call, cwd=cwd, env=environment, capture_output=True, text=True, timeout=300, check=False)
