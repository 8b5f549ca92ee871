"""The other end of child.py, in the interpreter of a competitor: standard library only."""

import json
import sys
from collections.abc import Callable
from time import process_time
from typing import Any


def serve(make: Callable[[dict[str, Any]], Callable[[int], Callable[[], None]]]) -> None:
    """For each number on stdin run what ``make`` made of the case, and print the seconds of this
    process (see measure.py).

    A run returns a function that stops the process if its result is no good; that is not timed. The
    first run of each number compiles: it is made twice, and the second is timed.
    """
    run = make(json.loads(sys.argv[1]))
    known = set()
    for line in sys.stdin:
        iterations = int(line)
        if iterations not in known:
            known.add(iterations)
            run(iterations)()
        began = process_time()
        confirm = run(iterations)
        seconds = process_time() - began
        confirm()
        print(seconds, flush=True)
