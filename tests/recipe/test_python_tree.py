"""Texts are parsed in several threads, while finalizers run."""

import gc
import sys
from concurrent.futures import ThreadPoolExecutor

from recipe.files.python_tree import parsed, parsed_expression

FUNCTION = "def f{0}(a, b, c):\n    x = (a + b * {0}) * (c - a)\n    return [x, a[b], c.d]"
TEXT = "\n".join(FUNCTION.format(n) for n in range(40))


class Cycle:
    """Its end is Python code, which gives other threads a turn while a tree is built."""

    def __init__(self):
        self.me = self

    def __del__(self):
        for _ in range(50):
            pass


def lines(_):
    cycles = [Cycle() for _ in range(30)]
    del cycles
    return len(parsed(TEXT).body)


def test_threads_do_not_meet():
    """Some ten of a hundred ended in SystemError when each called ``ast.parse``."""
    threshold, interval = gc.get_threshold(), sys.getswitchinterval()
    gc.set_threshold(50)
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(lines, range(200))) == [40] * 200
    finally:
        gc.set_threshold(*threshold)
        sys.setswitchinterval(interval)


def test_an_expression():
    assert parsed_expression("a + 1").op.__class__.__name__ == "Add"
