"""The other end of child.py, in the interpreter of a competitor: standard library only."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any


def serve(make: Callable[[dict[str, Any]], Callable[[int], Any]]) -> None:
    """For each number on stdin run what ``make`` made of the case, and print the seconds.

    The first run of each number compiles: it is made twice, and the second is timed.
    """
    run = make(json.loads(sys.argv[1]))
    known = set()
    for line in sys.stdin:
        iterations = int(line)
        if iterations not in known:
            known.add(iterations)
            run(iterations)
        began = time.perf_counter()
        run(iterations)
        print(time.perf_counter() - began, flush=True)
