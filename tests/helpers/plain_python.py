"""Generated modules as plain Python: without Numba, and with Python for what only LLVM has a word
for.
"""

import ast
import builtins
import sys
import types

import numpy as np

from codegen.device.simd8 import lanes_text

NUMBAS = ("numba", "llvmlite", "operator")


class Lanes(np.ndarray):
    """The index of eight coordinates; those beyond the last one read the last one again, and are
    not ``there``.
    """

    @classmethod
    def of(cls, i, n):
        at = np.arange(int(i), int(i) + 8)
        lanes = np.minimum(at, int(n) - 1).view(cls)
        lanes.there = at < int(n)
        return lanes


def pairwise(a):
    for half in (4, 2, 1):
        a = a[:half] + a[half : 2 * half]
    return a[0]


def as_float(x):
    return x.astype(builtins.float) if np.ndim(x) else builtins.float(x)


INTRINSICS = {
    "fma": lambda a, b, c: a * b + c,
    "held": lambda x: x,
    "wide": lambda: None,
    "EIGHT": np.uint64(8),
    "whole": lambda i: Lanes.of(i, int(i) + 8),
    "lanes": Lanes.of,
    "eight": lambda a: np.full(8, a),
    "inside": lambda at, new, old: np.where(at.there, new, old),
    "pairwise": pairwise,
    "local_numbers": np.zeros,
    "local_rows": lambda count: np.zeros(count, dtype=np.uint64),
    "fetch": lambda array, row: None,
    "float": as_float,
}


def plainly(source):
    """The module without Numba, which would take longer to compile it than it runs: its text is
    Python.
    """
    tree = ast.parse(source.replace(lanes_text(), ""))
    tree.body = [node for node in tree.body if not _is_numbas(node)]
    module = types.ModuleType("plain")
    vars(module).update(INTRINSICS, njit=lambda **_: lambda function: function)
    sys.modules["plain"] = module
    exec(compile(tree, "plain", "exec"), vars(module))
    return module


def _is_numbas(node):
    if isinstance(node, ast.ImportFrom):
        return str(node.module).split(".")[0] in NUMBAS
    if isinstance(node, ast.Import):
        return node.names[0].name in NUMBAS
    return isinstance(node, ast.FunctionDef) and "intrinsic" in map(
        ast.unparse, node.decorator_list
    )
