"""From a plan to the text of a module, function by function.

Imports ``codegen.lowering`` and ``codegen.device``.
"""
