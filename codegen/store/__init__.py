"""Generated modules and their machine code on disk: the allowlist of statements, the inventory, and
clearing.

Imports ``codegen.files`` and ``codegen.device``.
"""
