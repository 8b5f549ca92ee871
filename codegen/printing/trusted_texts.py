"""The texts in a module that are no translation of anything: each has tests of its own, and is
embedded as it stands.
"""

from __future__ import annotations

import ast
from itertools import product

from codegen.device import defined
from codegen.device.embed import source_of, with_callees
from codegen.device.simd8 import lanes_text
from codegen.printing.module import header
from codegen.printing.run import RUN_SCHEDULE
from recipe.files.python_tree import parsed


def device_functions() -> dict[str, str]:
    """Return the text of every device function that a module may contain, by name."""
    texts = [*map(source_of, with_callees(defined.device_functions())), RUN_SCHEDULE]
    return {_name_of(text): text for text in texts}


def _name_of(text: str) -> str:
    return next(node.name for node in parsed(text).body if isinstance(node, ast.FunctionDef))


def eight_statements() -> tuple[str, ...]:
    """Return the statements about vectors of eight numbers, in their order in a module."""
    return tuple(ast.unparse(s) for s in parsed(lanes_text()).body)


def header_statements() -> tuple[str, ...]:
    """Return the statements that may stand at the top of a module."""
    headers = [
        header(run_cached=run, kernels_cached=kernels)
        for run, kernels in product((True, False), repeat=2)
    ]
    return tuple(dict.fromkeys(ast.unparse(s) for text in headers for s in parsed(text).body))
