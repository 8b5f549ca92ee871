"""From a plan to the text of a module: each function is built as a program tree, and printed.

Imports ``codegen.lowering`` and ``codegen.device``.
"""
