"""Generated modules and their machine code on disk: what a text may contain, what is there, and
clearing it.

Imports ``codegen.files`` and ``codegen.device``.
"""
