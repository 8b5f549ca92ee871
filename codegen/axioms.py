"""The texts in a module that are no translation of anything: each has tests of its own, and is embedded as it stands."""

from __future__ import annotations

import ast
from itertools import product

from codegen.chi_squared import CHI_SQUARED
from codegen.folds import DEVICES
from codegen.random import EMBEDDED, MINIBATCH, log_uniform, source_of
from codegen.run_source import RUN_SCHEDULE
from codegen.source import JITTER, KEEP, header, plain
from codegen.special import digamma, phi_1
from codegen.stable import logaddexp, sigmoid, softplus


def device_functions() -> dict[str, str]:
    """The text of every function that a module may contain as it stands, by name."""
    functions = (*EMBEDDED, *MINIBATCH, log_uniform, *CHI_SQUARED, softplus, sigmoid, logaddexp, digamma, phi_1)
    texts = {f.__name__: plain(source_of(f)) for f in (*functions, *(device for _, device in DEVICES))}
    return texts | {"jitter": JITTER, "keep": KEEP, "run_schedule": RUN_SCHEDULE}


def header_statements() -> tuple[str, ...]:
    """What may stand at the top of a module."""
    headers = [header(run_cached=run, kernels_cached=kernels) for run, kernels in product((True, False), repeat=2)]
    return tuple(dict.fromkeys(ast.unparse(s) for text in headers for s in ast.parse(text).body))
