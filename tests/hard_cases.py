"""Count how many hard cases are decided, by class: ``python tests/hard_cases.py [CLASS...]``.

    python tests/hard_cases.py psd kernels --half first

The cases of ``cases/hard`` were written before the deciders that they are about were improved, by
somebody who did not know these. The second half of each class was kept back while they were
improved. A case that takes more than a minute of processor time counts as undecided.
"""

import argparse
import os
import resource
import sys
import time
import warnings
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CLASSES = ("zero", "psd", "normalisable", "marginals", "explosion", "kernels")
HALVES = ("first", "second")
CPU_SECONDS, MEMORY_BYTES, WALL_SECONDS = 60, 6 << 30, 600
DECIDED = ("proved", "refuted")


def answer_to(ask):
    """The verdict of one case from a child process of its own, and the seconds that it took."""
    reading, writing = os.pipe()
    begin, child = time.monotonic(), os.fork()
    if child == 0:
        _answer_in_child(ask, writing)
    os.close(writing)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if time.monotonic() - begin > WALL_SECONDS:
            os.kill(child, 9)
        time.sleep(0.02)
    with os.fdopen(reading, "rb") as stream:
        return stream.read().decode() or "timeout", time.monotonic() - begin


def _answer_in_child(ask, writing):
    used = int(time.process_time()) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS + used, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    try:
        found = str(ask())
    except BaseException as error:
        found = f"{type(error).__name__}: {' '.join(str(error).split())[:150]}"
    os.write(writing, found.encode())
    os._exit(0)


def cases_of(name, half):
    """The cases of one half of a class."""
    return import_module(f"cases.hard.{name}_{half}").CASES


def counted(name, half, show=print):
    """``(right, undecided, wrong)`` of one half of a class; each case is shown as it is decided."""
    right = wrong = 0
    cases = cases_of(name, half)
    for title, ask, expected, _ in cases:
        found, seconds = answer_to(ask)
        right += found == expected
        wrong += found in DECIDED and found != expected
        show(f"{title:<58} {expected:<8} {found} {seconds:.1f} s")
    return right, len(cases) - right - wrong, wrong


def main():
    """Count the cases of the classes that are named; exit status 1 if one is decided wrongly."""
    parser = argparse.ArgumentParser(
        description="Count how many hard cases are decided, rightly and wrongly, by class.",
        epilog="Example: python tests/hard_cases.py psd kernels --half first",
    )
    parser.add_argument(
        "classes",
        nargs="*",
        metavar="CLASS",
        help=f"class of cases, one of {', '.join(CLASSES)}; without one, all classes",
    )
    parser.add_argument("--half", choices=HALVES, help="half of each class; by default both")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.classes if name not in CLASSES]
    if unknown:
        parser.error(f"there is no class {unknown[0]}; choose from {', '.join(CLASSES)}")
    failed = False
    for name in arguments.classes or CLASSES:
        for half in HALVES if arguments.half is None else [arguments.half]:
            right, undecided, wrong = counted(name, half)
            print(f"{name}, {half} half: {right} right, {undecided} undecided, {wrong} wrong\n")
            failed |= wrong > 0
    return int(failed)


if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    warnings.filterwarnings("ignore")
    sys.exit(main())
